import * as z from 'zod';

/** Names are ASCII, see `names.ts`; `*` stands for what a frame had no room for. */
const name = z.string().regex(/^[\x21-\x7e]{1,128}$/);

const counterName = z.string().regex(/^[\x21-\x7e]{1,1024}$/);

/** Before the year 10000: what is later is no time of ours, and not every date can hold it. */
export const unixMsSchema = z.int().min(0).max(253_402_300_799_999);

/** What a node calls itself. Postgres takes no NUL. */
export const nodeNameSchema = z
  .string()
  .max(256)
  .refine((text) => !text.includes('\0'), 'must not hold NUL');

/** How a decision ended, as usage counts it. */
export const outcomeSchema = z.enum([
  'allowed',
  'refused',
  /** Allowed past the limit: in the soft band, or on borrowed capacity. */
  'over_limit',
  /** Allowed only because the limit that refused is not enforced. */
  'shadow_refused',
  /** Refused by the API's pool. */
  'pool_refused',
  'no_limit',
  'degraded_allowed',
  'degraded_refused',
]);

/** Decisions of one minute that ended alike. Two rows of a frame may name the same: their numbers add up. */
const usageRowSchema = z.strictObject({
  tenant: name,
  api: name,
  operation: name,
  /** The limit that decided; null for `no_limit`. */
  limit: name.nullable(),
  outcome: outcomeSchema,
  /** Whole minutes since the Unix epoch, by the counters' clock where it was asked. */
  minute: z.int().min(0),
  /** Decisions. */
  count: z.int().min(1),
  /** What these decisions cost, or would have. */
  units: z.int().min(0),
});

/** A counter's use reached a part of its limit. */
export const limitCrossingSchema = z.strictObject({
  /** The same on every node for one counter, threshold and window: a consumer drops what it has seen. */
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
 * A counter that many refusals came from. Between `units` - `error` and `units` were refused. To merge lists, add both
 * numbers up by counter; one that a full list does not name had at most that list's least `units`.
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

/** When an API key was last seen by a node. */
export const keyUseSchema = z.strictObject({ publicId: name, atMs: unixMsSchema });

/**
 * What a node decided since its last frame, written to the usage stream once a second while there is anything to
 * tell. (nodeId, epoch, sequence) is unique, and a node's frames come in order, so that a consumer can drop repeats.
 */
export const usageFrameSchema = z.strictObject({
  nodeId: nodeNameSchema,
  epoch: nodeNameSchema,
  sequence: z.int().min(1),
  /** End of the period, unix ms. */
  atMs: unixMsSchema,
  rows: z.array(usageRowSchema),
  /** Left out: none. */
  crossings: z.array(limitCrossingSchema).optional(),
  /** Crossings that this frame had no room for; left out: 0. */
  crossingsDropped: z.int().min(1).optional(),
  /** Most refused units of this frame's period first; left out: none. */
  offenders: z.array(offenderSchema).optional(),
  /** API keys that were used in this period, each once; left out: none. */
  keys: z.array(keyUseSchema).optional(),
});

export type Outcome = z.infer<typeof outcomeSchema>;
export type UsageFrame = z.infer<typeof usageFrameSchema>;
export type UsageRow = z.infer<typeof usageRowSchema>;
export type LimitCrossing = z.infer<typeof limitCrossingSchema>;
export type KeyUse = z.infer<typeof keyUseSchema>;
export type Offender = z.infer<typeof offenderSchema>;
