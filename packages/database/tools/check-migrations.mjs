// Replays prisma/migrations on an empty database and compares it with prisma/schema.prisma. Exits with 1 and the
// differences. Needs a build.
import { fileURLToPath } from 'node:url';
import { findMigrationDrift, migrateDeploy } from '../dist/index.js';
import { withDatabase } from './with-database.mjs';

const prismaDir = fileURLToPath(new URL('../../../prisma/', import.meta.url));

const drift = await withDatabase(async (url) => {
  await migrateDeploy(url, `${prismaDir}migrations`);
  return await findMigrationDrift(url, `${prismaDir}migrations`, `${prismaDir}schema.prisma`);
});
if (drift === undefined) {
  console.log('The migrations build exactly what schema.prisma says.');
} else {
  console.error(`The migrations do not build what schema.prisma says:\n${drift}`);
  console.error('Make the missing migration: pnpm db:migrate -- --name <what-changes>');
  process.exitCode = 1;
}
