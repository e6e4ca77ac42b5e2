import * as z from 'zod';
import { REASONS } from './answers.js';
import { nodeNameSchema, outcomeSchema, unixMsSchema } from './usage.js';

const name = z.string().regex(/^[\x21-\x7e]{1,128}$/);

const sampledPolicySchema = z.strictObject({
  name: name,
  label: name.optional(),
  limit: z.int().min(0),
  remaining: z.int().min(0),
  /** Unix ms. */
  reset: z.int(),
  mode: z.enum(['enforce', 'shadow', 'candidate']),
  success: z.boolean(),
});

export const decisionSampleSchema = z.strictObject({
  requestId: name,
  /** Unix ms, on the clock of the counter Redis. */
  atMs: unixMsSchema,
  tenant: name,
  api: name,
  operation: name,
  /** Values as in counter keys, from `dimensionValue`. Absent: no dimensions. */
  subject: z.record(name, name).optional(),
  cost: z.int().min(0),
  outcome: outcomeSchema,
  reason: z.enum(REASONS),
  /** Subject rule that denied or exempted the caller, or changed the binding limit. */
  rule: name.optional(),
  /** The binding limit; null: none. */
  limit: name.nullable(),
  policies: z.array(sampledPolicySchema),
  retryAfter: z.number().min(0).nullable(),
  delayMs: z.number().min(0),
  revision: z.int().min(0).max(2_147_483_647),
});

/** `scripts/quota-checkpoint-1.lua` defines how two of them merge. */
const quotaCheckpointSchema = z.strictObject({
  tenant: name,
  key: z.string().regex(/^[\x21-\x7e]{1,1024}$/),
  /** Identifies the counter's period. */
  periodEndMs: unixMsSchema,
  used: z.int().min(0),
  /** Time of the reading, microseconds since the Unix epoch. */
  atUs: z.int().min(0),
  /** First reading after a refund, microseconds; 0: no refund. */
  loweredAtUs: z.int().min(0),
});

/** Samples and changed quota counters. Has its own stream, so that it cannot displace usage. */
export const nodeJournalSchema = z.strictObject({
  nodeId: nodeNameSchema,
  atMs: unixMsSchema,
  samples: z.array(decisionSampleSchema),
  checkpoints: z.array(quotaCheckpointSchema),
});

export type DecisionSample = z.infer<typeof decisionSampleSchema>;
export type NodeJournalEntry = z.infer<typeof nodeJournalSchema>;
