import {
  block,
  type Field,
  FLAG,
  huffman,
  huffmanWithEnd,
  indexed,
  integer,
  literal,
  packedBits,
  plain,
  tableSize,
} from '@tollgate/http2/testing';
import { describe, expect, it } from 'vitest';
import { answerOf, call, callFields, headers } from './calls.js';
import { answered, connectionError, endsWith, type Rule } from './outcomes.js';
import { testRules } from './rules.js';
import { CALL, useTestServer } from './test-server.js';

const usual = block(callFields());
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** A call that brings some more of a header block. */
const bringing = (...more: readonly Buffer[]) => Buffer.concat([usual, ...more]);
const broken = (rule: string, ...more: readonly Buffer[]): Rule => [
  rule,
  (c) => c.send(call(1, bringing(...more))),
  connectionError('COMPRESSION_ERROR'),
];
const fine = (rule: string, ...blocks: readonly Buffer[]): Rule => [
  rule,
  (c) => c.send(...blocks.map((one, i) => call(1 + 2 * i, one))),
  answered(2 * blocks.length - 1),
];
/** Sends a call and checks the value of `authorization` that the server decoded. */
const understood = (rule: string, value: string, ...blocks: readonly Buffer[]): Rule => [
  rule,
  (c) => c.send(...blocks.map((one, i) => call(1 + 2 * i, one))),
  endsWith(2 * blocks.length - 1, { outcome: 'refused', detail: value }),
];
const refuse = block(callFields(CALL.refuse));
const AUTHORIZATION = 23;
const PRINTED = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).join('');
const OTHER_BYTES = Buffer.from(Array.from({ length: 128 }, (_, i) => 128 + i));

const BROKEN: readonly Rule[] = [
  broken('a field of index 0', indexed(0)),
  broken('the first index beyond the static table, when the dynamic table is empty', indexed(62)),
  broken('a field far beyond the table', indexed(100_000)),
  broken('a name beyond the table', literal(62, 'x')),
  broken('a name beyond the table, to be kept', literal(70, 'x', 'kept')),
  broken('a table larger than was agreed to, in the middle', tableSize(2 ** 30)),
  [
    'a table larger than was agreed to',
    (c) => c.send(call(1, Buffer.concat([tableSize(65_537), usual]))),
    connectionError('COMPRESSION_ERROR'),
  ],
  [
    'a table one byte larger than was agreed to',
    (c) => c.send(call(1, Buffer.concat([tableSize(4097), usual]))),
    connectionError('COMPRESSION_ERROR'),
  ],
  broken('another size of the table behind a field', tableSize(0)),
  broken(
    'a text with the end of a Huffman string in it',
    literal('x', 'abc', 'once', (text) => (text === 'x' ? plain(text) : huffmanWithEnd(String(text)))),
  ),
  broken(
    'a Huffman string padded with zeros',
    Buffer.concat([hex('00'), plain('x'), packedBits('00011', '0')]),
  ),
  broken(
    'a Huffman string with one byte too much padding',
    Buffer.concat([hex('00'), plain('x'), packedBits('00011', '1', 1)]),
  ),
  broken(
    'a Huffman string of nothing but ones',
    Buffer.concat([hex('00'), plain('x'), packedBits('', '1', 1)]),
  ),
  broken('a name that is cut off', hex('00 05 61 62')),
  broken('a value that is cut off', hex('00 01 61 05 62')),
  broken('a value that is missing', hex('00 01 61')),
  broken('a name that is missing', hex('00')),
  broken('an index that is cut off', hex('ff')),
  broken('an index that never ends', Buffer.concat([hex('ff'), Buffer.alloc(20, 0x80)])),
  broken('an index beyond all numbers', hex('ff ff ff ff ff ff ff ff ff ff 7f')),
  broken('an index that is small only when bits are dropped', hex('ff 83 ff ff ff 1f')),
  broken('a length beyond all numbers', hex('00 7f ff ff ff ff ff ff ff ff 7f 61')),
  broken('a length of 4 GB', hex('00 7f 80 ff ff ff 0f 61')),
  broken('a table beyond all numbers', hex('3f ff ff ff ff ff ff ff ff 7f')),
  [
    'an evicted field',
    (c) =>
      c.send(
        call(1, bringing(literal('x', 'y'.repeat(2000), 'kept'), literal('x', 'z'.repeat(2100), 'kept'))),
        call(3, bringing(indexed(63))),
      ),
    connectionError('COMPRESSION_ERROR'),
  ],
  [
    'a field of a table that was emptied',
    (c) =>
      c.send(
        call(1, bringing(literal('x', 'y', 'kept'))),
        call(3, Buffer.concat([tableSize(0), tableSize(4096), bringing(indexed(62))])),
      ),
    connectionError('COMPRESSION_ERROR'),
  ],
  [
    'a field larger than the table, which empties the table',
    (c) =>
      c.send(
        call(1, bringing(literal('x', 'y', 'kept'), literal('x', 'z'.repeat(4100), 'kept'))),
        call(3, bringing(indexed(62))),
      ),
    connectionError('COMPRESSION_ERROR'),
  ],
];

