import * as z from 'zod';

/** Names are ASCII, see `names.ts`; `*` aggregates names that did not fit into a frame. */
const name = z.string().regex(/^[\x21-\x7e]{1,128}$/);

const counterName = z.string().regex(/^[\x21-\x7e]{1,1024}$/);

/** Before the year 10000: later dates cannot be stored everywhere. */
export const unixMsSchema = z.int().min(0).max(253_402_300_799_999);

/** Name of a node. Postgres does not accept NUL. */
export const nodeNameSchema = z
  .string()
  .max(256)
  .refine((text) => !text.includes('\0'), 'must not contain NUL');

/** How a decision ended, as usage counts it. */
export const outcomeSchema = z.enum([
  'allowed',
  'denied',
  /** Allowed past the limit: in the soft band, or on borrowed capacity. */
  'over_limit',
  /** Allowed only because the limit that denied is not enforced. */
  'shadow_denied',
  /** Denied by the API's pool. */
  'pool_denied',
  'no_limit',
  'degraded_allowed',
  'degraded_denied',
]);

/** Decisions of one minute that ended alike. Two rows of a frame may name the same: their numbers add up. */
const usageRowSchema = z.strictObject({
  tenant: name,
  api: name,
  operation: name,
  /** The limit that decided; null for `no_limit`. */
  limit: name.nullable(),
  outcome: outcomeSchema,
  /** Whole minutes since the Unix epoch, on the clock of the counter Redis. */
  minute: z.int().min(0),
  /** Decisions. */
  count: z.int().min(1),
  /** Units of these decisions, charged or not. */
  units: z.int().min(0),
});

/** A counter's use reached a part of its limit. */
export const limitCrossingSchema = z.strictObject({
  /** Equal on every node for one counter, threshold and window: consumers drop duplicates. */
  id: counterName,
  tenant: name,
  api: name,
  limit: name,
  /** The counter's key; it names the subject. */
  counter: counterName,
  /** Threshold that was reached, percent of `capacity`. */
  percent: z.int().min(1),
  /** Units, at the decision that reached it. */
  used: z.int().min(0),
  capacity: z.int().min(1),
  atMs: unixMsSchema,
});

/**
 * A counter with many denied requests. Denied units lie between `units` - `error` and `units`. To merge lists, add
 * both numbers per counter; a counter missing in a full list had at most the smallest `units` of that list.
 */
export const offenderSchema = z.strictObject({
  tenant: name,
  api: name,
  limit: name,
  /** The counter's key; it names the subject. */
  counter: counterName,
  units: z.int().min(1),
  error: z.int().min(0),
});

/** Last use of an API key on a node. */
export const keyUseSchema = z.strictObject({ publicId: name, atMs: unixMsSchema });

/**
 * Decisions of a node since its last frame, written to the usage stream once per second if there are any. (nodeId,
 * epoch, sequence) is unique and ordered per node, so that consumers can drop duplicates.
 */
export const usageFrameSchema = z.strictObject({
  nodeId: nodeNameSchema,
  epoch: nodeNameSchema,
  sequence: z.int().min(1),
  /** End of the period, unix ms. */
  atMs: unixMsSchema,
  rows: z.array(usageRowSchema),
  /** Absent: none. */
  crossings: z.array(limitCrossingSchema).optional(),
  /** Crossings that did not fit into this frame; default 0. */
  crossingsDropped: z.int().min(1).optional(),
  /** Ordered by denied units of the frame's period, highest first; absent: none. */
  offenders: z.array(offenderSchema).optional(),
  /** API keys used in this period, each once; absent: none. */
  keys: z.array(keyUseSchema).optional(),
});

export type Outcome = z.infer<typeof outcomeSchema>;
export type UsageFrame = z.infer<typeof usageFrameSchema>;
export type UsageRow = z.infer<typeof usageRowSchema>;
export type LimitCrossing = z.infer<typeof limitCrossingSchema>;
export type KeyUse = z.infer<typeof keyUseSchema>;
export type Offender = z.infer<typeof offenderSchema>;
