import { block, FLAG, indexed, literal, type RawH2, reset, tableSize } from '@tollgate/http2/testing';
import { describe, expect, it } from 'vitest';
import { answerOf, call, callFields, data, headers, message } from './calls.js';
import { answered, connectionError, type Outcome, type Rule, streamError } from './outcomes.js';
import { testRules } from './rules.js';
import { CALL, useTestServer } from './test-server.js';

const { END_HEADERS, END_STREAM } = FLAG;
const AUTHORIZATION = 23;
const refuse = block(callFields(CALL.refuse));
const kept = (value: string) => Buffer.concat([refuse, literal(AUTHORIZATION, value, 'kept')]);
/** The same bytes with different meanings. */
const newest = Buffer.concat([refuse, indexed(62)]);
const second = Buffer.concat([refuse, indexed(63)]);

/** Makes calls with these blocks, in order. @returns the value of `authorization` that the server decoded in each */
async function understood(connection: RawH2, from: number, ...blocks: readonly Buffer[]): Promise<string[]> {
  const streams = blocks.map((_, i) => from + 2 * i);
  connection.send(...blocks.map((one, i) => call(streams[i] as number, one)));
  const answers: string[] = [];
  for (const stream of streams) answers.push((await answerOf(connection, stream)).fields.detail as string);
  return answers;
}

/** The calls of stream 1, 3, 5, … were understood so. */
const saying =
  (...values: readonly string[]): Outcome =>
  async (connection) => {
    const answers: (string | undefined)[] = [];
    for (const [i] of values.entries()) answers.push((await answerOf(connection, 1 + 2 * i)).fields.detail);
    expect(answers).toEqual(values);
  };
const calls =
  (...blocks: readonly Buffer[]) =>
  (c: RawH2) =>
    c.send(...blocks.map((one, i) => call(1 + 2 * i, one)));

