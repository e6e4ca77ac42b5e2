import { dimensionValue } from '@tollgate/limiter/rules';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addAll, blockOf, decisions, HEADER } from '../../test/traffic-arbitraries.js';
import { BlockBuilder, BlockCopier, type TrafficBlock } from './block.js';
import { decodeBlock, encodeBlock, MAX_BLOCK_BYTES, packBlock, unpackBlock } from './block-codec.js';
import { BlockEncoder } from './block-encoder.js';
import { InvalidTraffic } from './bytes.js';

/** The decisions of a block without its dictionaries. */
function rowsOf(block: TrafficBlock) {
  return Array.from({ length: block.rows }, (_, row) => ({
    atUs: block.atUs[row],
    cost: block.cost[row],
    subject: block.subjects[block.subject[row] ?? -1],
    operation: block.operations[block.operation[row] ?? -1],
    verdict: block.verdicts[block.verdict[row] ?? -1],
  }));
}

describe('traffic block', () => {
  it('contains every decision in order of time after encoding and decoding', () => {
    fc.assert(
      fc.property(decisions, (list) => {
        const block = unpackBlock(packBlock(encodeBlock(blockOf(list))));
        const expected = list
          .map((one, place) => ({ one, place }))
          .sort((a, b) => a.one.atUs - b.one.atUs || a.place - b.place)
          .map(({ one }) => ({
            atUs: one.atUs,
            cost: one.cost,
            subject: {
              tenant: one.tenant,
              values: Object.entries(one.subject ?? {}).flatMap(([dimension, value]) => {
                const written = dimensionValue(dimension, value);
                return written === undefined ? [] : [[dimension, written]];
              }),
            },
            operation: { api: one.api, name: one.operation === 'no name' ? '*' : one.operation },
            verdict: { outcome: one.outcome, flags: one.flags, limit: one.limit, revision: one.revision },
          }));
        expect(rowsOf(block)).toEqual(expected);
        expect(block).toMatchObject(HEADER);
      }),
    );
  });

  it('contains the same decisions if they are encoded as they arrive, block after block', () => {
    const encoder = new BlockEncoder();
    fc.assert(
      fc.property(decisions, (list) => {
        addAll(encoder, list);
        expect(rowsOf(decodeBlock(encoder.finish(HEADER)))).toEqual(rowsOf(blockOf(list)));
      }),
    );
  });

  it('finds thousands of subjects that were encoded before', () => {
    const encoder = new BlockEncoder();
    const all = Array.from({ length: 5000 }, (_, n) => ({
      ip: `10.0.${n >> 8}.${n & 255}`,
      user: `u${n % 70}`,
    }));
    const indexes = all.map((sent) => encoder.subjectOf('acme', sent));
    expect(indexes).toEqual(all.map((_, n) => n));
    expect(all.map((sent) => encoder.subjectOf('acme', { ...sent }))).toEqual(indexes);
  });

  it.each([
    ['builder', () => new BlockBuilder()],
    ['encoder', () => new BlockEncoder()],
  ])('has one dictionary entry per subject, operation and verdict: %s', (_, create) => {
    const builder = create();
    const subject = builder.subjectOf('acme', { user: 'u1', ip: '192.0.2.1' });
    expect(builder.subjectOf('acme', { user: 'u1', ip: '192.0.2.1' })).toBe(subject);
    expect(builder.subjectOf('acme', { user: 'u1' })).not.toBe(subject);
    expect(builder.operationOf('site', 'home')).toBe(builder.operationOf('site', 'home'));
    const verdict = builder.verdictOf('denied', 0, 'per-minute', 3);
    expect(builder.verdictOf('denied', 0, 'per-minute', 4)).not.toBe(verdict);
    expect(builder.verdictOf('denied', 0, 'per-minute', 3)).toBe(verdict);
  });

  it.each([
    ['builder', () => new BlockBuilder()],
    ['encoder', () => new BlockEncoder()],
  ])('distinguishes subjects whose joined texts would be equal: %s', (_, create) => {
    const builder = create();
    const first = builder.subjectOf('acme', { a: 'x\nb=y' });
    expect(builder.subjectOf('acme', { a: 'x', b: 'y' })).not.toBe(first);
  });

  it('copies chosen decisions into another block, with other subjects', () => {
    fc.assert(
      fc.property(decisions, (list) => {
        const from = blockOf(list);
        const to = new BlockBuilder();
        const copier = new BlockCopier(from, to, ({ tenant }) => ({ tenant, values: [] }));
        const isChosen = (row: number) => from.subjects[from.subject[row] ?? -1]?.tenant === 'tenant-1';
        for (let row = 0; row < from.rows; row++) if (isChosen(row)) copier.copy(row);
        const expected = rowsOf(from).filter((_, row) => isChosen(row));
        expect(rowsOf(to.build(HEADER))).toEqual(
          expected.map((row) => ({ ...row, subject: { tenant: 'tenant-1', values: [] } })),
        );
      }),
    );
  });

  it('rejects damaged, truncated and random bytes with a clear error', () => {
    const damage = fc.record({ at: fc.nat(), byte: fc.nat(255), cut: fc.option(fc.nat(), { freq: 3 }) });
    fc.assert(
      fc.property(decisions, fc.array(damage, { minLength: 1, maxLength: 4 }), (list, damages) => {
        let bytes = encodeBlock(blockOf(list));
        for (const { at, byte, cut } of damages) {
          bytes[at % bytes.length] = byte;
          if (cut !== null) bytes = bytes.subarray(0, Math.max(1, cut % bytes.length));
        }
        decodesOrFails(bytes);
      }),
      { numRuns: 2000 },
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), decodesOrFails), { numRuns: 2000 });
  });

  it.each([
    ['nothing', [], 'the block ends inside a number'],
    ['another version', [9, 0], 'version 9 of the block is unknown'],
    ['more names than bytes', [1, 100, 1], '100 names do not fit into 1 bytes'],
    ['missing text', [1, 1, 5, 0, 0], 'a text is missing'],
    ['more rows than bytes', [1, 0, 0, 0, 1, 0, 1, 255, 127], '16383 rows do not fit'],
    ['a missing name', [1, 0, 0, 0, 1, 0, 1, 0, 5], 'name 5 of 0 does not exist'],
    ['a number above 2^53', [1, 255, 255, 255, 255, 255, 255, 255, 255, 255], 'a number exceeds 2^53'],
  ])('explains %s', (_, bytes, message) => {
    expect(() => decodeBlock(Uint8Array.from(bytes))).toThrow(new InvalidTraffic(message));
  });

  it('rejects bytes after the end', () => {
    const bytes = Buffer.concat([encodeBlock(blockOf([])), Buffer.of(0)]);
    expect(() => decodeBlock(bytes)).toThrow(new InvalidTraffic('the block has 1 bytes too many'));
  });

  it('rejects packed bytes that are damaged or decompress to too much', () => {
    expect(() => unpackBlock(Buffer.from('not brotli'))).toThrow(InvalidTraffic);
    expect(() => unpackBlock(packBlock(Buffer.alloc(MAX_BLOCK_BYTES + 1)))).toThrow(InvalidTraffic);
  });
});

/** Decodes to a block that can be read to its end, or throws the one error that callers expect. */
function decodesOrFails(bytes: Uint8Array): void {
  let block: TrafficBlock;
  try {
    block = decodeBlock(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidTraffic);
    return;
  }
  for (const row of rowsOf(block)) expect(Object.values(row)).not.toContain(undefined);
}
