import {
  block,
  CODE,
  type Field,
  FLAG,
  frame,
  huffman,
  indexed,
  literal,
  TYPE,
} from '@tollgate/http2/testing';
import { describe, expect, it } from 'vitest';
import { answerOf, call, callFields, data, headers, message } from './calls.js';
import { answered, connectionError, endsWith, goesOn, type Rule, streamError } from './outcomes.js';
import { testRules } from './rules.js';
import { CALL, useTestServer } from './test-server.js';

const { END_HEADERS, END_STREAM } = FLAG;

/** A call without one of its fields, with others before or behind. */
const without = (name: string) => callFields().filter(([one]) => one !== name);
const withMore = (...more: readonly Field[]) => callFields(CALL.echo, more);
const first = (...more: readonly Field[]) => [...more, ...callFields()];

const wrong = (rule: string, fields: readonly Field[]): Rule => [
  rule,
  (c) => c.send(call(1, fields)),
  streamError(1, 'PROTOCOL_ERROR'),
];
const fine = (rule: string, fields: readonly Field[]): Rule => [
  rule,
  (c) => c.send(call(1, fields)),
  answered(),
];

/** RFC 9113, 8.2 and 8.3. */
const REQUESTS: readonly Rule[] = [
  wrong('a name in capitals', withMore(['X-Name', 'y'])),
  wrong('a name of nothing', withMore(['', 'y'])),
  wrong('a name with a space', withMore(['x y', 'z'])),
  wrong("a name with a line's end", withMore(['x\ny', 'z'])),
  wrong('a name with a byte beyond ASCII', withMore(['x\u00e9', 'z'])),
  wrong('a name with a colon in it', withMore(['x:y', 'z'])),
  wrong("a value with a line's end", withMore(['x', 'a\nb'])),
  wrong('a value with a carriage return', withMore(['x', 'a\rb'])),
  wrong('a value with a zero', withMore(['x', 'a\0b'])),
  wrong('a value that begins with a space', withMore(['x', ' a'])),
  wrong('a value that ends with a tab', withMore(['x', 'a\t'])),
  wrong('connection', withMore(['connection', 'close'])),
  wrong('keep-alive', withMore(['keep-alive', '5'])),
  wrong('proxy-connection', withMore(['proxy-connection', 'close'])),
  wrong('transfer-encoding', withMore(['transfer-encoding', 'chunked'])),
  wrong('upgrade', withMore(['upgrade', 'h2c'])),
  wrong('te other than trailers', [...without('te'), ['te', 'gzip']]),
  wrong('no :method', without(':method')),
  wrong('no :scheme', without(':scheme')),
  wrong('no :path', without(':path')),
  wrong('an empty :path', [...without(':path').slice(0, 2), [':path', ''], ...callFields().slice(3)]),
  wrong(':method twice', first([':method', 'POST'])),
  wrong(':scheme twice', first([':scheme', 'http'])),
  wrong(':path twice', first([':path', '/'])),
  wrong(':authority twice', first([':authority', 'a'])),
  wrong('an unknown pseudo-header', first([':unknown', 'x'])),
  wrong('a pseudo-header of answers', first([':status', '200'])),
  wrong(':protocol, which was not negotiated', first([':protocol', 'websocket'])),
  wrong('a pseudo-header behind other fields', [...without(':path'), [':path', CALL.echo]]),
  wrong('content-length that is no number', withMore(['content-length', 'ten'])),
  wrong('content-length below nothing', withMore(['content-length', '-1'])),
  wrong('two content-lengths that differ', withMore(['content-length', '10'], ['content-length', '11'])),
  wrong('more than content-length', withMore(['content-length', '9'])),
  wrong('less than content-length', withMore(['content-length', '11'])),
  [
    'nothing, with a content-length above 0',
    (c) => c.send(headers(1, withMore(['content-length', '1']), END_HEADERS | END_STREAM)),
    streamError(1, 'PROTOCOL_ERROR'),
  ],
  [
    'less than content-length, ended by trailers',
    (c) =>
      c.send(
        headers(1, withMore(['content-length', '11'])),
        data(1, message(), 0),
        headers(1, [['x', 'y']], END_HEADERS | END_STREAM),
      ),
    streamError(1, 'PROTOCOL_ERROR'),
  ],
  [
    'a pseudo-header in trailers',
    (c) => c.send(headers(1), data(1, message(), 0), headers(1, [[':path', '/']], END_HEADERS | END_STREAM)),
    streamError(1, 'PROTOCOL_ERROR'),
  ],
  [
    'a name in capitals in trailers',
    (c) => c.send(headers(1), data(1, message(), 0), headers(1, [['X', 'y']], END_HEADERS | END_STREAM)),
    streamError(1, 'PROTOCOL_ERROR'),
  ],
  [
    'an invalid call does not affect other calls',
    (c) => c.send(headers(1, withMore(['Bad', literalOf(1)])), call(3)),
    answered(3),
  ],
  [
    'fields of an invalid request are added to the table',
    (c) =>
      c.send(
        headers(1, Buffer.concat([block(withMore(['Bad', 'x'])), literal('x-good', 'y', 'kept')])),
        call(3, Buffer.concat([block(callFields()), indexed(62)])),
      ),
    answered(3),
  ],
  fine('content-length equal to the data', withMore(['content-length', '10'])),
  fine('content-length without padding', withMore(['content-length', '010'])),
  fine('no te at all', without('te')),
  fine('no :authority at all', without(':authority')),
  fine('host beside :authority', withMore(['host', 'localhost'])),
  fine('pseudo-headers in another order', [
    callFields()[3],
    callFields()[2],
    callFields()[1],
    callFields()[0],
    ...callFields().slice(4),
  ] as Field[]),
  fine('a name twice', withMore(['x', '1'], ['x', '2'])),
  fine('an empty value', withMore(['x', ''])),
  fine('a value with bytes beyond ASCII', withMore(['x', '\u00e9\u00ff'])),
  fine('cookies in pieces', withMore(['cookie', 'a=b'], ['cookie', 'c=d'])),
  fine(
    'every character that a name may have',
    withMore(["!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz", 'x']),
  ),
];

