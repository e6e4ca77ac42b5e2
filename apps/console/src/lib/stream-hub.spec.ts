import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { REPEAT_MS, StreamHub, type StreamMessage, type Wanted } from './stream-hub.js';

/** A connection of the hub to the server. */
interface Connection {
  /** The queries of its subscriptions. */
  queries: string[];
  viewerId: string;
  isOpen: () => boolean;
  /** Sends the result of the subscription at a position. */
  send(subscription: number, result: object): Promise<void>;
  /** Ends the connection, as a server that stops. */
  complete(): Promise<void>;
}

const settle = () => vi.advanceTimersByTimeAsync(0);

let connections: Connection[];
/** Without one the server is down. */
let status: number;

beforeEach(() => {
  vi.useFakeTimers();
  connections = [];
  status = 200;
  vi.stubGlobal('fetch', async (_path: string, { body, signal }: { body: string; signal: AbortSignal }) => {
    if (status !== 200) return new Response(null, { status });
    const { query, extensions } = JSON.parse(body);
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const write = async (text: string) => {
      void writer.write(new TextEncoder().encode(text));
      await settle();
    };
    connections.push({
      viewerId: extensions.viewerId,
      queries: [query, ...extensions.additionalSubscriptions.map((one: { query: string }) => one.query)],
      isOpen: () => !signal.aborted,
      send: (subscription, result) =>
        write(
          `event: next\ndata: ${JSON.stringify({ ...result, extensions: { subscription, ...result } })}\n\n`,
        ),
      complete: async () => {
        await write('event: complete\n\n');
        await writer.close().catch(() => undefined);
        await settle();
      },
    });
    return new Response(readable, { headers: { 'content-type': 'text/event-stream' } });
  });
});
afterEach(() => vi.useRealTimers());

/** A tab that follows queries, by the ids of its subscriptions. */
function openTab(hub: StreamHub) {
  const received: StreamMessage[] = [];
  const tab = { postMessage: (message: StreamMessage) => received.push(message) };
  const want = async (queries: Record<number, string>) => {
    const wanted: Wanted[] = Object.entries(queries).map(([id, query]) => ({
      id: Number(id),
      operation: JSON.stringify({ query, variables: {} }),
    }));
    hub.update(tab, wanted);
    await settle();
  };
  return { received, want };
}

const open = () => connections.filter(({ isOpen }) => isOpen());

it('follows the subscriptions of all tabs on one connection, each once', async () => {
  const hub = new StreamHub('usr_1');
  const [one, two] = [openTab(hub), openTab(hub)];
  await one.want({ 1: 'notices', 2: 'live' });
  await two.want({ 1: 'notices' });
  expect(open()).toMatchObject([{ queries: ['notices', 'live'], viewerId: 'usr_1' }]);
  await open()[0]?.send(0, { data: { a: 1 } });
  await open()[0]?.send(1, { data: { b: 2 } });
  expect(one.received).toEqual([
    { id: 1, data: { a: 1 } },
    { id: 2, data: { b: 2 } },
  ]);
  expect(two.received).toEqual([{ id: 1, data: { a: 1 } }]);
});

it('connects again for a tab that joins, so that it receives the first events', async () => {
  const hub = new StreamHub('usr_1');
  await openTab(hub).want({ 1: 'live' });
  await openTab(hub).want({ 1: 'live' });
  expect(connections).toHaveLength(2);
  expect(open()).toEqual([connections[1]]);
});

it('keeps the connection while a tab repeats what it wants, or leaves what others want', async () => {
  const hub = new StreamHub('usr_1');
  const [one, two] = [openTab(hub), openTab(hub)];
  await one.want({ 1: 'notices' });
  await two.want({ 1: 'notices' });
  await one.want({ 1: 'notices' });
  await two.want({});
  expect(connections).toHaveLength(2);
});

