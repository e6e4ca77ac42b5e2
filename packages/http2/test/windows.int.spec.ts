import { FLAG, grant, padded, type RawH2, SETTING, settings, TYPE } from '@tollgate/http2/testing';
import { describe, expect, it } from 'vitest';
import { answerOf, call, callFields, data, headers, message } from './calls.js';
import { answered, connectionError, goesOn, type Rule, streamError } from './outcomes.js';
import { testRules } from './rules.js';
import { CALL, useTestServer } from './test-server.js';

const MAX_WINDOW = 2 ** 31 - 1;
const held = callFields(CALL.hold);

const WINDOWS: readonly Rule[] = [
  [
    'WINDOW_UPDATE of nothing, of the connection',
    (c) => c.send(grant(0, 0)),
    connectionError('PROTOCOL_ERROR'),
  ],
  [
    'WINDOW_UPDATE of nothing, of a stream',
    (c) => c.send(headers(1), grant(1, 0)),
    streamError(1, 'PROTOCOL_ERROR'),
  ],
  [
    'a window of the connection beyond 2^31-1',
    (c) => c.send(grant(0, MAX_WINDOW)),
    connectionError('FLOW_CONTROL_ERROR'),
  ],
  [
    'a connection window beyond 2^31-1 in several steps',
    (c) => c.send(grant(0, 2 ** 30), grant(0, 2 ** 30)),
    connectionError('FLOW_CONTROL_ERROR'),
  ],
  [
    'a window of a stream beyond 2^31-1',
    (c) => c.send(headers(1), grant(1, MAX_WINDOW)),
    streamError(1, 'FLOW_CONTROL_ERROR'),
  ],
  [
    'a stream window beyond 2^31-1 after a settings change',
    (c) => c.send(headers(1), grant(1, MAX_WINDOW - 65_535), settings([SETTING.INITIAL_WINDOW_SIZE, 65_536])),
    connectionError('FLOW_CONTROL_ERROR'),
  ],
  [
    'windows as large as they may be are fine',
    (c) => c.send(headers(1), grant(1, MAX_WINDOW - 65_535), grant(0, MAX_WINDOW - 65_535), data(1)),
    answered(),
  ],
  [
    'the first bit of an increment means nothing',
    (c) => c.send(headers(1), grant(1, 0x8000_0001), data(1)),
    answered(),
  ],
];

testRules('windows', WINDOWS);

describe('send windows', () => {
  const h2 = useTestServer();
  const asked = message(Buffer.alloc(40_000, 'x'));

  /** A call whose message takes several frames. */
  const large = (stream: number, fields = callFields()) =>
    Buffer.concat([
      headers(stream, fields),
      data(stream, asked.subarray(0, 16_384), 0),
      data(stream, asked.subarray(16_384, 32_768), 0),
      data(stream, asked.subarray(32_768)),
    ]);
  const bytesOf = (connection: RawH2, stream: number) => connection.received.get(stream) ?? 0;

  async function expectWhole(connection: RawH2, stream: number) {
    const { fields, body } = await answerOf(connection, stream);
    expect(fields).toMatchObject({ outcome: 'ok' });
    expect(body.equals(asked)).toBe(true);
  }

  it('sends a whole response as the window of its stream is granted', async () => {
    const connection = await h2.connect([SETTING.INITIAL_WINDOW_SIZE, 0]);
    connection.send(large(1));
    await connection.until(() =>
      connection.frames.some(({ type, stream }) => type === TYPE.HEADERS && stream === 1),
    );
    await connection.settled();
    expect(bytesOf(connection, 1)).toBe(0);
    for (const [granted, sum] of [
      [1, 1],
      [6, 7],
      [20_000, 20_007],
    ] as const) {
      connection.send(grant(1, granted));
      await connection.until(() => bytesOf(connection, 1) === sum);
      await connection.settled();
      expect(bytesOf(connection, 1)).toBe(sum);
    }
    connection.send(grant(1, 100_000));
    await expectWhole(connection, 1);
    connection.close();
  });

  it('delays the last byte of a response and its status until the window opens', async () => {
    const connection = await h2.connect([SETTING.INITIAL_WINDOW_SIZE, asked.length - 1]);
    connection.send(large(1));
    await connection.until(() => bytesOf(connection, 1) === asked.length - 1);
    await connection.settled();
    expect(connection.frames.some(({ fields }) => fields?.some(([name]) => name === 'outcome'))).toBe(false);
    connection.send(grant(1, 1));
    await expectWhole(connection, 1);
    connection.close();
  });

  it('shares the connection window among responses and resumes when it is granted', async () => {
    const connection = await h2.connect();
    for (const stream of [1, 3, 5]) connection.send(large(stream));
    await connection.until(() => bytesOf(connection, 0) === 65_535);
    await connection.settled();
    expect(bytesOf(connection, 0)).toBe(65_535);
    // A response without DATA is not blocked by others that wait for a window.
    connection.send(call(7, callFields('/unknown')));
    expect((await answerOf(connection, 7)).fields).toMatchObject({ outcome: 'unknown' });
    connection.send(grant(0, 10_000));
    await connection.until(() => bytesOf(connection, 0) === 75_535);
    connection.send(grant(0, 1_000_000));
    for (const stream of [1, 3, 5]) await expectWhole(connection, stream);
    connection.close();
  });

  it('returns the window of a stream that is reset while its response waits', async () => {
    const connection = await h2.connect();
    for (const stream of [1, 3]) connection.send(large(stream));
    await connection.until(() => bytesOf(connection, 0) === 65_535);
    const [behind, ahead] = bytesOf(connection, 1) < asked.length ? [1, 3] : [3, 1];
    connection.send(Buffer.from([0, 0, 4, TYPE.RST_STREAM, 0, 0, 0, 0, behind, 0, 0, 0, 8]));
    connection.send(grant(0, 100_000));
    await expectWhole(connection, ahead);
    await goesOn(connection);
    connection.close();
  });

  it('applies a larger initial window to open streams', async () => {
    const connection = await h2.connect([SETTING.INITIAL_WINDOW_SIZE, 10]);
    connection.send(large(1));
    await connection.until(() => bytesOf(connection, 1) === 10);
    connection.send(settings([SETTING.INITIAL_WINDOW_SIZE, 30]));
    await connection.until(() => bytesOf(connection, 1) === 30);
    await connection.settled();
    expect(bytesOf(connection, 1)).toBe(30);
    connection.send(settings([SETTING.INITIAL_WINDOW_SIZE, 65_535]));
    await expectWhole(connection, 1);
    connection.close();
  });

  it('tracks a window that a change of settings makes negative', async () => {
    const connection = await h2.connect([SETTING.INITIAL_WINDOW_SIZE, 100]);
    connection.send(large(1));
    await connection.until(() => bytesOf(connection, 1) === 100);
    connection.send(settings([SETTING.INITIAL_WINDOW_SIZE, 40]), grant(1, 60));
    await connection.settled();
    expect(bytesOf(connection, 1)).toBe(100);
    connection.send(grant(1, 1));
    await connection.until(() => bytesOf(connection, 1) === 101);
    connection.send(settings([SETTING.INITIAL_WINDOW_SIZE, 50]));
    await connection.until(() => bytesOf(connection, 1) === 111);
    connection.send(grant(1, 100_000));
    await expectWhole(connection, 1);
    connection.close();
  });

  it('counts a grant before the response and before the end of the request', async () => {
    const connection = await h2.connect([SETTING.INITIAL_WINDOW_SIZE, 0]);
    connection.send(headers(1, held), grant(1, 7), data(1));
    await connection.settled();
    connection.send(grant(1, 3));
    await connection.settled();
    h2.release();
    expect((await answerOf(connection, 1)).body).toEqual(message());
    connection.close();
  });
});

