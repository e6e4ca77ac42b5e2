import { getOrAdd } from '@tollgate/contracts/maps';
import { type Long, util } from 'protobufjs/minimal.js';
import { envoy as requests } from '../generated/requests.js';
import { type google, envoy as responses } from '../generated/responses.js';
import { decodeMessage, encodeFrame } from './grpc/protocol.js';

/** The parts of `envoy.service.ratelimit.v3` that are used here. */

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
  readonly limit?: DescriptorLimit | null | undefined;
  /** Replaces the request's hits; 0: peek. */
  readonly hitsAddend?: { readonly value: Long | number } | null | undefined;
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

const { RateLimitRequest } = requests.service.ratelimit.v3;
const { RateLimitResponse } = responses.service.ratelimit.v3;

/** Replaces invalid UTF-8 by U+FFFD. @throws GrpcError `INVALID_ARGUMENT` for a malformed message */
export function decodeRequest(message: Buffer): RateLimitRequest {
  return decodeMessage(RateLimitRequest, message) as RateLimitRequest;
}

/** An unsigned 64-bit integer; rounded above 2^53. */
export function numberOf(value: Long | number): number {
  return typeof value === 'number' ? value : util.LongBits.from(value).toNumber(true);
}

/** @returns the message with its frame head */
export function encodeResponse(response: RateLimitResponse): Buffer {
  const { overallCode, statuses, responseHeaders, rawBody, metadata } = response;
  const message = {
    overallCode,
    statuses: statuses.map(statusOf),
    responseHeadersToAdd: headersOf(responseHeaders),
    rawBody: rawBody === undefined ? null : Buffer.from(rawBody),
  };
  return encodeFrame(RateLimitResponse, message, encodedMetadataOf(metadata));
}

function headersOf(fields: RateLimitResponse['responseHeaders']): { key: string; value: string }[] {
  const headers = [];
  for (const key in fields) headers.push({ key, value: fields[key] as string });
  return headers;
}

/** Many responses share their metadata. */
const encodedMetadata = new WeakMap<Metadata, Uint8Array>();

function encodedMetadataOf(metadata: Metadata): Uint8Array {
  return getOrAdd(encodedMetadata, metadata, () =>
    RateLimitResponse.encode({ dynamicMetadata: metadataOf(metadata) }).finish(),
  );
}

function statusOf({ code, currentLimit, limitRemaining, resetMs }: DescriptorStatus) {
  const durationUntilReset = resetMs === undefined ? null : durationOf(resetMs);
  return { code, currentLimit: currentLimit ?? null, limitRemaining, durationUntilReset };
}

function durationOf(ms: number): google.protobuf.Duration.$Properties {
  return { seconds: Math.floor(ms / 1000), nanos: (ms % 1000) * 1_000_000 };
}

function metadataOf(metadata: Metadata): google.protobuf.Struct.$Properties {
  const fields: Record<string, google.protobuf.Value.$Properties> = {};
  for (const key in metadata) fields[key] = metadataValueOf(metadata[key] as MetadataValue);
  return { fields };
}

function metadataValueOf(value: MetadataValue): google.protobuf.Value.$Properties {
  if (value === null) return { nullValue: 0 };
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'number') return { numberValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return isList(value)
    ? { listValue: { values: value.map(metadataValueOf) } }
    : { structValue: metadataOf(value) };
}

function isList(value: MetadataValue): value is readonly MetadataValue[] {
  return Array.isArray(value);
}
