import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_LIMITS, type Http2Limits } from '../src/envoy/grpc/limits.js';
import { answerOf, call, callFields, data, headers, message } from './h2/calls.js';
import { block, indexed, literal } from './h2/hpack.js';
import { goesOn } from './h2/outcomes.js';
import {
  CODE,
  type CodeName,
  FLAG,
  frame,
  grant,
  PREFACE,
  ping,
  RawH2,
  reset,
  SETTING,
  type Setting,
  settings,
  TYPE,
} from './h2/raw-client.js';
import { CALL, TestServer, TOKEN } from './h2/test-server.js';

// The rows of the table in docs/adr/0080-grpc-over-node-http2.md, by the same names. Deadlines run on ticks that the tests advance.

const nothing = Buffer.alloc(0);
const MAX_TICKS = 400;

let h2: TestServer;
const opened: RawH2[] = [];

async function start(limits: Partial<Http2Limits> = {}): Promise<void> {
  h2 = new TestServer({ limits });
  await h2.start();
}

async function open(...values: readonly Setting[]): Promise<RawH2> {
  const connection = await h2.connect(...values);
  opened.push(connection);
  return connection;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
});
afterEach(async () => {
  for (const connection of opened.splice(0)) connection.close();
  vi.useRealTimers();
  await h2.stop(0);
});

/** Advances the server's clock by `seconds`, and waits for the frames that it sends then. */
async function pass(seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    vi.advanceTimersByTime(1000);
    for (let turns = 0; turns < 5; turns++) await turn();
  }
}

/** Expects a response to another caller on a new connection. */
async function expectOthersServed(): Promise<void> {
  const other = await open();
  await goesOn(other);
  other.close();
}

/** The code of the last GOAWAY; undefined: the connection was closed without one that arrived. */
function goawayOf(connection: RawH2): CodeName | undefined {
  const last = connection.frames.filter(({ type }) => type === TYPE.GOAWAY).at(-1);
  const code = last?.payload.readUInt32BE(4);
  return Object.entries(CODE).find(([, one]) => one === code)?.[0] as CodeName | undefined;
}

/** Fields of a call, added to the table by the first call, so that later calls take few bytes. */
const keeping = Buffer.concat(callFields(CALL.each).map(([name, value]) => literal(name, value, 'kept')));
const kept = Buffer.concat(callFields().map((_, i) => indexed(62 + callFields().length - 1 - i)));
const begun = headers(1, keeping);
const beyondLength = block([...callFields(), ['content-length', '5']]);
const emptyName = Buffer.concat([kept, literal('', '')]);
const rejected = block(callFields(CALL.refuse));
const costly = Buffer.concat([block(callFields()), Buffer.alloc(12_000, indexed(2))]);
const id = (i: number) => 3 + 2 * i;

interface Flood {
  /** As in the table. */
  readonly name: string;
  readonly first?: Buffer;
  /** Sent again and again; `i` from 0. */
  readonly next: (i: number) => Buffer;
  /** Code of the GOAWAY. */
  readonly code: CodeName;
}