describe('receive windows', () => {
  const h2 = useTestServer();
  /** The first bytes of a message of 60,000. */
  const cutOff = message(Buffer.alloc(60_000)).subarray(0, 16_384);
  const filling = data(1, padded(message(), 255), FLAG.PADDED);

  /** Bytes that may still be sent within the windows granted so far: on a stream, or on the connection (0). */
  function allowed(connection: RawH2, stream: number): number {
    return connection.frames
      .filter(({ type, stream: id }) => type === TYPE.WINDOW_UPDATE && id === stream)
      .reduce(
        (sum, { payload }) => sum + payload.readUInt32BE(0),
        stream === 0 ? 65_535 : connection.firstWindow,
      );
  }

  it('grants received bytes again, padding included, during a long call', async () => {
    const connection = await h2.connect();
    connection.send(grant(0, 2 ** 30), headers(1, callFields(CALL.each)));
    let sent = 0;
    while (sent < 4_000_000) {
      const batch = Array.from({ length: 100 }, () => filling);
      const bytes = batch.length * (filling.length - 9);
      await connection.until(() => Math.min(allowed(connection, 0), allowed(connection, 1)) - sent >= bytes);
      connection.send(...batch, grant(1, 100 * message().length));
      sent += bytes;
    }
    connection.close();
  });

  it('returns DATA of reset or rejected calls to the connection window', async () => {
    const connection = await h2.connect();
    let sent = 0;
    for (let stream = 1; sent < 4_000_000; stream += 2) {
      const isRefused = stream % 4 === 1;
      await connection.until(() => allowed(connection, 0) - sent >= 16_384);
      connection.send(headers(stream, isRefused ? callFields('/unknown') : callFields()));
      connection.send(data(stream, cutOff, 0));
      connection.send(
        Buffer.from([0, 0, 4, TYPE.RST_STREAM, 0, 0, 0, stream >>> 8, stream & 255, 0, 0, 0, 8]),
      );
      sent += 16_384;
    }
    await goesOn(connection);
    connection.close();
  });

  it('joins a large message from pieces of a few bytes', async () => {
    const connection = await h2.connect();
    const asked = message(Buffer.alloc(60_000, 'x'));
    connection.send(headers(1));
    const pieces = Array.from({ length: asked.length / 5 }, (_, i) =>
      data(1, asked.subarray(5 * i, 5 * i + 5), 0),
    );
    // Few enough at a time not to be taken for a nuisance.
    for (let at = 0; at < pieces.length; at += 1000) {
      connection.send(...pieces.slice(at, at + 1000));
      await connection.settled();
    }
    connection.send(data(1, Buffer.alloc(0)));
    expect((await answerOf(connection, 1)).body.equals(asked)).toBe(true);
    connection.close();
  });

  it('closes a client that sends far more than granted', async () => {
    const connection = await h2.connect();
    connection.send(headers(1));
    let sent = 0;
    const ends = new Set<number>([TYPE.GOAWAY, TYPE.RST_STREAM]);
    while (
      sent < 8_000_000 &&
      !connection.isClosed &&
      !connection.frames.some(({ type }) => ends.has(type))
    ) {
      connection.send(data(1, cutOff, 0));
      sent += 16_384;
      if (sent % (64 * 16_384) === 0) await new Promise(setImmediate);
    }
    const end = connection.frames.find(({ type }) => ends.has(type));
    // Without `end`, the call itself ended: reset or complete.
    if (end === undefined) await connection.settled();
    else expect([0, 3]).toContain(end.payload.readUInt32BE(end.type === TYPE.GOAWAY ? 4 : 0));
    connection.close();
  });
});
