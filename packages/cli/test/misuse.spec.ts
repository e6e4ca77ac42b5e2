import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { run } from '../src/program.js';
import { SAMPLE } from './run-tollgate.js';

const KEY = '{acme}:f1:maps:per-minute=u1';
const NOBODY = 'http://127.0.0.1:1';

const written = { stdout: '', stderr: '' };

beforeEach(() => {
  for (const name of ['stdout', 'stderr'] as const) {
    written[name] = '';
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      written[name] += chunk;
      return true;
    });
  }
  vi.stubEnv('TOLLGATE_URL', NOBODY);
  vi.stubEnv('TOLLGATE_TOKEN', 'secret');
  vi.stubEnv('REDIS_COUNTERS_URL', 'redis://127.0.0.1:1');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = undefined;
});

const REPLAY: [string, string[], string][] = [
  ['no file', [], 'To try it, use the sample:'],
  ['an absent file', ['/absent/access.log'], '/absent/access.log cannot be read: file not found'],
  ['a folder', ['/'], '/ cannot be read: it is a folder'],
  ['no speed', [SAMPLE, '--speed', '0'], 'It must be a number above 0.'],
  ['a speed with two readings', [SAMPLE, '--speed', '1.000'], '“1.000” can mean 1000 or 1.'],
  ['lines with two readings', [SAMPLE, '--limit-lines', '10.000'], '“10.000” can mean 10000 or 10.'],
  ['two paces', [SAMPLE, '--speed', '2', '--flat-out'], "'--flat-out' cannot be used with"],
  ['no concurrency', [SAMPLE, '--concurrency', '0'], 'It must be a whole number from 1 to 10000.'],
  ['half a line', [SAMPLE, '--limit-lines', '1.5'], 'It must be a whole number'],
  ['an unknown option', [SAMPLE, '--spede', '2'], 'Did you mean --speed?'],
  ['a wrong address', [SAMPLE, '--url', 'localhost'], 'is not an http:// or https:// one'],
  ['no server at the address', [SAMPLE], 'cannot be reached: '],
];

const INSPECT: [string, string[], string][] = [
  ['nothing selected', [], 'Select keys by one of: a key, --limit with --tenant and --api'],
  ['a limit without its tenant', ['--limit', 'a', '--api', 'b'], 'Name the tenant with --tenant'],
  ['a limit without its API', ['--limit', 'a', '--tenant', 'b'], 'Name the API of the limit with --api'],
  ['an unknown flag', ['--redis', 'x'], "unknown option '--redis'"],
  ['a number of keys with two readings', [KEY, '--max', '1.000'], '“1.000” can mean 1000 or 1.'],
  ['a number of keys that is none', [KEY, '--max', 'x'], "option '--max <n>' argument 'x' is invalid"],
  ['no server', [KEY], 'The counter Redis cannot be used: '],
];

async function expectExplained(args: string[], message: string): Promise<void> {
  await run(args);
  const { exitCode } = process;
  expect(written).toEqual({ stdout: '', stderr: expect.stringContaining(message) });
  expect(exitCode).toBe(2);
}

it.each(REPLAY)('tollgate replay, %s: exits with 2 and an explanation', (_name, args, message) =>
  expectExplained(['replay', ...args], message),
);

it.each(INSPECT)('tollgate counters inspect, %s: exits with 2 and an explanation', (_name, args, message) =>
  expectExplained(['counters', 'inspect', ...args], message),
);
