import { limitPolicySchema } from '@tollgate/contracts';
import * as z from 'zod';

/** What the replay reads of an answer of `POST /v1/limit`; other fields may come and go. */
export const limitAnswerSchema = z.object({
  success: z.boolean(),
  policy: z.string().nullable(),
  cost: z.int().min(0),
  reason: z.string(),
  degraded: z.boolean(),
  revision: z.int(),
  policies: z.array(
    z.object({
      name: z.string(),
      limit: z.int(),
      window: z.number(),
      reset: z.int(),
      mode: z.enum(['enforce', 'shadow', 'candidate']),
    }),
  ),
});

export type ReadLimitAnswer = z.infer<typeof limitAnswerSchema>;

/** What is read of the answer of `GET /v1/limits`. */
export const tenantLimitsSchema = z.object({
  tenant: z.string(),
  api: z.string(),
  revision: z.int(),
  limits: z.array(z.object({ policy: limitPolicySchema, summary: z.string() })),
});

export type ReadTenantLimits = z.infer<typeof tenantLimitsSchema>;

/** What is read of RFC 9457 problem details. */
export const problemSchema = z.object({
  code: z.string(),
  title: z.string(),
  detail: z.string().optional(),
  errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
});
