import { once } from 'node:events';
import type { Socket } from 'node:net';
import {
  block,
  FLAG,
  frame,
  grant,
  indexed,
  literal,
  PREFACE,
  ping,
  RawH2,
  reset,
  settings,
  TYPE,
} from '@tollgate/http2/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answerOf, call, callFields, data, headers, message } from './calls.js';
import { connectionError, goesOn, ignoredOr } from './outcomes.js';
import { CALL, TestServer, useTestServer } from './test-server.js';

const FRAMES = 100_000;
const nothing = Buffer.alloc(0);

interface Flood {
  readonly name: string;
  /** What a client begins with. */
  readonly first?: Buffer;
  /** What it then sends, again and again; `i` from 0. */
  readonly next: (i: number) => Buffer;
  /** What it ends with. */
  readonly last?: Buffer;
}

/** The fields of a call, kept in the table by its first, so that a call of them takes few bytes. */
const keeping = Buffer.concat(callFields(CALL.each).map(([name, value]) => literal(name, value, 'kept')));
const kept = Buffer.concat(callFields().map((_, i) => indexed(62 + callFields().length - 1 - i)));
const wrong = Buffer.concat([kept, literal('Bad', 'x')]);
const begun = headers(1, keeping);

const FLOODS: readonly Flood[] = [
  {
    name: 'calls that are reset at once',
    first: begun,
    next: (i) => Buffer.concat([headers(3 + 2 * i, kept), reset(3 + 2 * i)]),
  },
  {
    name: 'calls that the server has to reset',
    first: begun,
    next: (i) => Buffer.concat([headers(3 + 2 * i, kept), grant(3 + 2 * i, 0)]),
  },
  { name: 'calls that are wrong', first: begun, next: (i) => headers(3 + 2 * i, wrong) },
  { name: 'resets of a call that is over', first: Buffer.concat([begun, reset(1)]), next: () => reset(1) },
  {
    name: 'DATA of a call that is over',
    first: Buffer.concat([begun, reset(1)]),
    next: () => data(1, nothing, 0),
  },
  { name: 'PING', next: () => ping() },
  { name: 'SETTINGS', next: () => settings() },
  { name: 'SETTINGS that widen every stream', first: begun, next: (i) => settings([4, 65_535 + (i % 2)]) },
  { name: 'DATA of nothing', first: begun, next: () => data(1, nothing, 0) },
  { name: 'DATA of nothing but padding', first: begun, next: () => data(1, Buffer.from([0]), FLAG.PADDED) },
  { name: 'WINDOW_UPDATE of little', first: begun, next: () => grant(1, 1) },
  { name: 'PRIORITY', first: begun, next: () => frame(TYPE.PRIORITY, 0, 1, Buffer.alloc(5)) },
  { name: 'unknown frames', next: () => frame(99, 0, 0) },
  { name: 'GOAWAY', next: () => frame(TYPE.GOAWAY, 0, 0, Buffer.alloc(8)) },
  {
    name: 'CONTINUATION of nothing',
    first: frame(TYPE.HEADERS, 0, 1, block(callFields())),
    next: () => frame(TYPE.CONTINUATION, 0, 1),
    last: frame(TYPE.CONTINUATION, FLAG.END_HEADERS, 1),
  },
];

describe(`${FRAMES} frames that ask for nothing`, () => {
  const h2 = useTestServer();

  it.each(FLOODS)(
    '$name: the connection is ended or goes on, and others are answered meanwhile',
    async ({ first = nothing, next, last = nothing }) => {
      const connection = await h2.open();
      const beside = await h2.open();
      connection.send(grant(0, 2 ** 30), first);
      for (let i = 0; i < FRAMES && !connection.isClosed; ) {
        const batch = Array.from({ length: 2000 }, () => next(i++));
        await Promise.race([sent(connection, Buffer.concat(batch)), connection.closed()]);
        await goesOn(beside);
      }
      connection.send(last);
      await ignoredOr(connectionError('ENHANCE_YOUR_CALM'))(connection);
      connection.close();
      beside.close();
    },
  );
});