const FLOODS: readonly Flood[] = [
  {
    name: 'CVE-2019-9511 data dribble: WINDOW_UPDATE by one byte on a stream',
    code: 'ENHANCE_YOUR_CALM',
    first: Buffer.concat([
      settings([SETTING.INITIAL_WINDOW_SIZE, 0]),
      headers(1, callFields(CALL.much)),
      data(1, message('x'), 0),
    ]),
    next: () => grant(1, 1),
  },
  { name: 'CVE-2019-9512 PING flood', code: 'INTERNAL_ERROR', next: () => ping() },
  {
    name: 'CVE-2019-9513 PRIORITY flood',
    code: 'ENHANCE_YOUR_CALM',
    first: begun,
    next: () => frame(TYPE.PRIORITY, 0, 1, Buffer.alloc(5)),
  },
  {
    name: 'CVE-2019-9514 reset flood by malformed requests',
    code: 'PROTOCOL_ERROR',
    first: begun,
    next: (i) => headers(id(i), Buffer.concat([kept, literal('Bad', 'x')])),
  },
  { name: 'CVE-2019-9515 SETTINGS flood', code: 'INTERNAL_ERROR', next: () => settings() },
  {
    name: 'CVE-2019-9516 header names of length 0',
    code: 'PROTOCOL_ERROR',
    first: begun,
    next: (i) => headers(id(i), emptyName),
  },
  {
    name: 'CVE-2019-9518 empty DATA',
    code: 'INTERNAL_ERROR',
    first: begun,
    next: () => data(1, nothing, 0),
  },
  {
    name: 'CVE-2019-9518 DATA of padding only',
    code: 'ENHANCE_YOUR_CALM',
    first: begun,
    next: () => data(1, Buffer.from([0]), FLAG.PADDED),
  },
  {
    name: 'CVE-2023-44487 rapid reset',
    code: 'INTERNAL_ERROR',
    first: begun,
    next: (i) => Buffer.concat([headers(id(i), kept), reset(id(i))]),
  },
  {
    name: 'CVE-2025-8671 reset provoked by WINDOW_UPDATE 0',
    code: 'PROTOCOL_ERROR',
    first: begun,
    next: (i) => Buffer.concat([headers(id(i), kept), grant(id(i), 0)]),
  },
  {
    name: 'CVE-2025-8671 reset provoked by a window above 2^31-1',
    code: 'FLOW_CONTROL_ERROR',
    first: begun,
    next: (i) => Buffer.concat([headers(id(i), kept), grant(id(i), 2 ** 31 - 1)]),
  },
  {
    name: 'CVE-2025-8671 reset provoked by DATA beyond content-length',
    code: 'PROTOCOL_ERROR',
    next: (i) => Buffer.concat([headers(id(i), beyondLength), data(id(i), message('sixsix'), 0)]),
  },
  {
    name: 'WINDOW_UPDATE flood on the connection',
    code: 'ENHANCE_YOUR_CALM',
    next: () => grant(0, 1),
  },
  {
    name: 'WINDOW_UPDATE flood on a stream',
    code: 'ENHANCE_YOUR_CALM',
    first: begun,
    next: () => grant(1, 1),
  },
  {
    name: 'HPACK cost of streams that are reset',
    code: 'ENHANCE_YOUR_CALM',
    next: (i) => Buffer.concat([headers(id(i), costly), reset(id(i))]),
  },
  {
    name: 'HEADERS of a reset stream',
    code: 'ENHANCE_YOUR_CALM',
    first: Buffer.concat([begun, reset(1)]),
    next: () => headers(1, Buffer.alloc(4000, indexed(2)), FLAG.END_HEADERS | FLAG.END_STREAM),
  },
  {
    name: 'DATA of a reset stream',
    code: 'ENHANCE_YOUR_CALM',
    first: Buffer.concat([begun, reset(1)]),
    next: () => data(1, message('x'), 0),
  },
  {
    name: 'RST_STREAM of a reset stream',
    code: 'INTERNAL_ERROR',
    first: Buffer.concat([begun, reset(1)]),
    next: () => reset(1),
  },
  {
    name: 'early responses: 405 before the body',
    code: 'PROTOCOL_ERROR',
    next: (i) => headers(id(i), [[':method', 'PUT'], ...callFields().slice(1)]),
  },
  {
    name: 'early responses: rejected credentials',
    code: 'PROTOCOL_ERROR',
    next: (i) => headers(id(i), rejected),
  },
  { name: 'GOAWAY flood', code: 'NO_ERROR', next: () => frame(TYPE.GOAWAY, 0, 0, Buffer.alloc(8)) },
  { name: 'unknown frames', code: 'ENHANCE_YOUR_CALM', next: () => frame(99, 0, 0) },
];

describe('floods', () => {
  const FRAMES = 40_000;
  const BATCH = 1000;

  it.each(FLOODS)(
    '$name: GOAWAY $code and closed within 40,000 frames',
    async ({ first = nothing, next, code }) => {
      await start();
      const connection = await open();
      connection.send(first);
      for (let i = 0; i < FRAMES && !connection.isClosed; i += BATCH) {
        connection.send(...Array.from({ length: BATCH }, (_, k) => next(i + k)));
        await Promise.race([drained(connection), connection.closed()]);
        await pass(i % (10 * BATCH) === 0 ? 1 : 0);
      }
      await pass(1);
      await connection.closed();
      expect(goawayOf(connection)).toBe(code);
      await expectOthersServed();
    },
  );
});

