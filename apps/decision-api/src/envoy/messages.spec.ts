import { MAX_COST } from '@tollgate/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrpcError, STATUS } from './grpc/protocol.js';
import { decodeRequest, numberOf } from './messages.js';

const MALFORMED = expect.objectContaining({ status: STATUS.INVALID_ARGUMENT });

/** A field of the wire type LEN; `content` is shorter than 128 bytes. */
function field(number: number, ...content: Uint8Array[]): Buffer {
  const bytes = Buffer.concat(content);
  return Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes]);
}

const entryOf = (key: Uint8Array, value: Uint8Array) => field(1, field(1, key), field(2, value));

describe('decodeRequest', () => {
  it('decodes any bytes as text, with U+FFFD for invalid UTF-8, because Envoy passes rejected requests', () => {
    const bytes = fc.uint8Array({ maxLength: 20 });
    fc.assert(
      fc.property(bytes, bytes, bytes, (domain, key, value) => {
        const message = Buffer.concat([field(1, domain), field(2, entryOf(key, value))]);
        const request = decodeRequest(message);
        const [entry] = request.descriptors[0]?.entries ?? [];
        expect([request.domain, entry?.key, entry?.value]).toEqual(
          [domain, key, value].map((text) => Buffer.from(text).toString()),
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('decodes arbitrary bytes, or throws INVALID_ARGUMENT', () => {
    const bytes = fc.uint8Array({ maxLength: 60 });
    const nested = fc.tuple(bytes, bytes).map((parts) => field(2, field(1, ...parts)));
    fc.assert(
      fc.property(fc.oneof(bytes, nested), (message) => {
        try {
          decodeRequest(Buffer.from(message));
        } catch (error) {
          expect(error).toBeInstanceOf(GrpcError);
          expect(error).toEqual(MALFORMED);
        }
      }),
      { numRuns: 5000 },
    );
  });

  it.each<[string, number[]]>([
    ['a number without an end', [0x18, 0x80, 0x80]],
    ['a number of eleven bytes', [0x18, ...Array(11).fill(0x80)]],
    ['a length beyond the message', [0x0a, 0x05, 0x61]],
    ['a length of 2^63', [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]],
    ['the field 0', [0x02, 0x00]],
    ['a group that does not end', [0x2b, 0x08, 0x01]],
    ['a group that ends without having begun', [0x2c]],
    ['groups that are nested without an end', Array(1000).fill(0x2b)],
    ['an entry that reaches beyond its descriptor', [0x12, 0x02, 0x0a, 0x05, 0x0a, 0x03, 0x61, 0x62, 0x63]],
  ])('rejects %s', (_, bytes) => {
    expect(() => decodeRequest(Buffer.from(bytes))).toThrow(MALFORMED);
  });

  it.each([
    ['2^53 - 1', 2 ** 53 - 1, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]],
    ['2^64 - 1, rounded', 2 ** 64, [...Array(9).fill(0xff), 0x01]],
  ])('decodes hits of %s, above the maximum cost', (_, hits, bytes) => {
    const message = field(2, field(3, Buffer.from([8, ...bytes])));
    const value = numberOf(decodeRequest(message).descriptors[0]?.hitsAddend?.value ?? 0);
    expect(value).toBe(hits);
    expect(value).toBeGreaterThan(MAX_COST);
  });
});