const kept = (value: string) => literal(AUTHORIZATION, value, 'kept');
const SOUND: readonly Rule[] = [
  understood(
    'a value as it is',
    PRINTED.replaceAll('%', ''),
    Buffer.concat([refuse, literal(AUTHORIZATION, PRINTED.replaceAll('%', ''))]),
  ),
  understood(
    'a value in Huffman codes',
    PRINTED.replaceAll('%', ''),
    Buffer.concat([refuse, literal(AUTHORIZATION, PRINTED.replaceAll('%', ''), 'once', huffman)]),
  ),
  understood(
    'a value that may never be kept',
    'abc',
    Buffer.concat([refuse, literal('authorization', 'abc', 'never', huffman)]),
  ),
  understood(
    'a value of the table',
    'abc',
    Buffer.concat([refuse, kept('abc')]),
    Buffer.concat([refuse, indexed(62)]),
  ),
  understood(
    'a name of the table',
    'def',
    Buffer.concat([refuse, literal('authorization', 'abc', 'kept')]),
    Buffer.concat([refuse, literal(62, 'def')]),
  ),
  understood(
    'the second of the table',
    'abc',
    Buffer.concat([refuse, kept('abc'), literal('x', 'y', 'kept')]),
    Buffer.concat([refuse, indexed(63)]),
  ),
  understood(
    'a field name that its own insertion evicts',
    'z'.repeat(3000),
    Buffer.concat([refuse, literal('authorization', 'y'.repeat(3000), 'kept')]),
    Buffer.concat([refuse, literal(62, 'z'.repeat(3000), 'kept')]),
  ),
  understood(
    "a field of exactly the table's size",
    'y'.repeat(4096 - 32 - 13),
    Buffer.concat([refuse, kept('y'.repeat(4096 - 32 - 13))]),
    Buffer.concat([refuse, indexed(62)]),
  ),
  understood(
    'a table that was made smaller keeps the newest',
    'abc',
    Buffer.concat([refuse, literal('x', 'y'.repeat(100), 'kept'), kept('abc')]),
    Buffer.concat([tableSize(48), refuse, indexed(62)]),
  ),
  understood(
    'a table that was emptied, and made large again',
    'abc',
    Buffer.concat([tableSize(0), refuse]),
    Buffer.concat([tableSize(4096), refuse, kept('abc')]),
    Buffer.concat([refuse, indexed(62)]),
  ),
  understood(
    'two sizes of the table at once',
    'abc',
    Buffer.concat([tableSize(0), tableSize(200), refuse, kept('abc')]),
    Buffer.concat([refuse, indexed(62)]),
  ),
  understood(
    'a number in more bytes than it needs',
    'abc',
    Buffer.concat([refuse, hex('0f 88 80 80 00'), plain('abc')]),
  ),
  fine(
    'a table of size 0 keeps no fields and accepts incremental indexing',
    Buffer.concat([tableSize(0), bringing(literal('x', 'y', 'kept'))]),
    bringing(literal('x', 'y', 'kept')),
  ),
  fine('a Huffman string of no bytes', bringing(literal('x', '', 'once', huffman))),
  fine(
    'every byte beyond ASCII, in Huffman codes',
    bringing(literal('x', OTHER_BYTES, 'once', (text) => (text === 'x' ? plain(text) : huffman(text)))),
  ),
  fine(
    'a table that turns over a hundred times',
    ...Array.from({ length: 100 }, (_, i) => bringing(literal(`x${i}`, 'y'.repeat(i * 37), 'kept'))),
  ),
];

testRules('header blocks that are broken', BROKEN);
testRules('header blocks that are sound', SOUND);

/** RFC 7541, appendix C. Its requests are GET, which the test application rejects; the test then checks the fields in the table. */
const EXAMPLES: readonly [string, readonly string[]][] = [
  [
    'C.3, as they are',
    [
      '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
      '8286 84be 5808 6e6f 2d63 6163 6865',
      '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
    ],
  ],
  [
    'C.4, in Huffman codes',
    [
      '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
      '8286 84be 5886 a8eb 1064 9cbf',
      '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
    ],
  ],
];

describe('the examples of RFC 7541', () => {
  const h2 = useTestServer();

  it.each(EXAMPLES)('%s, are understood, and leave three fields in the table', async (_, blocks) => {
    const connection = await h2.connect();
    for (const [i, one] of blocks.entries()) {
      connection.send(headers(1 + 2 * i, hex(one), FLAG.END_HEADERS | FLAG.END_STREAM));
      expect((await answerOf(connection, 1 + 2 * i)).fields).toMatchObject({ ':status': '405' });
    }
    // custom-key, cache-control, :authority, newest first; :authority must come before regular fields.
    const [method, scheme, path, , ...others] = callFields() as [Field, Field, Field, Field, ...Field[]];
    connection.send(
      call(
        7,
        Buffer.concat([block([method, scheme, path]), indexed(64), block(others), indexed(62), indexed(63)]),
      ),
    );
    expect((await answerOf(connection, 7)).fields).toMatchObject({ outcome: 'ok' });
    connection.send(call(9, bringing(indexed(65))));
    await connectionError('COMPRESSION_ERROR')(connection);
  });

  it('decodes the numbers of C.1', () => {
    expect(integer(0, 5, 10)).toEqual(hex('0a'));
    expect(integer(0, 5, 1337)).toEqual(hex('1f 9a 0a'));
    expect(huffman('www.example.com')).toEqual(hex('8c f1e3 c2e5 f23a 6ba0 ab90 f4ff'));
  });
});
