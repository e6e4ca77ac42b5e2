import { runOnDatabase, runStatement } from './postgres-driver.js';
import { splitPostgresUrl } from './postgres-url.js';

/**
 * Runs what `migrate dev|deploy|reset` and `db push` ask before they start the JSON-RPC server, and answers as the
 * native engine does: exit code 0, or 1 and a log line with Prisma's error code.
 */
export async function runDatabaseSubcommand(url: string, subcommand: string): Promise<number> {
  try {
    if (subcommand === 'can-connect-to-database') await runStatement(url, 'SELECT 1');
    else if (subcommand === 'create-database') await runOnDatabase('CREATE', url);
    else if (subcommand === 'drop-database') await runOnDatabase('DROP', url);
    else throw new Error(`unknown subcommand ${subcommand}`);
    return 0;
  } catch (error) {
    const [code, message] = describeFailure(url, error);
    log('INFO', { message: 'schema-engine-wasm' }); // the CLI skips the first line
    log('ERROR', { error_code: code, message });
    return 1;
  }
}

function describeFailure(url: string, error: unknown): [code: string, message: string] {
  const { url: address, database } = splitPostgresUrl(url);
  const code = (error as { code?: string }).code ?? '';
  if (code === '3D000') return ['P1003', `Database \`${database}\` does not exist`];
  if (code === '28P01') return ['P1000', `Authentication failed for \`${address.username}\``];
  if (code === '42P04') return ['P1009', `Database \`${database}\` already exists`];
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') {
    return ['P1001', `Can't reach database server at \`${address.host}\``];
  }
  return ['P1010', error instanceof Error ? error.message : String(error)];
}

function log(level: 'INFO' | 'ERROR', fields: Record<string, string>): void {
  const line = { timestamp: new Date().toISOString(), level, fields, target: 'schema_engine::logger' };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}
