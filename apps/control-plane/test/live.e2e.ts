import type { UsageFrame } from '@tollgate/contracts';
import { eventually } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LiveFeed } from '../src/features/usage/live/live-feed.js';
import { ORIGIN, startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;
let redis: Redis;
let sequence = 0;

beforeAll(async () => {
  app = await startTestApp();
  redis = new Redis(app.redisUrl);
});
afterAll(async () => {
  redis.disconnect();
  await app.stop();
});

describe('GET /live/decisions', () => {
  it('sends a new client the last minute and then each second once, ignoring duplicate writes', async () => {
    await use('denied', 3);
    const stream = await open(await app.signIn('VIEWER'));
    expect(stream.response.headers.get('content-type')).toContain('text/event-stream');
    const history = await stream.next();
    expect(history.event).toBe('history');
    await use('allowed', 5);
    let allowed = 0;
    let mostDenied: unknown;
    while (allowed < 5) {
      const { data } = await stream.next();
      for (const api of data.apis) allowed += api.allowed;
      mostDenied = data.mostDenied;
    }
    expect(allowed).toBe(5);
    expect(mostDenied).toEqual([{ tenant: 'acme', denied: 3 }]);
    await stream.close();
  });

  it('is for signed-in users with the permission', async () => {
    expect((await fetch(`${app.url}/live/decisions`)).status).toBe(401);
    const cookie = await app.signIn('VIEWER');
    const foreign = await fetch(`${app.url}/live/decisions`, {
      headers: { ...cookie, origin: 'https://evil.example' },
    });
    expect(foreign.status).toBe(403);
    const crossSite = {
      cookie: cookie.cookie ?? '',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'cors',
    };
    expect((await fetch(`${app.url}/live/decisions`, { headers: crossSite })).status).toBe(403);
  });

  it('removes a client that disconnected before the response', async () => {
    const headers = await app.signIn('VIEWER');
    const feed = app.app.get(LiveFeed, { strict: false });
    await eventually(() => feed.subscriberCount === 0);
    const leaving = new AbortController();
    await app.database.$transaction(async (tx) => {
      // Blocks the guard, which reads the session.
      await tx.$executeRaw`LOCK TABLE "session" IN ACCESS EXCLUSIVE MODE`;
      const { signal } = leaving;
      const asked = fetch(`${app.url}/live/decisions`, { headers, signal }).catch(() => undefined);
      await eventually(async () => {
        const [row] = await tx.$queryRaw<
          { n: bigint }[]
        >`SELECT count(*) AS n FROM pg_locks WHERE NOT granted AND relation = '"session"'::regclass
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
        return row?.n !== 0n;
      });
      leaving.abort();
      await asked;
    });
    const stays = await open(headers);
    await stays.next();
    expect(feed.subscriberCount).toBe(1);
    await stays.close();
  });

  it('rejects clients above its limit with 503', async () => {
    const feed = app.app.get(LiveFeed, { strict: false });
    const others = Array.from({ length: 500 }, () => feed.subscribe({ next: () => {}, end: () => {} }));
    const response = await fetch(`${app.url}/live/decisions`, { headers: await app.signIn('VIEWER') });
    for (const { unsubscribe } of others) unsubscribe();
    expect(response.status).toBe(503);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
  });

  it('does not keep the process running', async () => {
    const other = await startTestApp();
    const headers = await other.signIn('VIEWER');
    const response = await fetch(`${other.url}/live/decisions`, { headers });
    await other.stop();
    await response.text().catch(() => '');
    expect(response.status).toBe(200);
  });
});

async function use(outcome: UsageFrame['rows'][number]['outcome'], count: number): Promise<void> {
  sequence += 1;
  const minute = Math.floor(Date.now() / 60_000);
  const decided = { tenant: 'acme', api: 'shop', operation: 'buy', limit: null, outcome, minute };
  const row = { ...decided, count, units: count };
  const frame: UsageFrame = { nodeId: 'n1', epoch: 'e1', sequence, atMs: Date.now(), rows: [row] };
  // As a node does without an acknowledgement.
  for (let i = 0; i < 2; i++) await redis.xadd('tg:usage', '*', 'frame', JSON.stringify(frame));
}

async function open(headers: Record<string, string>) {
  const response = await fetch(`${app.url}/live/decisions`, { headers: { ...headers, origin: ORIGIN } });
  if (response.body === null) throw new Error('No stream');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  const next = async () => {
    for (;;) {
      const end = rest.indexOf('\n\n');
      if (end >= 0) {
        const block = rest.slice(0, end);
        rest = rest.slice(end + 2);
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined) return { event: /^event: (.*)$/m.exec(block)?.[1], data: JSON.parse(data) };
        continue;
      }
      const { value, done } = await reader.read();
      if (done) throw new Error('The stream ended');
      rest += value;
    }
  };
  return { response, next, close: () => reader.cancel() };
}
