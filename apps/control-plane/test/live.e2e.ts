import { eventually } from '@tollgate/test-kit';
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LiveFeed } from '../src/features/usage/live/live-feed.js';
import { reportDecisions } from './support/stream-events.js';
import { ORIGIN, startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

interface Second {
  apis: { apiKey: string; allowed: number; denied: number }[];
  mostDenied: unknown;
}

describe('decisionSeconds', () => {
  it('sends a new client the last minute and then each second once, ignoring duplicate writes', async () => {
    await reportDecisions(app, 'acme', 'denied', 3);
    const stream = open(await app.signIn('VIEWER'));
    await stream.next();
    await reportDecisions(app, 'acme', 'allowed', 5);
    let allowed = 0;
    let mostDenied: unknown;
    while (allowed < 5) {
      for (const second of await stream.next()) {
        for (const api of second.apis) allowed += api.allowed;
        mostDenied = second.mostDenied;
      }
    }
    expect(allowed).toBe(5);
    expect(mostDenied).toEqual([{ tenantKey: 'acme', denied: 3 }]);
    await stream.close();
    const later = open(await app.signIn('VIEWER'));
    // Of one second or of two.
    const minute = (await later.next()).flatMap(({ apis }) => apis);
    const sum = (of: 'allowed' | 'denied') => minute.reduce((total, api) => total + api[of], 0);
    expect([sum('allowed'), sum('denied')]).toEqual([5, 3]);
    await later.close();
  });

  it('removes a client that disconnected before the response', async () => {
    const headers = await app.signIn('VIEWER');
    const feed = app.app.get(LiveFeed, { strict: false });
    await eventually(() => feed.subscriberCount === 0);
    await app.database.$transaction(async (tx) => {
      // Blocks the guard, which reads the session.
      await tx.$executeRaw`LOCK TABLE "session" IN ACCESS EXCLUSIVE MODE`;
      const leaving = open(headers);
      await eventually(async () => {
        const [row] = await tx.$queryRaw<
          { n: bigint }[]
        >`SELECT count(*) AS n FROM pg_locks WHERE NOT granted AND relation = '"session"'::regclass
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
        return row?.n !== 0n;
      });
      await leaving.close();
    });
    const stays = open(headers);
    await stays.next();
    expect(feed.subscriberCount).toBe(1);
    await stays.close();
  });
});

function open(headers: Record<string, string>) {
  const client = createClient({ url: `${app.url}/graphql/stream`, headers: { ...headers, origin: ORIGIN } });
  const query =
    'subscription { decisionSeconds { apis { apiKey allowed denied } mostDenied { tenantKey denied } } }';
  const results = client.iterate<{ decisionSeconds: Second[] }>({ query });
  const next = async (): Promise<Second[]> => {
    const { value } = await results.next();
    if (!value?.data) throw new Error(`No event: ${JSON.stringify(value)}`);
    return value.data.decisionSeconds;
  };
  return { next, close: async () => void (await results.return?.()) };
}
