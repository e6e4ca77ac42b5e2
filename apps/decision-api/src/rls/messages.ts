/** The messages of `envoy.service.ratelimit.v3`, as far as anything reads or writes them. */

export interface DescriptorEntry {
  readonly key: string;
  /** May be empty. */
  readonly value: string;
}

/** A limit that a descriptor brings along, in the place of configured ones. */
export interface DescriptorLimit {
  readonly requestsPerUnit: number;
  readonly unit: number;
}

export interface Descriptor {
  readonly entries: readonly DescriptorEntry[];
  readonly limit: DescriptorLimit | undefined;
  /** In the place of the request's; 0: look. */
  readonly hitsAddend: number | undefined;
  /** What the hits are is given back. */
  readonly isNegativeHits: boolean;
}

export interface RateLimitRequest {
  readonly domain: string;
  readonly descriptors: readonly Descriptor[];
  /** 0, or left out: 1. */
  readonly hitsAddend: number;
}

export const CODE = { UNKNOWN: 0, OK: 1, OVER_LIMIT: 2 } as const;
export type Code = (typeof CODE)[keyof typeof CODE];

/** Units by number. A status may say WEEK, an override may not: its enum ends at YEAR. */
export const UNITS = ['UNKNOWN', 'SECOND', 'MINUTE', 'HOUR', 'DAY', 'MONTH', 'YEAR', 'WEEK'] as const;

/** What stands for an unlimited amount. */
export const MAX_UINT32 = 0xffff_ffff;

export interface DescriptorStatus {
  readonly code: Code;
  /** Left out: no limit matched. */
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
  /** Body of the refusal. */
  readonly rawBody?: string;
  readonly metadata: Metadata;
}
