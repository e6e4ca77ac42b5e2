import * as z from 'zod';
import { apiKeySchema, limitNameSchema, subjectDimensionSchema } from './names.js';

/** Of one tenant, or of the platform. */
export const MAX_SUBJECT_RULES = 1000;

export const MAX_SUBJECT_PATTERN = 256;

const MAX_DENIAL_MESSAGE = 200;

const atLeast1 = (name: string) =>
  z.int(`${name} must be a whole number`).min(1, `${name} must be 1 or more`);

const CHANGES = [
  z.strictObject({ kind: z.literal('set'), limit: atLeast1('limit') }),
  z.strictObject({
    kind: z.literal('multiply'),
    percent: atLeast1('percent').max(1_000_000, 'percent must be at most 1,000,000'),
  }),
] as const;

const ACCESS = [
  z.strictObject({ kind: z.literal('exempt') }),
  z.strictObject({
    kind: z.literal('deny'),
    /** Detail of the problem that denied callers get. */
    message: z
      .string()
      .min(1)
      .max(MAX_DENIAL_MESSAGE, `message has at most ${MAX_DENIAL_MESSAGE} characters`)
      .optional(),
  }),
] as const;

/** `set` and `multiply` (percent, 200 doubles) change one limit for the subject, `exempt` lifts limits, `deny` blocks. */
export const subjectEffectSchema = z.discriminatedUnion('kind', [...CHANGES, ...ACCESS]);

/** Effects of rules for all tenants. */
export const accessEffectSchema = z.discriminatedUnion('kind', [...ACCESS]);

export type SubjectEffect = z.infer<typeof subjectEffectSchema>;

const fields = {
  id: z.string().min(1).max(64),
  dimension: subjectDimensionSchema,
  /** A value, a prefix and `*`, or for `ip` an address or a network such as 10.0.0.0/8. */
  pattern: z.string().min(1).max(MAX_SUBJECT_PATTERN),
  /** Absent: every API. */
  api: apiKeySchema.optional(),
  /** Unix ms, inclusive; absent: from the beginning. */
  fromMs: z.int().optional(),
  /** Unix ms, exclusive; absent: until it is removed. */
  untilMs: z.int().optional(),
};

/** Fields that do not fit together, with the fix. */
export function findSubjectRuleProblem({
  api,
  limit,
  effect,
}: {
  readonly api?: string | null | undefined;
  readonly limit?: string | null | undefined;
  readonly effect: Pick<SubjectEffect, 'kind'>;
}): { field: 'api' | 'limit'; message: string } | undefined {
  if (limit == null) {
    const isChange = effect.kind === 'set' || effect.kind === 'multiply';
    return isChange ? { field: 'limit', message: `${effect.kind} needs the name of the limit` } : undefined;
  }
  if (api == null) return { field: 'api', message: 'limit needs the API that it belongs to' };
  if (effect.kind !== 'deny') return undefined;
  return { field: 'limit', message: 'deny blocks every limit of the API; leave limit out' };
}

/** What applies to the requests of some subjects of a tenant (docs/rules/subjects.md). */
export const subjectRuleSchema = z
  .strictObject({ ...fields, limit: limitNameSchema.optional(), effect: subjectEffectSchema })
  .superRefine((rule, context) => {
    const problem = findSubjectRuleProblem(rule);
    if (problem === undefined) return;
    context.addIssue({ code: 'custom', path: [problem.field], message: problem.message });
  });

/** A rule for the subjects of all tenants. */
export const platformRuleSchema = z.strictObject({ ...fields, effect: accessEffectSchema });

export type SubjectRule = z.infer<typeof subjectRuleSchema>;
export type PlatformRule = z.infer<typeof platformRuleSchema>;
