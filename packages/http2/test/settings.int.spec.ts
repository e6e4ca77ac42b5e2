import { FLAG, frame, grant, PREFACE, ping, RawH2, SETTING, settings, TYPE } from '@tollgate/http2/testing';
import { describe, expect, it } from 'vitest';
import { answerOf, call, callFields, data, headers, message } from './calls.js';
import { answered, connectionError, type Rule } from './outcomes.js';
import { testRules } from './rules.js';
import { useTestServer } from './test-server.js';

const { ACK, END_HEADERS, END_STREAM } = FLAG;
const bytes = (count: number) => Buffer.alloc(count);

const SETTINGS: readonly Rule[] = [
  ['ENABLE_PUSH of 2', (c) => c.send(settings([SETTING.ENABLE_PUSH, 2])), connectionError('PROTOCOL_ERROR')],
  [
    'INITIAL_WINDOW_SIZE of 2^31',
    (c) => c.send(settings([SETTING.INITIAL_WINDOW_SIZE, 2 ** 31])),
    connectionError('FLOW_CONTROL_ERROR'),
  ],
  [
    'MAX_FRAME_SIZE of 16,383',
    (c) => c.send(settings([SETTING.MAX_FRAME_SIZE, 16_383])),
    connectionError('PROTOCOL_ERROR'),
  ],
  [
    'MAX_FRAME_SIZE of 2^24',
    (c) => c.send(settings([SETTING.MAX_FRAME_SIZE, 2 ** 24])),
    connectionError('PROTOCOL_ERROR'),
  ],
  [
    'one bad value behind good ones',
    (c) => c.send(settings([SETTING.MAX_CONCURRENT_STREAMS, 5], [SETTING.ENABLE_PUSH, 3])),
    connectionError('PROTOCOL_ERROR'),
  ],
  [
    'unknown settings are nothing',
    (c) => c.send(settings([99, 1], [0xffff, 0xffff_ffff], [0, 7]), call(1)),
    answered(),
  ],
  [
    'the largest values are fine',
    (c) =>
      c.send(
        settings(
          [SETTING.HEADER_TABLE_SIZE, 0xffff_ffff],
          [SETTING.ENABLE_PUSH, 1],
          [SETTING.MAX_CONCURRENT_STREAMS, 0xffff_ffff],
          [SETTING.INITIAL_WINDOW_SIZE, 2 ** 31 - 1],
          [SETTING.MAX_FRAME_SIZE, 2 ** 24 - 1],
          [6, 0xffff_ffff],
        ),
        call(1),
      ),
    answered(),
  ],
  [
    'the last value of a repeated setting applies',
    (c) => c.send(settings([SETTING.INITIAL_WINDOW_SIZE, 0], [SETTING.INITIAL_WINDOW_SIZE, 1000]), call(1)),
    answered(),
  ],
];

const OTHERS: readonly Rule[] = [
  [
    'unknown frames are nothing',
    (c) =>
      c.send(
        frame(99, 255, 0, bytes(10)),
        frame(100, 255, 99, bytes(10)),
        headers(1),
        frame(101, 255, 1, bytes(9)),
        data(1),
      ),
    answered(),
  ],
  [
    'unknown flags are nothing',
    (c) =>
      c.send(
        frame(TYPE.PING, 0xfe, 0, bytes(8)),
        headers(1, callFields(), END_HEADERS | 0xd2),
        data(1, message(), END_STREAM | 0xf6),
      ),
    answered(),
  ],
  [
    'an acknowledgement of a PING that there was not is nothing',
    (c) => c.send(ping('whatever', ACK), call(1)),
    answered(),
  ],
  [
    'GOAWAY of a client leaves its calls be',
    (c) =>
      c.send(headers(1), frame(TYPE.GOAWAY, 0, 0, Buffer.concat([bytes(8), Buffer.from('bye')])), data(1)),
    answered(),
  ],
  ['WINDOW_UPDATE of the connection is fine', (c) => c.send(grant(0, 1), call(1)), answered()],
];

testRules('settings', SETTINGS);
testRules('other frames', OTHERS);

describe("the server's settings", () => {
  const h2 = useTestServer();

  it('the first frame is SETTINGS without push and with the maximum number of concurrent calls', async () => {
    const connection = await RawH2.connect(h2.port);
    connection.send(PREFACE, settings());
    await connection.until(() => connection.frames.length > 0);
    const { type, flags, stream, payload } = connection.frames[0] as (typeof connection.frames)[0];
    expect({ type, flags, stream }).toEqual({ type: TYPE.SETTINGS, flags: 0, stream: 0 });
    const said = new Map<number, number>();
    for (let at = 0; at < payload.length; at += 6)
      said.set(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    expect(said.get(SETTING.ENABLE_PUSH) ?? 0).toBe(0);
    expect(said.get(SETTING.MAX_CONCURRENT_STREAMS)).toBe(100);
    connection.close();
  });

  it('acknowledges SETTINGS and PING in the order received', async () => {
    const connection = await h2.connect();
    const sent = Array.from({ length: 20 }, (_, i) => `number${String(i).padStart(2, '0')}`);
    connection.send(...sent.map((payload) => Buffer.concat([settings(), ping(payload)])));
    await connection.settled();
    const acknowledged = connection.frames
      .filter(({ flags, type }) => flags === ACK && (type === TYPE.SETTINGS || type === TYPE.PING))
      .map(({ type, payload }) => (type === TYPE.SETTINGS ? 'settings' : payload.toString()));
    expect(acknowledged).toEqual(sent.flatMap((payload) => ['settings', payload]));
    connection.close();
  });

  it.each([0, 100, 4095, 4096, 65_536])(
    'a client with a header table of %i bytes decodes every response',
    async (size) => {
      const connection = await h2.connect([SETTING.HEADER_TABLE_SIZE, size]);
      for (const stream of [1, 3, 5]) {
        connection.send(call(stream));
        expect((await answerOf(connection, stream)).fields).toMatchObject({ outcome: 'ok' });
      }
      connection.close();
    },
  );

  it('sends no frame above the maximum of the client', async () => {
    const connection = await h2.connect();
    const asked = message(bytes(60_000));
    connection.send(
      headers(1),
      ...[0, 1, 2].map((i) => data(1, asked.subarray(i * 16_384, (i + 1) * 16_384), 0)),
    );
    connection.send(data(1, asked.subarray(3 * 16_384)));
    await connection.until(() =>
      connection.frames.some(({ stream, flags }) => stream === 1 && flags & END_STREAM),
    );
    const sizes = connection.frames.map(({ payload }) => payload.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(16_384);
    expect((await answerOf(connection, 1)).body.equals(asked)).toBe(true);
    connection.close();
  });
});
