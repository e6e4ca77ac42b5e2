import { block, FLAG, grant, indexed, literal, type RawH2, reset } from '@tollgate/http2/testing';
import { answerOf, call, callFields, data, headers, message } from './calls.js';
import {
  answered,
  anyError,
  connectionError,
  goesOn,
  ignoredOr,
  type Rule,
  streamError,
} from './outcomes.js';
import { testRules } from './rules.js';
import { CALL } from './test-server.js';

const { END_HEADERS, END_STREAM } = FLAG;
const held = callFields(CALL.hold);

/** A call that was refused before it was whole: its stream is over, and the client may not know it yet. */
async function refused(c: RawH2): Promise<void> {
  c.send(headers(1, callFields('/unknown')));
  await answerOf(c, 1);
}

const STATES: readonly Rule[] = [
  ['DATA of a stream that never began', (c) => c.send(data(1)), connectionError('PROTOCOL_ERROR')],
  ['RST_STREAM of a stream that never began', (c) => c.send(reset(1)), connectionError('PROTOCOL_ERROR')],
  [
    'WINDOW_UPDATE of a stream that never began',
    (c) => c.send(grant(1, 1)),
    connectionError('PROTOCOL_ERROR'),
  ],
  [
    "DATA of a stream that is the server's to begin",
    (c) => c.send(call(3), data(2)),
    connectionError('PROTOCOL_ERROR'),
  ],
  ['DATA of a later stream than any', (c) => c.send(call(3), data(5)), connectionError('PROTOCOL_ERROR')],
  [
    'DATA after the end of a call that is at work',
    (c) => c.send(call(1, held), data(1)),
    anyError(1, 'STREAM_CLOSED'),
  ],
  [
    'HEADERS after the end of a call that is at work',
    (c) => c.send(call(1, held), headers(1, [['x', 'y']], END_HEADERS | END_STREAM)),
    anyError(1, 'STREAM_CLOSED'),
  ],
  [
    'a call of a number that was passed over',
    (c) => c.send(call(5), call(3)),
    connectionError('PROTOCOL_ERROR', 'STREAM_CLOSED'),
  ],
  [
    'a call of a number that was used',
    async (c) => {
      c.send(call(1));
      await answerOf(c, 1);
      c.send(call(1));
    },
    anyError(1, 'STREAM_CLOSED', 'PROTOCOL_ERROR'),
  ],
  [
    'a call with the number of a reset call is an error or ignored',
    (c) => c.send(headers(1), reset(1), headers(1)),
    ignoredOr(anyError(1, 'STREAM_CLOSED', 'PROTOCOL_ERROR')),
  ],
  [
    'DATA after a reset of the client is an error or nothing',
    (c) => c.send(headers(1), reset(1), data(1)),
    ignoredOr(anyError(1, 'STREAM_CLOSED')),
  ],
  [
    'DATA after both sides have ended is an error',
    async (c) => {
      c.send(call(1));
      await answerOf(c, 1);
      c.send(data(1));
    },
    anyError(1, 'STREAM_CLOSED'),
  ],
  ['RST_STREAM after a reset is nothing', (c) => c.send(headers(1), reset(1), reset(1)), goesOn],
  ['WINDOW_UPDATE after a reset is nothing', (c) => c.send(headers(1), reset(1), grant(1, 5)), goesOn],
  [
    'RST_STREAM after an answer is nothing',
    async (c) => {
      c.send(call(1));
      await answerOf(c, 1);
      c.send(reset(1));
    },
    goesOn,
  ],
  [
    'WINDOW_UPDATE after an answer is nothing',
    async (c) => {
      c.send(call(1));
      await answerOf(c, 1);
      c.send(grant(1, 5));
    },
    goesOn,
  ],
  [
    'a call that is reset as it waits is not answered',
    async (c) => {
      c.send(call(1, held), reset(1));
    },
    goesOn,
  ],
  [
    'frames for a refused call are ignored',
    async (c) => {
      await refused(c);
      c.send(data(1, message(), 0), data(1));
    },
    goesOn,
  ],
  [
    'a reset of a call that was refused is nothing',
    async (c) => {
      await refused(c);
      c.send(reset(1));
    },
    goesOn,
  ],
  [
    'trailers of a call that was refused still fill the table of headers',
    async (c) => {
      await refused(c);
      c.send(headers(1, literal('x-timeout', '1S', 'kept'), END_HEADERS | END_STREAM));
      c.send(call(3, Buffer.concat([block(callFields()), indexed(62)])));
    },
    answered(3),
  ],
  [
    'headers of a call that the client reset still fill the table of headers',
    (c) =>
      c.send(
        headers(1, Buffer.concat([block(callFields()), literal('a', 'b', 'kept')])),
        reset(1),
        call(3, Buffer.concat([block(callFields()), indexed(62)])),
      ),
    answered(3),
  ],
  [
    'trailers end a call',
    (c) => c.send(headers(1), data(1, message(), 0), headers(1, [['x', 'y']], END_HEADERS | END_STREAM)),
    answered(),
  ],
  [
    'DATA of nothing may end a call',
    (c) => c.send(headers(1), data(1, message(), 0), data(1, Buffer.alloc(0))),
    answered(),
  ],
  [
    'DATA of nothing in the middle of a call is fine',
    (c) => c.send(headers(1), data(1, Buffer.alloc(0), 0), data(1)),
    answered(),
  ],
  [
    'trailers that do not end a call',
    (c) => c.send(headers(1), data(1, message(), 0), headers(1, [['x', 'y']], END_HEADERS)),
    streamError(1, 'PROTOCOL_ERROR'),
  ],
  [
    'calls between the pieces of others are answered',
    (c) =>
      c.send(
        headers(1),
        headers(3),
        data(1, message().subarray(0, 3), 0),
        data(3),
        data(1, message().subarray(3)),
      ),
    answered(),
  ],
];

testRules('states of streams', STATES);
