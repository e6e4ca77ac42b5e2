import type { DescriptorStatus, Metadata, MetadataValue, RateLimitResponse } from './messages.js';
import { ProtoWriter } from './wire/proto-writer.js';

const writer = new ProtoWriter();

/** Writes `envoy.service.ratelimit.v3.RateLimitResponse`. @param reserved bytes before it, left for the caller to fill */
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

/** `google.protobuf.Struct`. */
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

/** `google.protobuf.Value`: which of its fields is there says what it is, so that none is left out. */
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