describe('a client that never reads', () => {
  const h2 = useTestServer();
  const asked = message(Buffer.alloc(16_000, 'x'));
  const CALLS = 4000;

  it('is read from no further than its answers have room; the others are answered, and so is it as it reads', async () => {
    const accepted = once(h2.server.listener, 'connection');
    const connection = await h2.open();
    const [socket] = (await accepted) as [Socket];
    connection.send(settings([4, 2 ** 31 - 1]), grant(0, 2 ** 30));
    await connection.settled();
    connection.socket.pause();
    for (let i = 0; i < CALLS; i++) connection.send(call(1 + 2 * i, callFields(), asked));
    let [seen, still] = [0, 0];
    await vi.waitUntil(
      () => {
        still = socket.bytesRead === seen ? still + 1 : 0;
        seen = socket.bytesRead;
        return still === 10;
      },
      { timeout: 60_000, interval: 50 },
    );
    expect(socket.bytesRead).toBeLessThan((CALLS * asked.length) / 2);
    expect(socket.writableLength).toBeLessThan(8 * 2 ** 20);
    const beside = await h2.open();
    await goesOn(beside);
    beside.close();
    connection.socket.resume();
    // It may have waited for too long: on a busy machine, the server has hung up.
    const last = await answerOf(connection, 2 * CALLS - 1).catch(() => undefined);
    if (last === undefined) expect(connection.isClosed).toBe(true);
    else expect(last.body.equals(asked)).toBe(true);
    connection.close();
  });
});

describe('a client that opens no window', () => {
  const h2 = useTestServer();
  const STREAMS = 200;
  const ANSWERS = 16;
  const AT_MOST_BYTES = 32 * 2 ** 20;

  it('has few bytes kept for it, however many calls it makes', async () => {
    const connection = await h2.open([4, 0]);
    const asked = data(1, Buffer.concat(Array.from({ length: ANSWERS }, () => message('x'))), 0);
    for (let i = 0; i < STREAMS; i++) {
      asked.writeUInt32BE(1 + 2 * i, 5);
      connection.send(headers(1 + 2 * i, callFields(CALL.much)), asked);
    }
    const isEnded = await connection.settled().then(
      () => false,
      () => true,
    );
    if (isEnded) return connectionError('ENHANCE_YOUR_CALM')(connection);
    connection.send(grant(0, 2 ** 30), settings([4, 2 ** 31 - 1]));
    await connection.settled();
    expect(connection.received.get(0) ?? 0).toBeLessThan(AT_MOST_BYTES);
    connection.close();
  });
});

describe('a client that sends a byte a second', () => {
  let h2: TestServer;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    h2 = new TestServer();
    await h2.start();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await h2.stop();
  });

  const AT_MOST_SECONDS = 30;
  const greeted = Buffer.concat([PREFACE, settings()]);

  it.each<[string, Buffer, Buffer]>([
    ['the preface', nothing, greeted],
    ['its settings', PREFACE, settings([1, 1], [2, 0], [3, 3], [4, 4])],
    [
      'what goes on with a header block',
      Buffer.concat([greeted, frame(TYPE.HEADERS, 0, 1)]),
      frame(TYPE.CONTINUATION, 0, 1, block(callFields())),
    ],
  ])('%s: is hung up on', async (_, first, slowly) => {
    const accepted = once(h2.server.listener, 'connection');
    const connection = await RawH2.connect(h2.port);
    const [socket] = (await accepted) as [Socket];
    connection.send(first);
    for (let i = 0; i < AT_MOST_SECONDS && !socket.destroyed; i++) {
      connection.send(slowly.subarray(i, i + 1));
      await vi.waitUntil(() => socket.destroyed || socket.bytesRead === first.length + i + 1, {
        interval: 1,
      });
      vi.advanceTimersByTime(1000);
    }
    expect(socket.destroyed || socket.writableEnded).toBe(true);
    await connection.closed();
  });

  it('a message: its call ends as late, and the connection goes on', async () => {
    const connection = await h2.open();
    const slowly = message(Buffer.alloc(1000));
    connection.send(headers(1));
    for (let i = 0; i < AT_MOST_SECONDS; i++) {
      connection.send(data(1, slowly.subarray(i, i + 1), 0));
      await connection.settled();
      vi.advanceTimersByTime(1000);
    }
    expect((await answerOf(connection, 1)).fields).toMatchObject({ outcome: 'late' });
    await goesOn(connection);
    connection.close();
  });
});

/** Resolves when it has been handed to the system. */
function sent(connection: RawH2, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => connection.socket.write(bytes, () => resolve()));
}
