import {
  ADJUSTMENT_SOURCES,
  type AmendAnswer,
  type LimitAnswer,
  limitPolicySchema,
  PROBLEMS,
  type Problem,
  type ProblemCode,
  REASONS,
  type TenantLimits,
} from '@tollgate/contracts';
import * as z from 'zod';

/** `satisfies` keeps these schemas equal to the types in contracts. */

const requestId = z.string();
const revision = z.int().describe('Policy revision that decided');
const adjustmentSource = z.enum(ADJUSTMENT_SOURCES);
const source = z.enum(['default', 'tier', ...ADJUSTMENT_SOURCES, 'subject_rule', 'parent']);

const policyResult = z.strictObject({
  name: z.string(),
  label: z
    .string()
    .exactOptional()
    .describe(
      'Of an amount per label: the label, or `*` for all labels without an own amount; `parent` for a limit that the parent tenant shares, `floor` and `common` for its parts; absent: the limit itself',
    ),
  limit: z.int(),
  remaining: z.int().describe('Requests of cost 1 that would be allowed now'),
  reset: z.int().describe('Unix ms at which nothing of the limit is used any more'),
  window: z.number().describe('Seconds; 0 for a limit of requests in flight'),
  mode: z.enum(['enforce', 'shadow', 'candidate']),
  success: z.boolean(),
  inHeaders: z.literal(false).exactOptional().describe('The limit is hidden from headers'),
});

export const limitAnswerSchema = z.strictObject({
  success: z.boolean(),
  policy: z.string().nullable().describe('Name of the binding limit'),
  limit: z.int().nullable(),
  remaining: z.int().nullable(),
  used: z.int().nullable(),
  reset: z.int().nullable().describe('Unix ms at which nothing of the binding limit is used any more'),
  retryAfter: z
    .int()
    .nullable()
    .describe('Whole seconds; 0 when allowed; null when waiting does not help: the cost can never pass'),
  cost: z.int(),
  reason: z.enum(REASONS),
  source: source.nullable(),
  policies: z.array(policyResult).describe('Every limit that was checked'),
  decidedAt: z
    .int()
    .exactOptional()
    .describe('Time of the decision by the clock of the counters, Unix ms; `reset` is relative to it'),
  delayMs: z.int().describe('How long to wait before the request is run; 0: run it now'),
  degraded: z.boolean().describe('Decided without the counters'),
  detail: z.string().exactOptional().describe('Text for a caller that a subject rule denies'),
  rule: z
    .string()
    .exactOptional()
    .describe(
      'Id of the subject rule that denies or exempts the caller, or that changed `limit` for the caller',
    ),
  revision,
  requestId,
  docs: z.string().exactOptional().describe('Denied, with CONSOLE_URL: page about denied requests'),
  explain: z
    .string()
    .exactOptional()
    .describe('Denied, with CONSOLE_URL: explanation of this decision, valid for a week'),
}) satisfies z.ZodType<LimitAnswer>;

export const reservationSchema = limitAnswerSchema.extend({
  expiresAt: z
    .int()
    .nullable()
    .describe('Unix ms at which the reservation expires; null: nothing is reserved'),
});

export const amendAnswerSchema = z.strictObject({
  status: z
    .enum(['applied', 'done', 'not_found', 'rejected', 'unavailable'])
    .describe('not_found: never charged or expired; unavailable: returned with 503'),
  returned: z.int().describe('Units refunded (positive) or charged in addition (negative)'),
  revision: z.int(),
  requestId: requestId.nullable(),
}) satisfies z.ZodType<AmendAnswer>;

export const capacityAnswerSchema = z.strictObject({ status: z.literal('applied'), revision: z.int() });

export const problemSchema = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]),
    retryable: z.boolean(),
    detail: z.string().exactOptional(),
    errors: z.array(z.strictObject({ field: z.string(), message: z.string() })).exactOptional(),
    requestId: requestId.exactOptional(),
    docs: z.string().exactOptional().describe('Path of the page that explains the code'),
  })
  .describe('RFC 9457 problem details') satisfies z.ZodType<Problem>;

export const batchAnswerSchema = z.strictObject({
  answers: z.array(z.union([limitAnswerSchema, problemSchema])).describe('One an item, in order'),
});

export const tenantLimitsSchema = z.strictObject({
  tenant: z.string(),
  api: z.string(),
  revision: z.int(),
  limits: z.array(
    z.strictObject({
      policy: limitPolicySchema,
      summary: z.string(),
      source,
      provenance: z.array(
        z.strictObject({
          source: adjustmentSource,
          id: z.string(),
          from: z.int(),
          to: z.int(),
        }),
      ),
    }),
  ),
}) satisfies z.ZodType<TenantLimits>;

export const healthSchema = z.strictObject({ status: z.literal('ok') });

export const versionSchema = z.strictObject({ version: z.string(), commit: z.string() });

export const readinessSchema = z.strictObject({
  status: z.literal('ready'),
  revision: z.int(),
  degraded: z.boolean(),
  counters: z.enum(['never-reached', 'available', 'unavailable']),
  policyAgeMs: z.int().nullable(),
  policyStale: z.boolean(),
  warnings: z.array(z.string()),
});
