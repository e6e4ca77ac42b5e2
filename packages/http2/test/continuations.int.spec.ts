import { block, FLAG, frame, ping, reset, settings, TYPE } from '@tollgate/http2/testing';
import { callFields, data, headers, message } from './calls.js';
import { answered, connectionError, type Rule } from './outcomes.js';
import { testRules } from './rules.js';

const { END_HEADERS, END_STREAM } = FLAG;

const whole = block(callFields());
const begin = (bytes: Buffer, flags = 0) => frame(TYPE.HEADERS, flags, 1, bytes);
const more = (bytes: Buffer, flags = 0, stream = 1) => frame(TYPE.CONTINUATION, flags, stream, bytes);
const none = Buffer.alloc(0);

const CONTINUATIONS: readonly Rule[] = [
  [
    'a header block in two pieces',
    (c) => c.send(begin(whole.subarray(0, 20)), more(whole.subarray(20), END_HEADERS), data(1)),
    answered(),
  ],
  [
    'a header block byte by byte',
    (c) =>
      c.send(
        begin(none),
        ...[...whole].map((byte) => more(Buffer.from([byte]))),
        more(none, END_HEADERS),
        data(1),
      ),
    answered(),
  ],
  [
    'some pieces of nothing in a header block',
    (c) =>
      c.send(
        begin(whole.subarray(0, 9)),
        more(none),
        more(none),
        more(whole.subarray(9), END_HEADERS),
        data(1),
      ),
    answered(),
  ],
  [
    'trailers in pieces end a call',
    (c) =>
      c.send(
        headers(1),
        data(1, message(), 0),
        begin(none, END_STREAM),
        more(block([['x', 'y']]), END_HEADERS),
      ),
    answered(),
  ],
  [
    'a header block whose first frame arrives in pieces',
    async (c) => {
      const all = Buffer.concat([
        begin(whole.subarray(0, 30)),
        more(whole.subarray(30), END_HEADERS),
        data(1),
      ]);
      c.send(all.subarray(0, 13));
      await new Promise(setImmediate);
      c.send(all.subarray(13, 43));
      await new Promise(setImmediate);
      c.send(all.subarray(43));
    },
    answered(),
  ],
  ['PING in a header block', (c) => c.send(begin(whole), ping()), connectionError('PROTOCOL_ERROR')],
  ['DATA in a header block', (c) => c.send(begin(whole), data(1)), connectionError('PROTOCOL_ERROR')],
  ['SETTINGS in a header block', (c) => c.send(begin(whole), settings()), connectionError('PROTOCOL_ERROR')],
  ['RST_STREAM in a header block', (c) => c.send(begin(whole), reset(1)), connectionError('PROTOCOL_ERROR')],
  [
    'PRIORITY in a header block',
    (c) => c.send(begin(whole), frame(TYPE.PRIORITY, 0, 1, Buffer.alloc(5))),
    connectionError('PROTOCOL_ERROR'),
  ],
  [
    'an unknown frame in a header block',
    (c) => c.send(begin(whole), frame(99, 0, 0)),
    connectionError('PROTOCOL_ERROR'),
  ],
  [
    'HEADERS of the same stream in a header block',
    (c) => c.send(begin(whole), headers(1)),
    connectionError('PROTOCOL_ERROR'),
  ],
  [
    'HEADERS of another stream in a header block',
    (c) => c.send(begin(whole), headers(3)),
    connectionError('PROTOCOL_ERROR'),
  ],
  [
    'CONTINUATION of another stream',
    (c) => c.send(begin(whole), more(none, END_HEADERS, 3)),
    connectionError('PROTOCOL_ERROR'),
  ],
  ['CONTINUATION of nothing', (c) => c.send(more(whole, END_HEADERS)), connectionError('PROTOCOL_ERROR')],
  [
    'CONTINUATION of a header block that has ended',
    (c) => c.send(headers(1), more(none, END_HEADERS)),
    connectionError('PROTOCOL_ERROR'),
  ],
  [
    'CONTINUATION after DATA',
    (c) => c.send(headers(1), data(1, message(), 0), more(none, END_HEADERS)),
    connectionError('PROTOCOL_ERROR'),
  ],
];

testRules('header blocks in pieces', CONTINUATIONS);
