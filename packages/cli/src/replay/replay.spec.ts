import { problem } from '@tollgate/contracts';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { allowed, type Exchange, startServer } from '../../test/decision-server.js';
import { DecisionClient } from '../decision-client.js';
import { Pace, Replay, type ReplayEnd, type ReplayOptions } from './replay.js';

describe('pace', () => {
  it('schedules the first line immediately and the others by their time, divided by the speed', () => {
    const pace = new Pace(60);
    expect([1_000_000, 1_060_000, 4_600_000].map((atMs, i) => pace.dueMs(atMs, 500 + i))).toEqual([
      500, 1500, 60_500,
    ]);
  });

  it('makes a line from before the one ahead of it due together with that', () => {
    const pace = new Pace(1);
    expect([10_000, 15_000, 12_000, 9000, 16_000].map((atMs) => pace.dueMs(atMs, 0))).toEqual([
      0, 5000, 5000, 5000, 6000,
    ]);
  });
});

/** Longer than a busy machine needs to respond; one test waits for it. */
const TIMEOUT_MS = 2000;
const CLIENT = { token: 'secret', maxConnections: 1, timeoutMs: TIMEOUT_MS };
const OPTIONS = { tenant: 'northwind', api: 'website', speed: undefined, concurrency: 1, maxLines: 10 };
const closers: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function logLine(path: string, second = 0, ip = '203.0.113.9'): string {
  const time = `17/May/2015:10:05:${String(second).padStart(2, '0')} +0000`;
  return `${ip} - - [${time}] "GET ${path} HTTP/1.1" 200 1 "-" "-"`;
}

function linesOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) => logLine(`/blog/${i}`));
}

async function* stream(lines: readonly (string | null)[]): AsyncGenerator<string | null> {
  yield* lines;
}

interface Run {
  replay: Replay;
  end: ReplayEnd;
}

async function run(
  lines: readonly (string | null)[],
  onLimit: (exchange: Exchange) => void,
  over: Partial<ReplayOptions> = {},
  stop: AbortSignal = new AbortController().signal,
): Promise<Run> {
  const server = await startServer(onLimit);
  const options = { ...OPTIONS, concurrency: 4, maxLines: Number.POSITIVE_INFINITY, ...over };
  const client = new DecisionClient({
    ...CLIENT,
    baseUrl: server.url,
    maxConnections: options.concurrency,
  });
  closers.push(() => client.close(), server.stop);
  const replay = new Replay(client, options);
  await replay.readLimits();
  return { replay, end: await replay.run(stream(lines), stop) };
}

