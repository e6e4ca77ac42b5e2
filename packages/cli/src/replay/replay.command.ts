import { createRequire } from 'node:module';
import path from 'node:path';
import { Command, Option } from 'commander';
import { type LogFile, openLogFile, readLines } from '../access-log.js';
import { CommandError, type Connection, findConnection } from '../connection.js';
import { type CallFailure, DecisionClient, type ReadTenantLimits } from '../decision-client.js';
import { MAX_DECIMALS, numberOption } from '../number-option.js';
import { Progress } from '../progress.js';
import { listenForStop, Replay, type ReplayOptions, STOPPED_EXIT_CODE } from './replay.js';
import { buildReport, isWithinLimits, type ReplayReport } from './report.js';
import { formatProgress, formatReport, printable } from './report-text.js';

const CALL_TIMEOUT_MS = 10_000;

interface Flags {
  tenant: string;
  api: string;
  speed?: number;
  concurrency: number;
  limitLines?: number;
  clockTolerance: number;
  url?: string;
  token?: string;
  json?: boolean;
}

/** Exit code: 0, 1 over-admission, 2 nothing could be done, 130 interrupted. */
export function replayCommand(): Command {
  return new Command('replay')
    .description('send the requests of an access log through the decision API and check every answer')
    .argument('[file]', 'access log in Apache combined format, plain, gzip or zstd')
    .option('--tenant <key>', 'tenant to decide for', 'northwind')
    .option('--api <key>', 'API that the requests are for', 'website')
    .option('--speed <factor>', 'recorded pace times this: 60 plays an hour in a minute', positiveNumber)
    .addOption(new Option('--flat-out', 'send as fast as answers arrive (default)').conflicts('speed'))
    .option('--concurrency <n>', 'maximum requests in flight', countUpTo(10_000), 64)
    .option('--limit-lines <n>', 'stop after this many lines', countUpTo(Number.MAX_SAFE_INTEGER))
    .option(
      '--clock-tolerance <ms>',
      'how far the clocks of this machine and of Redis may differ',
      countUpTo(86_400_000),
      5,
    )
    .option('--url <address>', 'URL of the decision API; default TOLLGATE_URL, then the local instance')
    .option('--token <token>', 'service token; else TOLLGATE_TOKEN')
    .option('--json', 'print the report as JSON')
    .action(async (file: string | undefined, flags: Flags) => {
      process.exitCode = await replayFile(file, flags);
    });
}

async function replayFile(file: string | undefined, flags: Flags): Promise<number> {
  if (file === undefined) throw new CommandError(`Name the access log to replay. ${sampleAdvice()}`);
  const connection = findConnection(flags);
  const log = await openLog(file);
  const client = new DecisionClient({
    baseUrl: connection.url,
    token: connection.token,
    maxConnections: flags.concurrency,
    timeoutMs: CALL_TIMEOUT_MS,
  });
  try {
    return await runReplay(file, log, client, connection, flags);
  } finally {
    client.close();
    await log.close();
  }
}

async function runReplay(
  file: string,
  log: LogFile,
  client: DecisionClient,
  connection: Connection,
  flags: Flags,
): Promise<number> {
  const options: ReplayOptions = {
    tenant: flags.tenant,
    api: flags.api,
    speed: flags.speed,
    concurrency: flags.concurrency,
    maxLines: flags.limitLines ?? Number.POSITIVE_INFINITY,
  };
  const replay = new Replay(client, options);
  const limits = await replay.readLimits();
  if (!limits.ok) throw hopeless(connection, limits.failure);

  const startMs = performance.now();
  const took = () => performance.now() - startMs;
  const progress = new Progress(process.stderr, () =>
    formatProgress({
      lines: replay.tally.lines,
      requests: replay.tally.requests,
      denied: replay.tally.denied,
      share: shareDone(log, replay.tally.lines, options.maxLines),
      tookMs: took(),
    }),
  );
  const stop = listenForStop();
  process.stderr.write(`${heading(file, connection, options, limits.answer)}\n`);
  const end = await replay.run(readLines(log.chunks), stop.signal);
  stop.close();
  progress.end();
  const report = buildReport(replay, options, {
    file,
    end,
    tookMs: took(),
    clockToleranceMs: flags.clockTolerance,
  });
  process.stdout.write(`${flags.json ? JSON.stringify(report, null, 2) : formatReport(report)}\n`);
  if (!isWithinLimits(report)) return 1;
  if (end.kind === 'hopeless') throw hopeless(connection, end.failure);
  if (end.kind === 'unreadable') throw new CommandError(`${file} cannot be read to its end: ${end.message}`);
  if (end.kind === 'interrupted') return STOPPED_EXIT_CODE;
  return exitCodeOfContent(file, report);
}

function heading(
  file: string,
  { url }: Connection,
  { tenant, api, speed }: ReplayOptions,
  { limits }: ReadTenantLimits,
): string {
  const pace = speed === undefined ? 'flat out' : `at ${speed} × the recorded pace`;
  const rules = limits.map(({ policy, summary }) => `  ${policy.name}: ${printable(summary)}`);
  if (rules.length === 0)
    rules.push('  No limit applies: everything will be allowed, and nothing recounted.');
  return `Replaying ${printable(file)} to ${url} for ${tenant}, ${api}, ${pace}\n${rules.join('\n')}`;
}

function exitCodeOfContent(file: string, { requests, malformed }: ReplayReport): number {
  if (requests > 0) return 0;
  const why = malformed.count > 0 ? 'no line is in Apache combined format' : 'the file is empty';
  throw new CommandError(`${file} contains no request: ${why}.`);
}

async function openLog(file: string): Promise<LogFile> {
  try {
    return await openLogFile(file);
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string };
    const why = code === 'ENOENT' ? 'file not found' : message;
    const place = path.isAbsolute(file) ? '' : ` (looked in ${process.cwd()})`;
    throw new CommandError(`${file} cannot be read: ${why}${place}. ${sampleAdvice()}`, { cause: error });
  }
}

function hopeless({ url }: Connection, { kind, message }: CallFailure): CommandError {
  // Codes of network errors are in capitals, unlike problem codes.
  const problem = /^[A-Z]/.test(kind) ? 'cannot be reached' : 'rejects requests';
  return new CommandError(
    `The decision API at ${url} ${problem}: ${printable(message)} (${printable(kind)}).`,
  );
}

function sampleAdvice(): string {
  const sample = createRequire(import.meta.url).resolve('#samples/apache-sample.log.gz');
  return `To try it, use the sample: ${path.relative(process.cwd(), sample)}`;
}

function shareDone(log: LogFile, lines: number, maxLines: number): number | undefined {
  const ofLines = Number.isFinite(maxLines) ? lines / maxLines : 0;
  if (log.totalBytes === undefined) return ofLines > 0 ? Math.min(1, ofLines) : undefined;
  return Math.min(1, Math.max(ofLines, log.readBytes() / Math.max(1, log.totalBytes)));
}

const positiveNumber = numberOption({
  ...{ min: Number.MIN_VALUE, decimals: MAX_DECIMALS },
  expected: 'a number above 0',
});

const countUpTo = (max: number) => numberOption({ min: 1, max, expected: `a whole number from 1 to ${max}` });
