import type { Descriptor, DescriptorEntry, DescriptorLimit, RateLimitRequest } from './messages.js';
import { ProtoReader, WIRE } from './wire/proto-reader.js';

const { varint, bytes } = WIRE;

/** Tags of the fields that are read. Of a field that comes twice, the last one counts; unknown ones are passed over. */
const TAG = {
  domain: 8 + bytes,
  descriptors: 16 + bytes,
  hitsAddend: 24 + varint,
  entries: 8 + bytes,
  limit: 16 + bytes,
  ownHitsAddend: 24 + bytes,
  isNegativeHits: 32 + varint,
  first: 8 + bytes,
  second: 16 + bytes,
  firstNumber: 8 + varint,
  secondNumber: 16 + varint,
} as const;

/** Reads `envoy.service.ratelimit.v3.RateLimitRequest`. @throws WireError */
export function decodeRequest(message: Buffer): RateLimitRequest {
  const reader = new ProtoReader(message);
  const descriptors: Descriptor[] = [];
  let domain = '';
  let hitsAddend = 0;
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === TAG.domain) domain = reader.string();
    else if (tag === TAG.descriptors) descriptors.push(readDescriptor(reader));
    else if (tag === TAG.hitsAddend) hitsAddend = reader.uint32();
    else reader.skip(tag);
  }
  return { domain, descriptors, hitsAddend };
}

function readDescriptor(reader: ProtoReader): Descriptor {
  const outer = reader.enter();
  const entries: DescriptorEntry[] = [];
  let limit: DescriptorLimit | undefined;
  let hitsAddend: number | undefined;
  let isNegativeHits = false;
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === TAG.entries) entries.push(readEntry(reader));
    else if (tag === TAG.limit) limit = readLimit(reader, limit);
    else if (tag === TAG.ownHitsAddend) hitsAddend = readWrapped(reader, hitsAddend);
    else if (tag === TAG.isNegativeHits) isNegativeHits = reader.varint() !== 0;
    else reader.skip(tag);
  }
  reader.leave(outer);
  return { entries, limit, hitsAddend, isNegativeHits };
}

function readEntry(reader: ProtoReader): DescriptorEntry {
  const outer = reader.enter();
  let key = '';
  let value = '';
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === TAG.first) key = reader.string();
    else if (tag === TAG.second) value = reader.string();
    else reader.skip(tag);
  }
  reader.leave(outer);
  return { key, value };
}

/** @param before a message that comes twice is the two of them together */
function readLimit(reader: ProtoReader, before: DescriptorLimit | undefined): DescriptorLimit {
  const outer = reader.enter();
  let { requestsPerUnit, unit } = before ?? { requestsPerUnit: 0, unit: 0 };
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === TAG.firstNumber) requestsPerUnit = reader.uint32();
    else if (tag === TAG.secondNumber) unit = reader.uint32();
    else reader.skip(tag);
  }
  reader.leave(outer);
  return { requestsPerUnit, unit };
}

function readWrapped(reader: ProtoReader, before = 0): number {
  const outer = reader.enter();
  let value = before;
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === TAG.firstNumber) value = reader.varint();
    else reader.skip(tag);
  }
  reader.leave(outer);
  return value;
}