describe('replay', () => {
  it('keeps enforced limits for the recount and counts shadow limits separately', async () => {
    const { policies, ...rest } = allowed();
    const [live] = policies;
    if (live === undefined) throw new Error('the answer has no limit');
    const extended = [
      live,
      { ...live, mode: 'candidate' as const },
      { ...live, name: 'new', mode: 'shadow' as const },
    ];
    const { replay } = await run(linesOf(3), ({ answer }) => answer({ ...rest, policies: extended }));
    expect(replay.charges.size).toBe(3);
    expect([...replay.charges.uncounted]).toEqual([['their limit is not enforced (shadow)', 3]]);
  });

  it('requests each line in order, by client address and first path segment, with the token', async () => {
    const seen: unknown[] = [];
    const { replay, end } = await run(
      [logLine('/blog/?a=1'), '', logLine('/', 0, '2001:db8::1'), logLine('/style2.css')],
      ({ request, headers, answer }) => {
        seen.push({ ...request, authorization: headers.authorization });
        answer(allowed());
      },
      { concurrency: 1 },
    );
    const common = { tenant: 'northwind', api: 'website', authorization: 'Bearer secret' };
    expect(seen).toEqual([
      { ...common, operation: 'blog', subject: { ip: '203.0.113.9' } },
      { ...common, operation: 'home', subject: { ip: '2001:db8::1' } },
      { ...common, operation: 'style2.css', subject: { ip: '203.0.113.9' } },
    ]);
    expect(end).toEqual({ kind: 'complete' });
    expect(replay.tally).toMatchObject({ lines: 4, requests: 3, allowed: 3, malformed: 0 });
    expect(replay.charges.size).toBe(3);
  });

  it('counts malformed lines, shows the first five and continues', async () => {
    const broken = Array.from({ length: 7 }, (_, i) => `broken ${i}`);
    const { replay } = await run([null, ...broken, logLine('/')], ({ answer }) => answer(allowed()));
    expect(replay.tally).toMatchObject({ lines: 9, requests: 1, malformed: 8 });
    expect(replay.tally.malformedLines).toHaveLength(5);
    expect(replay.tally.malformedLines.slice(0, 2)).toEqual([
      { lineNumber: 1, problem: 'longer than 65536 bytes', text: '' },
      { lineNumber: 2, problem: 'not in Apache combined format', text: 'broken 0' },
    ]);
  });

  it('never has more requests in flight than it may', async () => {
    const waiting: (() => void)[] = [];
    let most = 0;
    const { replay } = await run(linesOf(40), ({ answer }) => {
      waiting.push(() => answer(allowed()));
      most = Math.max(most, waiting.length);
      // The last four are in flight together: answer when no more can arrive.
      if (waiting.length === 4) for (const respond of waiting.splice(0)) respond();
    });
    expect(most).toBe(4);
    expect(replay.tally.allowed).toBe(40);
  });

  it('counts failures by kind and continues', async () => {
    const faults: ((exchange: Exchange) => void)[] = [
      ({ answer }) => answer(allowed()),
      ({ response }) => response.socket?.destroy(),
      ({ response }) => response.writeHead(502).end('<html>'),
      ({ response }) => response.end('{"success": tr'),
      ({ answer }) => answer({ success: 'yes' }),
      ({ response }) => response.writeHead(200, { 'Content-Length': 100 }).write('{'), // and no more
      ({ response }) => response.end('x'.repeat(2_000_000)),
      ({ response }) => {
        const errors = [{ field: 'subject.user', message: 'send it' }];
        response.writeHead(400).end(JSON.stringify(problem('dimension-missing', { errors })));
      },
    ];
    let count = 0;
    const { replay, end } = await run(linesOf(faults.length), (exchange) => faults[count++]?.(exchange), {
      concurrency: 1,
    });
    expect(end).toEqual({ kind: 'complete' });
    expect(replay.tally).toMatchObject({ requests: 8, allowed: 1, failed: 7 });
    const kinds = Object.fromEntries(
      [...replay.tally.failures].map(([kind, failure]) => [kind, failure.count]),
    );
    expect(kinds).toEqual({
      ECONNRESET: 1,
      'http-502': 1,
      'answer-unreadable': 2,
      TIMEOUT: 1,
      ANSWER_TOO_LARGE: 1,
      'dimension-missing': 1,
    });
    expect(replay.tally.failures.get('dimension-missing')?.example).toContain('subject.user: send it');
  });

  it('stops with a reason when the first 20 requests all fail', async () => {
    const { replay, end } = await run(linesOf(1000), ({ response }) =>
      response.writeHead(401).end(JSON.stringify(problem('token-invalid'))),
    );
    expect(end).toEqual({
      kind: 'hopeless',
      failure: { kind: 'token-invalid', message: 'The service token is not valid' },
    });
    expect(replay.tally.requests).toBeLessThan(30);
  });

  it('reads the limits again if the node starts or is overloaded, and not after other errors', async () => {
    const read = async (...codes: ('not-ready' | 'overloaded' | 'token-invalid')[]) => {
      const refusals = codes.map((code) => problem(code));
      const server = await startServer(({ answer }) => answer(allowed()), refusals);
      const client = new DecisionClient({ ...CLIENT, baseUrl: server.url });
      closers.push(() => client.close(), server.stop);
      const result = await new Replay(client, OPTIONS).readLimits();
      return { result, left: refusals.length };
    };
    expect(await read('not-ready', 'overloaded')).toMatchObject({ result: { ok: true }, left: 0 });
    expect(await read('token-invalid', 'overloaded')).toMatchObject({
      result: { ok: false, failure: { kind: 'token-invalid' } },
      left: 1,
    });
  });

  it('keeps degraded answers out of the recount, and counts denials without a limit by reason', async () => {
    const answers = [
      allowed({ degraded: true, reason: 'DEGRADED' }),
      allowed({ policies: [], policy: null, reason: 'NO_LIMIT' }),
      allowed({ success: false, policies: [], policy: null, reason: 'BLOCKED' }),
    ];
    const { replay } = await run(linesOf(3), ({ answer }) => answer(answers.pop()));
    expect(replay.tally).toMatchObject({ allowed: 2, denied: 1, degraded: 1, unlimited: 1 });
    expect([...replay.tally.byLimit]).toEqual([['BLOCKED', 1]]);
    expect(replay.charges.size).toBe(0);
  });

  const UNORDERED = [logLine('/blog/', 0), logLine('/files/', 30), logLine('/images/', 10), logLine('/', 40)];

  it('sends no line before its recorded time divided by the speed, and keeps the order', async () => {
    const arrivals: { operation: string; atMs: number }[] = [];
    const startMs = performance.now();
    await run(
      UNORDERED,
      ({ request: { operation }, answer }) => {
        arrivals.push({ operation, atMs: performance.now() - startMs });
        answer(allowed());
      },
      { speed: 100, concurrency: 1 },
    );
    expect(arrivals.map(({ operation }) => operation)).toEqual(['blog', 'files', 'images', 'home']);
    const [, files, , home] = arrivals.map(({ atMs }) => atMs);
    expect(files).toBeGreaterThanOrEqual(300);
    expect(home).toBeGreaterThanOrEqual(400);
  });

  it('measures the maximum delay behind the recorded pace', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    closers.push(() => void vi.useRealTimers());
    const { replay } = await run(
      UNORDERED,
      ({ request: { operation }, answer }) => {
        if (operation === 'blog') vi.advanceTimersByTime(1000);
        answer(allowed());
      },
      { speed: 100, concurrency: 1 },
    );
    expect(replay.worstLagMs).toBe(700);
  });

  it('stops on request, even while waiting for the next line', async () => {
    const stop = new AbortController();
    const { replay, end } = await run(
      [logLine('/', 0), logLine('/', 59)],
      ({ answer }) => {
        answer(allowed());
        stop.abort();
      },
      { speed: 0.001 },
      stop.signal,
    );
    expect(end).toEqual({ kind: 'interrupted' });
    expect(replay.tally).toMatchObject({ requests: 1, allowed: 1 });
  });

  it('keeps the results so far if the log is truncated', async () => {
    const server = await startServer(({ answer }) => answer(allowed()));
    const client = new DecisionClient({ ...CLIENT, baseUrl: server.url });
    closers.push(() => client.close(), server.stop);
    const replay = new Replay(client, OPTIONS);
    const breakingOff = (async function* () {
      yield logLine('/');
      throw new Error('unexpected end of file');
    })();
    const end = await replay.run(breakingOff, new AbortController().signal);
    expect(end).toEqual({ kind: 'unreadable', message: 'unexpected end of file' });
    expect(replay.tally.allowed).toBe(1);
  });

  it('reads no more lines than it may', async () => {
    const { replay } = await run(linesOf(10), ({ answer }) => answer(allowed()), { maxLines: 3 });
    expect(replay.tally).toMatchObject({ lines: 3, requests: 3 });
  });
});