it('stops subscriptions that no tab wants any more, and closes the connection after the last', async () => {
  const hub = new StreamHub('usr_1');
  const tab = openTab(hub);
  await tab.want({ 1: 'notices', 2: 'live' });
  await tab.want({ 1: 'notices' });
  expect(open().map(({ queries }) => queries)).toEqual([['notices']]);
  await tab.want({});
  expect(open()).toEqual([]);
});

it('forgets a tab that closed without notice', async () => {
  const hub = new StreamHub('usr_1');
  const [crashed, alive] = [openTab(hub), openTab(hub)];
  await crashed.want({ 1: 'live' });
  for (let i = 0; i < 10; i++) {
    await alive.want({ 1: 'notices' });
    await vi.advanceTimersByTimeAsync(REPEAT_MS);
  }
  expect(open().map(({ queries }) => queries)).toEqual([['notices']]);
  await crashed.want({ 1: 'live' });
  expect(open().map(({ queries }) => queries)).toEqual([['notices', 'live']]);
});

it('keeps all tabs after the computer slept', async () => {
  const hub = new StreamHub('usr_1');
  const [one, two] = [openTab(hub), openTab(hub)];
  await one.want({ 1: 'notices' });
  await two.want({ 1: 'live' });
  vi.setSystemTime(Date.now() + 3_600_000);
  await one.want({ 1: 'notices' });
  await two.want({ 1: 'live' });
  expect(connections).toHaveLength(2);
  expect(open().map(({ queries }) => queries)).toEqual([['notices', 'live']]);
});

it('keeps the old connection until the new one is open', async () => {
  const hub = new StreamHub('usr_1');
  const tab = openTab(hub);
  await tab.want({ 1: 'notices' });
  const answer = Promise.withResolvers<Response>();
  const server = fetch;
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    await answer.promise;
    return server(path, init);
  });
  await tab.want({ 1: 'notices', 2: 'live' });
  await connections[0]?.send(0, { data: { a: 1 } });
  expect(tab.received).toEqual([{ id: 1, data: { a: 1 } }]);
  answer.resolve(new Response());
  await settle();
  expect(open().map(({ queries }) => queries)).toEqual([['notices', 'live']]);
});

it('reports errors and the end of a subscription, without ending the others', async () => {
  const hub = new StreamHub('usr_1');
  const tab = openTab(hub);
  await tab.want({ 1: 'notices', 2: 'simulation' });
  await open()[0]?.send(1, { errors: [{ message: 'Not found' }] });
  await open()[0]?.send(1, { ended: true });
  expect(tab.received).toEqual([
    { id: 2, error: 'Not found' },
    { id: 2, isEnded: true },
  ]);
  await tab.want({ 1: 'notices' });
  expect(connections).toHaveLength(1);
});

it('connects again, later and later, after the server ended the connection or is down', async () => {
  const hub = new StreamHub('usr_1');
  const tab = openTab(hub);
  await tab.want({ 1: 'notices' });
  status = 503;
  await connections[0]?.complete();
  expect(tab.received).toEqual([{ isInterrupted: true }]);
  await vi.advanceTimersByTimeAsync(600_000);
  // Each waits at least half of 30 s.
  expect(tab.received.length).toBeGreaterThan(20);
  expect(tab.received.length).toBeLessThan(46);
  status = 200;
  await vi.advanceTimersByTimeAsync(30_000);
  await open()[0]?.send(0, { data: { a: 1 } });
  expect(tab.received.at(-1)).toEqual({ id: 1, data: { a: 1 } });
  expect(connections).toHaveLength(2);
});

it('does not connect again earlier for a new subscription', async () => {
  const hub = new StreamHub('usr_1');
  const tab = openTab(hub);
  await tab.want({ 1: 'notices' });
  await connections[0]?.complete();
  await tab.want({ 1: 'notices', 2: 'simulation' });
  expect(connections).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(open().map(({ queries }) => queries)).toEqual([['notices', 'simulation']]);
});

it('follows at most twenty subscriptions', async () => {
  const hub = new StreamHub('usr_1');
  const queries = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [i, `query ${i}`]));
  await openTab(hub).want(queries);
  expect(open()[0]?.queries).toHaveLength(20);
});
