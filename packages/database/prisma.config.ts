import { defineConfig } from 'prisma/config';

const url = process.env.DATABASE_URL;

// `generate` and `validate` need no database, so the address may be absent.
export default defineConfig({
  schema: '../../prisma/schema.prisma',
  migrations: { path: '../../prisma/migrations' },
  ...(url === undefined ? {} : { datasource: { url } }),
});
