import * as z from 'zod';

/** `*` aggregates names that did not fit into a frame. */
const name = z.string().regex(/^[\x21-\x7e]{1,128}$/);

const counterName = z.string().regex(/^[\x21-\x7e]{1,1024}$/);

/** Later dates than the year 9999 cannot be stored everywhere. */
export const unixMsSchema = z.int().min(0).max(253_402_300_799_999);

/** Postgres does not accept NUL. */
export const nodeNameSchema = z
  .string()
  .max(256)
  .refine((text) => !text.includes('\0'), 'must not contain NUL');

export const outcomeSchema = z.enum([
  'allowed',
  'denied',
  /** Allowed above the limit: soft band or borrowed capacity. */
  'over_limit',
  /** Allowed because the limit that denied is not enforced. */
  'shadow_denied',
  'pool_denied',
  'no_limit',
  'degraded_allowed',
  'degraded_denied',
]);

/** Upper bounds of the buckets that requests are counted in by duration; a last bucket is unbounded. */
export const LATENCY_BOUNDS_MS: readonly number[] = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1000];

/** Rows of a frame with the same keys add up. */
const usageRowSchema = z.strictObject({
  tenant: name,
  api: name,
  operation: name,
  limit: name.nullable(),
  outcome: outcomeSchema,
  /** Minutes since the Unix epoch, on the clock of the counter Redis. */
  minute: z.int().min(0),
  /** 0: only the limit's candidate was counted. */
  count: z.int().min(0),
  /** Charged or not. */
  units: z.int().min(0),
  /**
   * Decisions that also checked the limit's candidate, while the limit itself had this outcome (allowed, denied or
   * shadow_denied). Not part of `count`, because another limit may have decided them. Absent: 0.
   */
  candidateCount: z.int().min(1).optional(),
  /** Those of `candidateCount` that the candidate would have denied. Absent: 0. */
  candidateDenied: z.int().min(1).optional(),
  /** Their units. Absent: 0. */
  candidateDeniedUnits: z.int().min(0).optional(),
});

export const limitCrossingSchema = z.strictObject({
  /** Equal on every node for one counter, threshold and window, to drop duplicates. */
  id: counterName,
  tenant: name,
  api: name,
  limit: name,
  counter: counterName,
  /** Percent of `capacity`. */
  percent: z.int().min(1),
  used: z.int().min(0),
  capacity: z.int().min(1),
  atMs: unixMsSchema,
});

/**
 * Denied units lie between `units` - `error` and `units`. Merged lists add both per counter; a counter missing in a
 * full list had at most its smallest `units`.
 */
export const offenderSchema = z.strictObject({
  tenant: name,
  api: name,
  limit: name,
  counter: counterName,
  units: z.int().min(1),
  error: z.int().min(0),
});

/** The highest usage of a tenant's limit in a frame's period; of a limit with dimensions: of its fullest counter. */
export const limitPeakSchema = z.strictObject({
  tenant: name,
  api: name,
  limit: name,
  /** May exceed `capacity` (soft band, borrowed capacity). */
  used: z.int().min(0),
  /** Of the limit in effect at that time. */
  capacity: z.int().min(1),
  /** Denied units, of all counters. */
  denied: z.int().min(0),
  /** Quotas only: the end of the period; `used` is the newest reading. */
  periodEndMs: unixMsSchema.optional(),
  atMs: unixMsSchema,
});

export const keyUseSchema = z.strictObject({ publicId: name, atMs: unixMsSchema });

/** Decisions of a node in about a second. (nodeId, epoch, sequence) is unique and ordered per node. */
export const usageFrameSchema = z.strictObject({
  nodeId: nodeNameSchema,
  epoch: nodeNameSchema,
  sequence: z.int().min(1),
  /** End of the period. */
  atMs: unixMsSchema,
  rows: z.array(usageRowSchema),
  crossings: z.array(limitCrossingSchema).optional(),
  /** Crossings that did not fit into this frame. */
  crossingsDropped: z.int().min(1).optional(),
  /** By denied units of the period, highest first. */
  offenders: z.array(offenderSchema).optional(),
  peaks: z.array(limitPeakSchema).optional(),
  keys: z.array(keyUseSchema).optional(),
  /** Requests answered in the period, per bucket of {@link LATENCY_BOUNDS_MS}. */
  durations: z
    .array(z.int().min(0))
    .length(LATENCY_BOUNDS_MS.length + 1)
    .optional(),
});

export type Outcome = z.infer<typeof outcomeSchema>;
export type UsageFrame = z.infer<typeof usageFrameSchema>;
export type UsageRow = z.infer<typeof usageRowSchema>;
export type LimitCrossing = z.infer<typeof limitCrossingSchema>;
export type LimitPeak = z.infer<typeof limitPeakSchema>;
export type KeyUse = z.infer<typeof keyUseSchema>;
export type Offender = z.infer<typeof offenderSchema>;
