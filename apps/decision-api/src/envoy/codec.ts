import { ProtoReader, ProtoWriter, WIRE } from './protobuf.js';

/** The parts of `envoy.service.ratelimit.v3` that are read or written here. */

export interface DescriptorEntry {
  readonly key: string;
  readonly value: string;
}

/** A limit in a descriptor; replaces configured ones. */
export interface DescriptorLimit {
  readonly requestsPerUnit: number;
  readonly unit: number;
}

export interface Descriptor {
  readonly entries: readonly DescriptorEntry[];
  readonly limit: DescriptorLimit | undefined;
  /** Replaces the request's hits; 0: peek. */
  readonly hitsAddend: number | undefined;
  /** `hitsAddend` is a refund. */
  readonly isNegativeHits: boolean;
}

export interface RateLimitRequest {
  readonly domain: string;
  readonly descriptors: readonly Descriptor[];
  /** 0 or absent: 1. */
  readonly hitsAddend: number;
}

export const CODE = { UNKNOWN: 0, OK: 1, OVER_LIMIT: 2 } as const;
export type Code = (typeof CODE)[keyof typeof CODE];

/** Units by number. `WEEK` is valid in a status but not in an override, whose enum ends at YEAR. */
export const UNITS = ['UNKNOWN', 'SECOND', 'MINUTE', 'HOUR', 'DAY', 'MONTH', 'YEAR', 'WEEK'] as const;

export const MAX_UINT32 = 0xffff_ffff;

export interface DescriptorStatus {
  readonly code: Code;
  /** Absent: no limit matched. */
  readonly currentLimit?: { readonly requestsPerUnit: number; readonly unit: number; readonly name: string };
  readonly limitRemaining: number;
  readonly resetMs?: number;
}

export type MetadataValue = string | number | boolean | null | readonly MetadataValue[] | Metadata;
export interface Metadata {
  readonly [key: string]: MetadataValue;
}

export interface RateLimitResponse {
  readonly overallCode: Code;
  readonly statuses: readonly DescriptorStatus[];
  /** To the client, in both outcomes. */
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly rawBody?: string;
  readonly metadata: Metadata;
}

const { varint, bytes } = WIRE;

/** Tags of the decoded fields. The last value of a repeated field wins; unknown fields are skipped. */
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

/** @param before an earlier occurrence of the message: repeated messages are merged */
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

const writer = new ProtoWriter();

/** @param reserved bytes before the message for the caller to fill */
export function encodeResponse(response: RateLimitResponse, reserved = 0): Buffer {
  writer.begin(reserved);
  writer.number(1, response.overallCode);
  for (const status of response.statuses) writeStatus(status);
  for (const name in response.responseHeaders) writeHeader(3, name, response.responseHeaders[name] as string);
  if (response.rawBody !== undefined) writer.string(5, response.rawBody);
  const metadata = writer.open(6);
  writeStruct(response.metadata);
  writer.close(metadata);
  return writer.finish();
}

function writeStatus({ code, currentLimit, limitRemaining, resetMs }: DescriptorStatus): void {
  const status = writer.open(2);
  writer.number(1, code);
  if (currentLimit !== undefined) {
    const limit = writer.open(2);
    writer.number(1, currentLimit.requestsPerUnit);
    writer.number(2, currentLimit.unit);
    writer.string(3, currentLimit.name);
    writer.close(limit);
  }
  writer.number(3, limitRemaining);
  if (resetMs !== undefined) {
    const duration = writer.open(4);
    writer.number(1, Math.floor(resetMs / 1000));
    writer.number(2, (resetMs % 1000) * 1_000_000);
    writer.close(duration);
  }
  writer.close(status);
}

function writeHeader(field: number, name: string, value: string): void {
  const header = writer.open(field);
  writer.string(1, name);
  writer.string(2, value);
  writer.close(header);
}

function writeStruct(struct: Metadata): void {
  for (const key in struct) {
    const entry = writer.open(1);
    writer.string(1, key);
    const value = writer.open(2);
    writeValue(struct[key] as MetadataValue);
    writer.close(value);
    writer.close(entry);
  }
}

/** Writes `google.protobuf.Value`: one field of the oneof, even when its value is the default. */
function writeValue(value: MetadataValue): void {
  if (value === null) {
    writer.bool(1, false);
  } else if (typeof value === 'number') {
    writer.double(2, value);
  } else if (typeof value === 'string') {
    writer.text(3, value);
  } else if (typeof value === 'boolean') {
    writer.bool(4, value);
  } else if (isList(value)) {
    const list = writer.open(6);
    for (const one of value) {
      const item = writer.open(1);
      writeValue(one);
      writer.close(item);
    }
    writer.close(list);
  } else {
    const struct = writer.open(5);
    writeStruct(value);
    writer.close(struct);
  }
}

function isList(value: MetadataValue): value is readonly MetadataValue[] {
  return Array.isArray(value);
}