function literalOf(count: number): string {
  return 'x'.repeat(count);
}

/** The size of a field list counts 32 bytes more for each field (RFC 9113 §10.5.1). */
const LARGE: readonly Rule[] = [
  ['fields of 15,000 bytes', (c) => c.send(call(1, withMore(['x', literalOf(15_000)]))), answered()],
  [
    'a field of 17,000 bytes, cut into frames',
    (c) => c.send(...inFrames(block(withMore(['x', literalOf(17_000)]))), data(1)),
    endsWith(1, { ':status': '431' }),
  ],
  [
    'many small fields',
    (c) =>
      c.send(...inFrames(block(withMore(...Array.from({ length: 600 }, (): Field => ['x', 'y'])))), data(1)),
    endsWith(1, { ':status': '431' }),
  ],
  [
    'few bytes that expand to many: one table field repeated',
    (c) =>
      c.send(
        ...inFrames(
          Buffer.concat([
            block(callFields()),
            literal('x', literalOf(3900), 'kept'),
            Buffer.alloc(3000, indexed(62)),
          ]),
        ),
        data(1),
      ),
    endsWith(1, { ':status': '431' }),
  ],
  [
    'fields of an oversized head are added to the table',
    (c) => {
      const large = [
        block(callFields()),
        literal('x', literalOf(17_000)),
        literal('x-timeout', '1S', 'kept'),
      ];
      c.send(
        ...inFrames(Buffer.concat(large)),
        data(1),
        call(3, Buffer.concat([block(callFields()), indexed(62)])),
      );
    },
    answered(3),
  ],
  [
    'a header block of more than 64 kB',
    (c) =>
      c.send(...inFrames(block(withMore(...Array.from({ length: 9 }, (): Field => ['x', literalOf(8000)]))))),
    connectionError('ENHANCE_YOUR_CALM'),
  ],
  [
    'a header block that never ends',
    async (c) => {
      c.send(frame(TYPE.HEADERS, 0, 1, block(callFields())));
      for (let i = 0; i < 100 && !c.isClosed; i++)
        c.send(frame(TYPE.CONTINUATION, 0, 1, Buffer.alloc(16_384)));
    },
    connectionError('ENHANCE_YOUR_CALM', 'COMPRESSION_ERROR'),
  ],
  [
    'the maximum number of characters in a header block',
    (c) => c.send(...inFrames(Buffer.concat([block(callFields()), DENSE])), data(1)),
    endsWith(1, { ':status': '431' }),
  ],
];

/** HEADERS and CONTINUATIONs of a block, as large as they may be. */
function inFrames(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 16_384) {
    const flags = at + 16_384 >= bytes.length ? END_HEADERS : 0;
    frames.push(
      frame(at === 0 ? TYPE.HEADERS : TYPE.CONTINUATION, flags, 1, bytes.subarray(at, at + 16_384)),
    );
  }
  return frames;
}

/** The maximum number of characters in 64 kB: codes of five bits. */
const DENSE = literal('x', 'a'.repeat(104_000), 'once', huffman);

const ENDED: readonly Rule[] = [
  [
    'a request with nothing in it ends at once',
    (c) => c.send(headers(1, callFields(), END_HEADERS | END_STREAM)),
    endsWith(1, { outcome: 'invalid' }),
  ],
  [
    'GET is a 405',
    (c) => c.send(headers(1, [[':method', 'GET'], ...callFields().slice(1)], END_HEADERS | END_STREAM)),
    endsWith(1, { ':status': '405' }),
  ],
];

testRules('requests that are wrong, and some that are not', REQUESTS);
testRules('large headers', LARGE);
testRules('requests that end early', ENDED);

describe('many calls at once', () => {
  const h2 = useTestServer();

  it('rejects the 101st concurrent call until another one ends', async () => {
    const connection = await h2.connect();
    for (let i = 0; i < 100; i++) connection.send(call(1 + 2 * i, callFields(CALL.hold)));
    connection.send(call(201));
    expect(await answerOf(connection, 201)).toMatchObject({ resetBy: CODE.REFUSED_STREAM });
    await connection.settled();
    h2.release();
    expect((await answerOf(connection, 1)).fields).toMatchObject({ outcome: 'ok' });
    await answerOf(connection, 199);
    await goesOn(connection);
    connection.close();
  });
});