/** A cache of decoded blocks must not return stale fields: RFC 7541 defines what the bytes mean at each time. */
const RULES: readonly Rule[] = [
  [
    'the same bytes mean the same field',
    calls(kept('a'), newest, newest, newest),
    saying('a', 'a', 'a', 'a'),
  ],
  [
    'the same bytes mean the newest field',
    calls(kept('a'), newest, newest, kept('b'), newest, newest),
    saying('a', 'a', 'a', 'b', 'b', 'b'),
  ],
  [
    'the same bytes mean the field that moved down',
    calls(kept('a'), kept('b'), second, second, kept('c'), second, newest),
    saying('a', 'b', 'a', 'a', 'c', 'b', 'c'),
  ],
  [
    'bytes that keep a field keep it each time',
    calls(kept('a'), kept('b'), kept('b'), second, kept('b'), Buffer.concat([refuse, indexed(65)])),
    saying('a', 'b', 'b', 'b', 'b', 'a'),
  ],
  [
    'the same bytes mean another field after headers of a call that is reset immediately',
    (c) => c.send(call(1, kept('a')), call(3, newest), headers(5, kept('b')), reset(5), call(7, newest)),
    async (c) => {
      expect((await answerOf(c, 3)).fields).toMatchObject({ detail: 'a' });
      expect((await answerOf(c, 7)).fields).toMatchObject({ detail: 'b' });
    },
  ],
  [
    'the same bytes mean another field after trailers that add a field',
    (c) => {
      c.send(call(1, kept('a')), call(3, newest));
      c.send(
        headers(5),
        data(5, message(), 0),
        headers(5, literal(AUTHORIZATION, 'b', 'kept'), END_HEADERS | END_STREAM),
      );
      c.send(call(7, newest));
    },
    async (c) => {
      expect((await answerOf(c, 3)).fields).toMatchObject({ detail: 'a' });
      expect((await answerOf(c, 7)).fields).toMatchObject({ detail: 'b' });
    },
  ],
  [
    'the same bytes mean another field after an invalid call',
    calls(kept('a'), newest, Buffer.concat([literal('Bad', 'x'), kept('b')]), newest),
    async (c) => {
      expect((await answerOf(c, 3)).fields).toMatchObject({ detail: 'a' });
      expect((await answerOf(c, 7)).fields).toMatchObject({ detail: 'b' });
    },
  ],
  [
    'the same bytes are invalid after the table was emptied',
    calls(kept('a'), newest, newest, Buffer.concat([tableSize(0), refuse]), newest),
    connectionError('COMPRESSION_ERROR'),
  ],
  [
    'the same bytes are invalid after the table was emptied and refilled with fewer fields',
    calls(kept('a'), kept('b'), second, Buffer.concat([tableSize(0), tableSize(4096), kept('c')]), second),
    connectionError('COMPRESSION_ERROR'),
  ],
  [
    'the same bytes are invalid after a larger field evicted theirs',
    calls(kept('a'), newest, refuse, Buffer.concat([refuse, literal('x', 'y'.repeat(4090), 'kept')]), newest),
    connectionError('COMPRESSION_ERROR'),
  ],
  [
    "bytes that change the table's size do it each time",
    calls(
      kept('a'),
      Buffer.concat([tableSize(4096), newest]),
      Buffer.concat([tableSize(46), newest]),
      Buffer.concat([tableSize(4096), newest]),
    ),
    saying('a', 'a', 'a', 'a'),
  ],
  [
    'an invalid block is rejected each time',
    (c) => c.send(...[1, 3, 5].map((stream) => call(stream, callFields(CALL.echo, [['Bad', 'x']])))),
    streamError(5, 'PROTOCOL_ERROR'),
  ],
  [
    'content-length applies to each call separately',
    (c) => {
      const sized = callFields(CALL.echo, [['content-length', '10']]);
      c.send(call(1, sized), call(3, sized, message('much more')), call(5, sized));
    },
    streamError(3, 'PROTOCOL_ERROR'),
  ],
  [
    'a request head is rejected as trailers',
    (c) =>
      c.send(call(1), headers(3), data(3, message(), 0), headers(3, callFields(), END_HEADERS | END_STREAM)),
    streamError(3, 'PROTOCOL_ERROR'),
  ],
  [
    'trailers are rejected as a request head',
    (c) => {
      const trailers = block([['x', 'y']]);
      c.send(
        headers(1),
        data(1, message(), 0),
        headers(1, trailers, END_HEADERS | END_STREAM),
        call(3, trailers),
      );
    },
    streamError(3, 'PROTOCOL_ERROR'),
  ],
  [
    'the same bytes cut into frames are the same',
    (c) => {
      const all = block(callFields());
      c.send(
        call(1, all),
        call(3, all),
        headers(5, all.subarray(0, 12), 0),
        Buffer.concat([Buffer.from([0, 0, all.length - 12, 9, 4, 0, 0, 0, 5]), all.subarray(12)]),
        data(5),
      );
    },
    answered(5),
  ],
];

testRules('heads that repeat', RULES);

describe('heads of two connections', () => {
  const h2 = useTestServer();

  it('decodes the same bytes by the table of each connection', async () => {
    const [one, other] = [await h2.connect(), await h2.connect()];
    expect(await understood(one, 1, kept('one'), newest, newest)).toEqual(['one', 'one', 'one']);
    expect(await understood(other, 1, kept('other'), newest, newest)).toEqual(['other', 'other', 'other']);
    expect(await understood(one, 7, newest)).toEqual(['one']);
    one.close();
    other.close();
  });

  it('a connection without the field rejects its index', async () => {
    const [one, other] = [await h2.connect(), await h2.connect()];
    expect(await understood(one, 1, kept('one'), newest, newest)).toEqual(['one', 'one', 'one']);
    other.send(call(1, newest));
    await connectionError('COMPRESSION_ERROR')(other);
    one.close();
  });
});
