import path from 'node:path';
import { readEnvFiles } from '@tollgate/contracts/environment';
import { Command } from 'commander';
import * as z from 'zod';
import { CommandError } from '../connection.js';
import { backUp, restore } from './backup.js';
import { countAll, type DatabaseContents } from './database-contents.js';

const FAILED_EXIT_CODE = 1;
const envSchema = z.object({ DATABASE_MIGRATION_URL: z.url({ protocol: /^postgres(ql)?$/ }) });
const DATABASE = 'The database is DATABASE_MIGRATION_URL (or DATABASE_MIGRATION_URL_FILE), as for setup.';

/** A command with the address of the database in its environment and a file. */
function fileCommand(name: string, file: string): Command {
  return new Command(name).argument('<file>', file).addHelpText('after', `\n${DATABASE}`);
}

export function backupCommand(): Command {
  return fileCommand('backup', 'new file; <file>.json gets row counts and audit chains')
    .description('Write the Postgres database to a file, with pg_dump')
    .action(async (file: string) => {
      const contents = await backUp(databaseUrl(), path.resolve(file));
      process.stdout.write(`Backed up ${describe(contents)} to ${file}.\n`);
      reportBroken(contents);
    });
}

export function restoreCommand(): Command {
  return fileCommand('restore', 'file that tollgate backup wrote')
    .description('Restore a backup into an empty Postgres database and verify it, with pg_restore')
    .action(async (file: string) => {
      const { contents, differences } = await restore(databaseUrl(), path.resolve(file));
      if (differences.length > 0) {
        process.stderr.write(
          `The restored database differs from the backup:\n  ${differences.join('\n  ')}\n`,
        );
        process.exitCode = FAILED_EXIT_CODE;
        return;
      }
      process.stdout.write(
        `Restored and verified ${describe(contents)}. Run setup before the processes start.\n`,
      );
      reportBroken(contents);
    });
}

function databaseUrl(): string {
  const { env, problems } = readEnvFiles(envSchema, process.env);
  if (problems.length > 0) throw new CommandError(problems.join('\n'));
  const parsed = envSchema.safeParse(env);
  if (!parsed.success)
    throw new CommandError(
      'DATABASE_MIGRATION_URL is not set to postgresql://user:password@host:5432/database.',
    );
  const url = new URL(parsed.data.DATABASE_MIGRATION_URL);
  url.searchParams.delete('schema'); // Prisma's own
  return url.toString();
}

function describe(contents: DatabaseContents): string {
  const { tables, rows, chains } = countAll(contents);
  return `${rows} rows of ${tables} tables and ${chains} audit chains`;
}

/** Exit code 1: the backup is complete, the audit trail is not. */
function reportBroken({ chains }: DatabaseContents): void {
  for (const [chain, { problem }] of Object.entries(chains)) {
    if (problem === undefined) continue;
    process.stderr.write(
      `The audit chain ${chain} was already broken when the backup was made (${problem}).\n`,
    );
    process.exitCode = FAILED_EXIT_CODE;
  }
}
