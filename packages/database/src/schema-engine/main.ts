import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type EngineArguments, parseEngineArguments } from './cli-arguments.js';
import { codeOf, runOnDatabase, runStatement, splitPostgresUrl } from './postgres-driver.js';
import { type EngineTarget, runEngineCommand } from './run-command.js';

// Replaces Prisma's native schema engine: same arguments, same JSON-RPC over standard input and output.
// Prisma's CLI starts tools/schema-engine.mjs through PRISMA_SCHEMA_ENGINE_BINARY.

interface Request {
  id: number;
  method: string;
  params: unknown;
}

const ERROR_OF_THE_ENGINE = 4466;

const parsed = parseEngineArguments(process.argv.slice(2));
if (parsed.version) process.stdout.write('schema-engine-wasm\n');
else if (parsed.subcommand === undefined) serve(parsed);
else process.exitCode = await runDatabaseSubcommand(parsed.url, parsed.subcommand);

function serve(options: EngineArguments): void {
  let work: Promise<void> = Promise.resolve();
  const stop = () => void work.finally(() => process.exit(0));
  // The CLI kills this process right after it closed the input: finish commands and clean-up first.
  process.on('SIGTERM', stop);
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      const request = parseRequest(line);
      if (request !== undefined) work = work.then(() => answer(options, request));
    })
    .on('close', stop);
}

async function answer(options: EngineArguments, request: Request): Promise<void> {
  try {
    send({ id: request.id, result: await run(options, request) });
  } catch (error) {
    const { message, code, meta } = error as { message?: string; code?: string; meta?: unknown };
    const data = { is_panic: false, message: message ?? String(error), error_code: code, meta: meta ?? null };
    send({
      id: request.id,
      error: {
        code: ERROR_OF_THE_ENGINE,
        message: 'An error happened. Check the data field for details.',
        data,
      },
    });
  }
}

async function run(options: EngineArguments, { method, params }: Request): Promise<unknown> {
  if (method === 'createDatabase') {
    await runOnDatabase('CREATE', options.url);
    return {};
  }
  const target: EngineTarget = { url: options.url };
  if (options.shadowUrl !== undefined) target.shadowUrl = options.shadowUrl;
  if (options.schemaPaths.length > 0) {
    target.datamodels = options.schemaPaths.map((path) => [path, readFileSync(path, 'utf8')]);
  }
  const result = await runEngineCommand(target, method === 'getDatabaseVersion' ? 'version' : method, params);
  return method === 'diff'
    ? printDiff(result as { stdout?: string | null; exitCode: number })
    : (result ?? null);
}

/** The native engine sends the text of a diff as a separate request. */
function printDiff(result: { stdout?: string | null; exitCode: number }): { exitCode: number } {
  if (result.stdout != null) send({ id: 1, method: 'print', params: { content: result.stdout } });
  return { exitCode: result.exitCode };
}

function parseRequest(line: string): Request | undefined {
  try {
    const message = JSON.parse(line) as Partial<Request>;
    return message.method === undefined ? undefined : (message as Request);
  } catch {
    return undefined; // not JSON: the native engine ignores such lines as well
  }
}

function send(message: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/**
 * Called by `migrate dev|deploy|reset` and `db push` before the JSON-RPC server. Exit code 0, or 1 and a log line with
 * Prisma's error code.
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
  const code = codeOf(error);
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
