// pnpm db:migrate -- --name <what-changes>: writes the migration to schema.prisma, then generates the client.
// Further arguments go to `prisma migrate dev` (`--create-only`, to edit the SQL).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { withDatabase } from './with-database.mjs';

const args = process.argv.slice(2).filter((argument) => argument !== '--');
const prisma = fileURLToPath(new URL('prisma.mjs', import.meta.url));

async function runPrisma(command, url) {
  const env = { ...process.env, DATABASE_URL: url };
  const child = spawn(process.execPath, [prisma, ...command], { stdio: 'inherit', env });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

process.exitCode = await withDatabase(async (url) => {
  const migrated = await runPrisma(['migrate', 'dev', ...args], url);
  return migrated === 0 ? await runPrisma(['generate'], url) : migrated;
});
