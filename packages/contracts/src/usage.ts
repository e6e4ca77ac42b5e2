import * as z from 'zod';

/** How a decision ended, as usage counts it. */
export const outcomeSchema = z.enum([
  'allowed',
  'refused',
  'no_limit',
  'degraded_allowed',
  'degraded_refused',
]);

/**
 * What a node decided since its last frame, written to the usage stream once a second while there is anything to
 * tell. (nodeId, epoch, sequence) is unique, so that a consumer can drop repeats.
 */
export const usageFrameSchema = z.strictObject({
  nodeId: z.string(),
  epoch: z.string(),
  sequence: z.int().min(1),
  /** End of the period, unix ms. */
  atMs: z.int(),
  rows: z.array(
    z.strictObject({
      tenant: z.string(),
      api: z.string(),
      operation: z.string(),
      /** The limit that decided; null for `no_limit`. */
      limit: z.string().nullable(),
      outcome: outcomeSchema,
      count: z.int().min(1),
    }),
  ),
});

export type Outcome = z.infer<typeof outcomeSchema>;
export type UsageFrame = z.infer<typeof usageFrameSchema>;
export type UsageRow = UsageFrame['rows'][number];