describe('a connection that leaves', () => {
  it.each([
    ['the server', async () => void h2.server.close(60_000)],
    ['the peer', async (connection: RawH2) => connection.send(frame(TYPE.GOAWAY, 0, 0, Buffer.alloc(8)))],
  ])('after GOAWAY of %s, is closed at the next tick if frames go on', async (_, leave) => {
    await start();
    const accepted = once(h2.server.server, 'connection');
    const connection = await open();
    const [socket] = (await accepted) as [Socket];
    connection.send(call(1, callFields(CALL.hold)));
    await connection.settled();
    await leave(connection);
    const before = socket.bytesRead;
    connection.send(...Array.from({ length: 2000 }, () => frame(99, 0, 0)));
    while (socket.bytesRead < before + 2000 * 9) await turn();
    vi.advanceTimersByTime(100);
    await connection.closed();
    expect(socket.destroyed).toBe(true);
  });
});

describe('peers that hold state open', () => {
  it('window-0 hold: 1,000 answered calls on 10 connections are closed with their connections, while others are served', async () => {
    await start();
    const held: RawH2[] = [];
    for (let c = 0; c < 10; c++) {
      const connection = await open([SETTING.INITIAL_WINDOW_SIZE, 0]);
      for (let i = 0; i < 100; i++) connection.send(call(1 + 2 * i));
      await answerStarted(connection, 199);
      held.push(connection);
    }
    await expectOthersServed();
    for (let s = 0; s < DEFAULT_LIMITS.responseMs / 1000; s++) {
      for (const connection of held) connection.send(grant(1 + 2 * s, 1));
      await pass(1);
      expect(held.every(({ isClosed }) => !isClosed)).toBe(true);
    }
    await pass(2);
    await Promise.all(held.map((connection) => connection.closed()));
    expect(h2.open.size).toBe(0);
    await expectOthersServed();
  });

  it('backlog hold: above the process-wide limit the connection with the largest backlog is closed, the others remain open', async () => {
    await start({ backlogBytes: 1_000_000, connectionBacklogBytes: 700_000 });
    const small = await open([SETTING.INITIAL_WINDOW_SIZE, 0]);
    small.send(call(1, callFields(CALL.much), message('xxxx')));
    await answerStarted(small, 1);
    const large = await open([SETTING.INITIAL_WINDOW_SIZE, 0]);
    large.send(call(1, callFields(CALL.much), message('x'.repeat(10))));
    await answerStarted(large, 1);
    expect(large.isClosed).toBe(false);
    const third = await open([SETTING.INITIAL_WINDOW_SIZE, 0]);
    third.send(call(1, callFields(CALL.much), message('xxxx')));
    await large.closed();
    await Promise.all([goesOnWithWindow(small), goesOnWithWindow(third)]);
  });

  it('backlog hold: the stream that exceeds the limit of its connection is reset with ENHANCE_YOUR_CALM', async () => {
    await start();
    const connection = await open([SETTING.INITIAL_WINDOW_SIZE, 0]);
    connection.send(call(1, callFields(CALL.much), message('x'.repeat(20))));
    expect(await answerOf(connection, 1)).toMatchObject({ resetBy: CODE.ENHANCE_YOUR_CALM });
    await goesOnWithWindow(connection);
  });

  it('CVE-2019-9517 windows open, TCP not read: the connection is closed after responseMs', async () => {
    await start({ connectionBacklogBytes: 2 ** 26 });
    const accepted = once(h2.server.server, 'connection');
    const connection = await open([SETTING.INITIAL_WINDOW_SIZE, 2 ** 31 - 1]);
    const [socket] = (await accepted) as [Socket];
    connection.send(grant(0, 2 ** 30));
    await connection.settled();
    connection.socket.pause();
    connection.send(call(1, callFields(CALL.much), message('x'.repeat(500))));
    while (socket.bytesRead <= 500) await turn();
    await pass(DEFAULT_LIMITS.responseMs / 1000);
    expect(socket.destroyed).toBe(false);
    await pass(2);
    expect(socket.destroyed).toBe(true);
    expect(h2.open.size).toBe(0);
    await expectOthersServed();
  });

  it.each([
    ['the preface', nothing, Buffer.concat([PREFACE, settings()])],
    ['SETTINGS', PREFACE, settings([1, 1], [2, 0], [3, 3], [4, 4])],
  ])('%s byte by byte: closed after handshakeMs, despite progress', async (_, first, slowly) => {
    await start();
    const connection = await RawH2.connect(h2.port);
    opened.push(connection);
    connection.send(first);
    for (let s = 0; s < DEFAULT_LIMITS.handshakeMs / 1000; s++) {
      connection.send(slowly.subarray(s, s + 1));
      await pass(1);
      expect(connection.isClosed).toBe(false);
    }
    await pass(1);
    await connection.closed();
  });

  it('a body byte by byte: the application ends it after bodyMs, despite progress', async () => {
    await start();
    const connection = await open();
    connection.send(headers(1));
    for (let s = 0; s < DEFAULT_LIMITS.bodyMs / 1000 + 1; s++) {
      connection.send(data(1, message('x'), 0));
      await connection.settled();
      expect(h2.open.size).toBe(1);
      await pass(1);
    }
    expect((await answerOf(connection, 1)).fields).toMatchObject({ outcome: 'late' });
    await goesOn(connection);
  });

  it('a connection without requests: closed with NO_ERROR after idleMs, despite PINGs', async () => {
    await start({ idleMs: 20_000 });
    const connection = await open();
    await goesOn(connection);
    for (let s = 0; s < 20; s++) {
      await connection.settled();
      await pass(1);
    }
    for (let s = 0; s < MAX_TICKS && !connection.isClosed; s++) await pass(1);
    await connection.closed();
    expect(goawayOf(connection)).toBe('NO_ERROR');
  });

  it('connections in total: a new one replaces the oldest unauthenticated one', async () => {
    await start({ maxConnections: 3 });
    const caller = await authenticated();
    const silent = [await RawH2.connect(h2.port), await RawH2.connect(h2.port)];
    opened.push(...silent);
    await expectOthersServed();
    await silent[0]?.closed();
    expect(silent[1]?.isClosed).toBe(false);
    await goesOn(caller);
  });

  it('connections in total: refused when all are authenticated', async () => {
    await start({ maxConnections: 2 });
    const callers = [await authenticated(), await authenticated()];
    const refused = await RawH2.connect(h2.port);
    await refused.closed();
    for (const caller of callers) await goesOn(caller);
  });

  it('connections of one address: a new one replaces the oldest unauthenticated one of that address', async () => {
    await start({ maxConnectionsPerAddress: 2 });
    const caller = await authenticated();
    const silent = await RawH2.connect(h2.port);
    await expectOthersServed();
    await silent.closed();
    await goesOn(caller);
  });

  it('streams: 100 at once, authenticated or not', async () => {
    await start();
    const connection = await authenticated();
    expect(connection.maxStreams).toBe(100);
    for (let i = 0; i < 100; i++) connection.send(call(3 + 2 * i, callFields(CALL.hold)));
    await connection.settled();
    expect(h2.waiting).toBe(100);
    connection.send(call(203));
    // nghttp2 ends the connection of a client that exceeds the limit it has acknowledged.
    await connection.closed();
    expect(goawayOf(connection)).toBe('PROTOCOL_ERROR');
  });
});

async function authenticated(): Promise<RawH2> {
  const connection = await open();
  connection.send(call(1, callFields(CALL.echo, [['authorization', TOKEN]])));
  await answerOf(connection, 1);
  return connection;
}

/** The head of a response has arrived. */
async function answerStarted(connection: RawH2, stream: number): Promise<void> {
  await connection.until(() =>
    connection.frames.some(({ type, stream: id }) => type === TYPE.HEADERS && id === stream),
  );
}

/** As `goesOn`, for a connection that opened no window. */
async function goesOnWithWindow(connection: RawH2): Promise<void> {
  connection.send(settings([SETTING.INITIAL_WINDOW_SIZE, 2 ** 30]), grant(0, 2 ** 30));
  await goesOn(connection);
}

/** All that was sent is handed to the system. */
function drained(connection: RawH2): Promise<void> {
  return new Promise((resolve) => connection.socket.write(nothing, () => resolve()));
}
