import * as z from 'zod';
import { REASONS } from './answers.js';
import { nodeNameSchema, outcomeSchema, unixMsSchema } from './usage.js';

const name = z.string().regex(/^[\x21-\x7e]{1,128}$/);

/** What one limit said in a sampled decision. */
const sampledPolicySchema = z.strictObject({
  name: name,
  limit: z.int().min(0),
  remaining: z.int().min(0),
  /** Unix ms. */
  reset: z.int(),
  mode: z.enum(['enforce', 'shadow', 'candidate']),
  success: z.boolean(),
});

/** One decision, as it was made. */
export const decisionSampleSchema = z.strictObject({
  requestId: name,
  /** Unix ms, by the counters' clock where it was asked. */
  atMs: unixMsSchema,
  tenant: name,
  api: name,
  operation: name,
  /**
   * Who asked: the value of each dimension as counter keys have it, from `dimensionValue` of the decision plane. Left out:
   * nothing was said of it.
   */
  subject: z.record(name, name).optional(),
  cost: z.int().min(0),
  outcome: outcomeSchema,
  reason: z.enum(REASONS),
  /** The limit that decided; null: none did. */
  limit: name.nullable(),
  policies: z.array(sampledPolicySchema),
  /** Seconds; null: never. */
  retryAfter: z.number().min(0).nullable(),
  delayMs: z.number().min(0),
  revision: z.int().min(0).max(2_147_483_647),
});

/** What was seen used of a quota counter; see `scripts/quota-checkpoint.lua` for how two of them merge. */
const quotaCheckpointSchema = z.strictObject({
  tenant: name,
  /** The counter's key. */
  key: z.string().regex(/^[\x21-\x7e]{1,1024}$/),
  /** Unix ms; tells the counter's periods apart. */
  periodEndMs: unixMsSchema,
  used: z.int().min(0),
  /** The counters' time of the reading, microseconds since the Unix epoch. */
  atUs: z.int().min(0),
  /** That of the first reading after something was given back, microseconds; 0: nothing was. */
  loweredAtUs: z.int().min(0),
});

/**
 * What a node saw in the last second that may be lost: a sample of its decisions, and quota counters that changed. Written
 * to a stream of its own, so that it never takes the room of usage.
 */
export const nodeJournalSchema = z.strictObject({
  nodeId: nodeNameSchema,
  atMs: unixMsSchema,
  samples: z.array(decisionSampleSchema),
  checkpoints: z.array(quotaCheckpointSchema),
});

export type DecisionSample = z.infer<typeof decisionSampleSchema>;
export type NodeJournalEntry = z.infer<typeof nodeJournalSchema>;
