import {
  block,
  FLAG,
  frame,
  PREFACE,
  padded,
  ping,
  RawH2,
  reset,
  settings,
  TYPE,
} from '@tollgate/http2/testing';
import { describe, expect, it } from 'vitest';
import { answerOf, call, callFields, data, headers, message } from './calls.js';
import { answered, anyError, closed, connectionError, ignoredOr, type Rule } from './outcomes.js';
import { testRules } from './rules.js';
import { useTestServer } from './test-server.js';

const { ACK, END_HEADERS, END_STREAM, PADDED, PRIORITY } = FLAG;
const bytes = (count: number) => Buffer.alloc(count);

describe('the preface of a connection', () => {
  const h2 = useTestServer();

  it.each<Rule>([
    [
      'invalid bytes close the connection',
      (c) => c.send(Buffer.from('PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n')),
      closed,
    ],
    ['HTTP/1.1 ends it', (c) => c.send(Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')), closed],
    ['TLS ends it', (c) => c.send(Buffer.from('160301020001', 'hex'), bytes(512)), closed],
    ['half of it ends with its connection', (c) => void c.socket.end(PREFACE.subarray(0, 12)), closed],
    ['nothing at all ends with its connection', (c) => void c.socket.end(), closed],
    ['PING before SETTINGS', (c) => c.send(PREFACE, ping()), connectionError('PROTOCOL_ERROR')],
    ['a call before SETTINGS', (c) => c.send(PREFACE, call(1)), connectionError('PROTOCOL_ERROR')],
    [
      'an acknowledgement first',
      (c) => c.send(PREFACE, frame(TYPE.SETTINGS, ACK, 0)),
      connectionError('PROTOCOL_ERROR'),
    ],
    [
      'a frame too large first',
      (c) => c.send(PREFACE, Buffer.from('ffffff040000000000', 'hex')),
      connectionError('FRAME_SIZE_ERROR'),
    ],
    [
      "a call sent before the server's first frame is answered",
      (c) => c.send(PREFACE, settings(), call(1)),
      answered(),
    ],
    [
      'a call sent byte by byte, including the preface, is answered',
      async (c) => {
        for (const byte of Buffer.concat([PREFACE, settings(), call(1)])) {
          await new Promise<void>((resolve) => c.socket.write(Buffer.from([byte]), () => resolve()));
        }
      },
      answered(),
    ],
  ])('%s', async (_, send, outcome) => {
    const connection = await RawH2.connect(h2.port);
    await send(connection);
    await outcome(connection);
    connection.close();
  });
});

const SIZES: readonly Rule[] = [
  [
    'DATA larger than agreed',
    (c) => c.send(headers(1), data(1, bytes(16_385))),
    anyError(1, 'FRAME_SIZE_ERROR'),
  ],
  [
    'HEADERS larger than agreed',
    (c) => c.send(headers(1, bytes(16_385))),
    connectionError('FRAME_SIZE_ERROR'),
  ],
  [
    'an unknown frame larger than agreed',
    (c) => c.send(frame(99, 0, 0, bytes(16_385))),
    connectionError('FRAME_SIZE_ERROR'),
  ],
  [
    'SETTINGS larger than agreed',
    (c) => c.send(frame(TYPE.SETTINGS, 0, 0, bytes(16_386))),
    connectionError('FRAME_SIZE_ERROR'),
  ],
  [
    'the largest frame that is agreed is fine',
    (c) => c.send(call(1, callFields(), message(bytes(16_384)))),
    answered(1, message(bytes(16_384))),
  ],
  ['PING of 7 bytes', (c) => c.send(frame(TYPE.PING, 0, 0, bytes(7))), connectionError('FRAME_SIZE_ERROR')],
  ['PING of 9 bytes', (c) => c.send(frame(TYPE.PING, 0, 0, bytes(9))), connectionError('FRAME_SIZE_ERROR')],
  [
    'SETTINGS of 5 bytes',
    (c) => c.send(frame(TYPE.SETTINGS, 0, 0, bytes(5))),
    connectionError('FRAME_SIZE_ERROR'),
  ],
  [
    'an acknowledgement of SETTINGS with a payload',
    (c) => c.send(frame(TYPE.SETTINGS, ACK, 0, bytes(6))),
    connectionError('FRAME_SIZE_ERROR'),
  ],
  [
    'WINDOW_UPDATE of 3 bytes',
    (c) => c.send(frame(TYPE.WINDOW_UPDATE, 0, 0, bytes(3))),
    connectionError('FRAME_SIZE_ERROR'),
  ],
  [
    'WINDOW_UPDATE of 5 bytes on a stream',
    (c) => c.send(headers(1), frame(TYPE.WINDOW_UPDATE, 0, 1, bytes(5))),
    connectionError('FRAME_SIZE_ERROR'),
  ],
  [
    'RST_STREAM of 3 bytes',
    (c) => c.send(headers(1), frame(TYPE.RST_STREAM, 0, 1, bytes(3))),
    connectionError('FRAME_SIZE_ERROR'),
  ],
  [
    'RST_STREAM of 5 bytes',
    (c) => c.send(headers(1), frame(TYPE.RST_STREAM, 0, 1, bytes(5))),
    connectionError('FRAME_SIZE_ERROR'),
  ],
  [
    'PRIORITY of 4 bytes',
    (c) => c.send(headers(1), frame(TYPE.PRIORITY, 0, 1, bytes(4))),
    anyError(1, 'FRAME_SIZE_ERROR'),
  ],
  [
    'GOAWAY of 7 bytes',
    (c) => c.send(frame(TYPE.GOAWAY, 0, 0, bytes(7))),
    connectionError('FRAME_SIZE_ERROR'),
  ],
  [
    'HEADERS too short for the priority in it',
    (c) => c.send(frame(TYPE.HEADERS, END_HEADERS | PRIORITY, 1, bytes(4))),
    connectionError('FRAME_SIZE_ERROR', 'PROTOCOL_ERROR'),
  ],
  [
    'padded DATA too short for its padding',
    (c) => c.send(headers(1), frame(TYPE.DATA, PADDED, 1)),
    connectionError('FRAME_SIZE_ERROR', 'PROTOCOL_ERROR'),
  ],
  [
    'padded HEADERS too short for their padding',
    (c) => c.send(frame(TYPE.HEADERS, END_HEADERS | PADDED, 1)),
    connectionError('FRAME_SIZE_ERROR', 'PROTOCOL_ERROR'),
  ],
];

const NUMBERS: readonly Rule[] = [
  ['a call of an even number', (c) => c.send(call(2)), connectionError('PROTOCOL_ERROR')],
  ['DATA of no stream', (c) => c.send(data(0)), connectionError('PROTOCOL_ERROR')],
  ['HEADERS of no stream', (c) => c.send(headers(0)), connectionError('PROTOCOL_ERROR')],
  [
    'PRIORITY of no stream',
    (c) => c.send(frame(TYPE.PRIORITY, 0, 0, bytes(5))),
    connectionError('PROTOCOL_ERROR'),
  ],
  ['RST_STREAM of no stream', (c) => c.send(reset(0)), connectionError('PROTOCOL_ERROR')],
  [
    'CONTINUATION of no stream',
    (c) => c.send(frame(TYPE.CONTINUATION, END_HEADERS, 0)),
    connectionError('PROTOCOL_ERROR'),
  ],
  [
    'SETTINGS of a stream',
    (c) => c.send(headers(1), frame(TYPE.SETTINGS, 0, 1)),
    connectionError('PROTOCOL_ERROR'),
  ],
  [
    'PING of a stream',
    (c) => c.send(headers(1), frame(TYPE.PING, 0, 1, bytes(8))),
    connectionError('PROTOCOL_ERROR'),
  ],
  [
    'GOAWAY of a stream',
    (c) => c.send(headers(1), frame(TYPE.GOAWAY, 0, 1, bytes(8))),
    connectionError('PROTOCOL_ERROR'),
  ],
  [
    'PUSH_PROMISE of a client',
    (c) => c.send(headers(1), frame(TYPE.PUSH_PROMISE, END_HEADERS, 1, Buffer.from([0, 0, 0, 2]))),
    connectionError('PROTOCOL_ERROR'),
  ],
  [
    'the first bit of a number means nothing',
    (c) => c.send(frame(TYPE.HEADERS, END_HEADERS, 0x8000_0001, block(callFields())), data(1)),
    answered(),
  ],
];

const PADDING: readonly Rule[] = [
  [
    'HEADERS and DATA may be padded',
    (c) =>
      c.send(
        headers(1, padded(block(callFields()), 200), END_HEADERS | PADDED),
        data(1, padded(message(), 255), END_STREAM | PADDED),
      ),
    answered(),
  ],
  [
    'padding may have no bytes',
    (c) =>
      c.send(
        headers(1, padded(block(callFields()), 0), END_HEADERS | PADDED),
        data(1, padded(message(), 0), END_STREAM | PADDED),
      ),
    answered(),
  ],
  [
    'DATA may be nothing but padding',
    (c) => c.send(headers(1), data(1, padded(bytes(0), 9), PADDED), data(1)),
    answered(),
  ],
  [
    'DATA with more padding than payload',
    (c) => c.send(headers(1), frame(TYPE.DATA, PADDED, 1, Buffer.from([2, 0]))),
    connectionError('PROTOCOL_ERROR'),
  ],
  [
    'HEADERS with more padding than payload',
    (c) => c.send(frame(TYPE.HEADERS, END_HEADERS | PADDED, 1, Buffer.from([2, 0x83]))),
    connectionError('PROTOCOL_ERROR'),
  ],
  [
    'padding of the whole payload, including the length byte',
    (c) => c.send(headers(1), frame(TYPE.DATA, PADDED, 1, Buffer.from([3, 0, 0]))),
    connectionError('PROTOCOL_ERROR'),
  ],
];

/** Below the whole connection, with a weight. */
const FIRST = Buffer.from([0, 0, 0, 0, 15]);
/** Below stream 1. */
const BELOW_ONE = Buffer.from([0, 0, 0, 1, 15]);
const PRIORITIES: readonly Rule[] = [
  [
    'PRIORITY of a stream that never opens is nothing',
    (c) => c.send(frame(TYPE.PRIORITY, 0, 99, FIRST), call(1)),
    answered(),
  ],
  [
    'PRIORITY of a stream that is over is nothing',
    async (c) => {
      c.send(call(1));
      await answerOf(c, 1);
      c.send(frame(TYPE.PRIORITY, 0, 1, FIRST), call(3));
    },
    answered(3),
  ],
  [
    'a stream that depends on itself is ignored or an error',
    (c) => c.send(headers(1), frame(TYPE.PRIORITY, 0, 1, BELOW_ONE)),
    ignoredOr(anyError(1, 'PROTOCOL_ERROR')),
  ],
  [
    'PRIORITY in the middle of a call is nothing',
    (c) => c.send(headers(1), frame(TYPE.PRIORITY, 0, 1, FIRST), data(1)),
    answered(),
  ],
  [
    'HEADERS may bring a priority',
    (c) => c.send(headers(1, Buffer.concat([FIRST, block(callFields())]), END_HEADERS | PRIORITY), data(1)),
    answered(),
  ],
  [
    'HEADERS may bring a priority and padding',
    (c) =>
      c.send(
        headers(1, padded(Buffer.concat([FIRST, block(callFields())]), 7), END_HEADERS | PRIORITY | PADDED),
        data(1),
      ),
    answered(),
  ],
  [
    'PRIORITY of 4 bytes ends its call, if not the connection: nothing is answered behind the reset',
    async (c) => {
      c.send(headers(1), frame(TYPE.PRIORITY, 0, 1, bytes(4)), data(1));
      await c.settled().catch(() => undefined);
      const reset = c.frames.findIndex(({ type }) => type === TYPE.RST_STREAM);
      expect(c.frames.slice(reset + 1).filter(({ stream }) => stream === 1)).toEqual([]);
    },
    anyError(1, 'FRAME_SIZE_ERROR'),
  ],
  [
    'PRIORITY of 4 bytes, of a stream that never began',
    (c) => c.send(frame(TYPE.PRIORITY, 0, 1, bytes(4))),
    connectionError('FRAME_SIZE_ERROR'),
  ],
];

testRules('sizes of frames', SIZES);
testRules('numbers of streams', NUMBERS);
testRules('padding', PADDING);
testRules('priority', PRIORITIES);
