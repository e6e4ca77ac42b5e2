import fc from 'fast-check';
import protobuf from 'protobufjs';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Code,
  decodeRequest,
  encodeResponse,
  type MetadataValue,
  type RateLimitResponse,
} from './codec.js';
import { WireError } from './protobuf.js';

const PROTO_DIR = new URL('../../proto/', import.meta.url).pathname;

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
);
const uint32 = fc.oneof(fc.nat(200), fc.constantFrom(2 ** 32 - 1, 2 ** 31), fc.nat());

const request = fc.record({
  domain: text,
  descriptors: fc.array(
    fc.record({
      entries: fc.array(fc.record({ key: text, value: text }), { maxLength: 4 }),
      limit: fc.option(fc.record({ requestsPerUnit: uint32, unit: fc.nat(6) }), { nil: undefined }),
      hitsAddend: fc.option(fc.oneof(fc.nat(), fc.maxSafeNat()), { nil: undefined }),
      isNegativeHits: fc.boolean(),
    }),
    { maxLength: 4 },
  ),
  hitsAddend: uint32,
});

const { metadata } = fc.letrec<{ value: MetadataValue; metadata: Record<string, MetadataValue> }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    text,
    fc.double({ noNaN: true }),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('metadata'),
  ),
  metadata: fc.dictionary(
    text.filter((key) => key !== '' && key !== '__proto__'),
    tie('value'),
    { maxKeys: 4 },
  ),
}));

const response = fc.record({
  overallCode: fc.constantFrom<Code[]>(1, 2),
  statuses: fc.array(
    fc.record(
      {
        code: fc.constantFrom<Code[]>(1, 2),
        currentLimit: fc.record({ requestsPerUnit: uint32, unit: fc.nat(7), name: text }),
        limitRemaining: uint32,
        resetMs: fc.nat(2 ** 31),
      },
      { requiredKeys: ['code', 'limitRemaining'] },
    ),
    { maxLength: 5 },
  ),
  responseHeaders: fc.dictionary(fc.stringMatching(/^[a-z-]{1,20}$/), text, { maxKeys: 3 }),
  rawBody: text,
  metadata,
});

describe('the codec', () => {
  let requestType: protobuf.Type;
  let responseType: protobuf.Type;
  beforeAll(() => {
    const root = new protobuf.Root();
    root.resolvePath = (_, file) => (file.startsWith('google/') ? file : PROTO_DIR + file);
    root.loadSync('envoy/service/ratelimit/v3/rls.proto');
    requestType = root.lookupType('envoy.service.ratelimit.v3.RateLimitRequest');
    responseType = root.lookupType('envoy.service.ratelimit.v3.RateLimitResponse');
  });

  const encoded = (wanted: typeof request extends fc.Arbitrary<infer T> ? T : never) =>
    Buffer.from(
      requestType
        .encode(
          requestType.fromObject({
            ...wanted,
            descriptors: wanted.descriptors.map(({ hitsAddend, ...rest }) => ({
              ...rest,
              ...(hitsAddend === undefined ? {} : { hitsAddend: { value: hitsAddend } }),
            })),
          }),
        )
        .finish(),
    );

  it('decodes requests encoded by protobufjs', () => {
    fc.assert(
      fc.property(request, (wanted) => {
        expect(decodeRequest(encoded(wanted))).toEqual(wanted);
      }),
      { numRuns: 500 },
    );
  });

  it('encodes responses that protobufjs decodes', () => {
    fc.assert(
      fc.property(response, (wanted) => {
        const bytes = encodeResponse(wanted as RateLimitResponse, 5).subarray(5);
        const read = responseType.toObject(responseType.decode(bytes), { longs: Number, defaults: false });
        expect(read).toMatchObject({
          overallCode: wanted.overallCode,
          ...(wanted.statuses.length === 0
            ? {}
            : { statuses: wanted.statuses.map(({ code }) => ({ code })) }),
        });
        for (const [i, status] of wanted.statuses.entries()) {
          const { currentLimit, limitRemaining, durationUntilReset } = responseType.toObject(
            responseType.decode(bytes),
            { longs: Number, defaults: true },
          ).statuses[i];
          expect(limitRemaining).toBe(status.limitRemaining);
          expect(currentLimit ?? undefined).toEqual(status.currentLimit);
          const ms =
            durationUntilReset === null
              ? undefined
              : durationUntilReset.seconds * 1000 + durationUntilReset.nanos / 1e6;
          expect(ms).toBe(status.resetMs);
        }
        const headers = (read.responseHeadersToAdd ?? []).map((one: { key: string; value?: string }) => [
          one.key,
          one.value ?? '',
        ]);
        expect(headers).toEqual(Object.entries(wanted.responseHeaders));
        expect(Buffer.from(read.rawBody ?? []).toString()).toBe(wanted.rawBody);
        expect(plainStruct(read.dynamicMetadata)).toEqual(wanted.metadata);
      }),
      { numRuns: 500 },
    );
  });

  it('decodes damaged messages or throws WireError, and nothing else', () => {
    const damage = fc.record({
      at: fc.nat(400),
      byte: fc.nat(255),
      cut: fc.nat(400),
      more: fc.uint8Array({ maxLength: 8 }),
    });
    fc.assert(
      fc.property(request, fc.array(damage, { minLength: 1, maxLength: 4 }), (wanted, damages) => {
        let bytes = encoded(wanted);
        for (const { at, byte, cut, more } of damages) {
          if (at < bytes.length) bytes[at] = byte;
          bytes = Buffer.concat([bytes.subarray(0, cut), more, bytes.subarray(cut + (byte % 3))]);
        }
        try {
          decodeRequest(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
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
  ])('%s is a WireError', (_, bytes) => {
    expect(() => decodeRequest(Buffer.from(bytes))).toThrow(WireError);
  });
});

type Read = { kind?: string; [field: string]: unknown };

function plainStruct(struct: { fields?: Record<string, Read> } | undefined): unknown {
  return Object.fromEntries(Object.entries(struct?.fields ?? {}).map(([key, value]) => [key, plain(value)]));
}

function plain(value: Read): unknown {
  if ('nullValue' in value) return null;
  if ('listValue' in value) return ((value.listValue as { values?: Read[] }).values ?? []).map(plain);
  if ('structValue' in value) return plainStruct(value.structValue as { fields?: Record<string, Read> });
  return value.numberValue ?? value.stringValue ?? value.boolValue;
}
