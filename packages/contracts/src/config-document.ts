import * as z from 'zod';
import { adjustmentEffectSchema } from './adjustments.js';
import { CARRY_OVERS } from './carry-over.js';
import { MAX_COST } from './countable.js';
import {
  type AlgorithmName,
  byAlgorithm,
  type LimitDraft,
  type LimitPolicy,
  MAX_WINDOW_MS,
  policyFields,
  type Rule,
  ruleDefaults,
} from './limit-policy.js';
import { childFloorsSchema } from './limit-sharing.js';
import {
  apiKeySchema,
  limitNameSchema,
  offerKeySchema,
  operationNameSchema,
  subjectDimensionSchema,
  tagSchema,
  tenantKeySchema,
  tierKeySchema,
  timeZoneSchema,
} from './names.js';
import {
  headerStylesSchema,
  MAX_ALERT_PERCENTS,
  MAX_ALERT_SETTINGS,
  poolSchema,
  prioritySchema,
} from './snapshot.js';
import {
  accessEffectSchema,
  MAX_SUBJECT_PATTERN,
  MAX_SUBJECT_RULES,
  subjectEffectSchema,
} from './subject-rules.js';

export const configFields = {
  name: z.string().min(1, 'Enter a name').max(80, 'At most 80 characters'),
  description: z.string().max(500, 'At most 500 characters').optional(),
  tags: z.array(tagSchema).max(20, 'At most 20 tags').optional(),
};

export const configTarget = {
  api: apiKeySchema.optional(),
  limit: limitNameSchema.optional(),
};

export const configCarryOver = z.enum(CARRY_OVERS).optional();

const [add, multiply] = adjustmentEffectSchema.options;

/** The server validates which fields may be combined: upgrades renew, top-ups expire. */
export const configOfferSchema = z.strictObject({
  name: configFields.name,
  description: configFields.description,
  kind: z.enum(['upgrade', 'topup']),
  /** Default: active. */
  status: z.enum(['draft', 'active', 'archived']).optional(),
  /** For one unit and period, in the smallest unit of the currency. */
  price: z.int().min(1),
  currency: z.string().regex(/^[A-Z]{3}$/, 'Write an ISO 4217 code, such as EUR'),
  interval: z.enum(['month', 'year']).optional(),
  validDays: z.int().min(1).optional(),
  graceDays: z.int().min(0).optional(),
  /** Tiers that may buy it; default: all. */
  tiers: z.array(tierKeySchema).max(50).optional(),
  maxQuantity: z.int().min(1).optional(),
  stock: z.int().min(0).optional(),
  carryOver: configCarryOver,
  effects: z
    .array(
      z.strictObject({
        ...configTarget,
        appliesTo: z.enum(['rate', 'quota']).optional(),
        effect: z.discriminatedUnion('kind', [add, multiply]),
      }),
    )
    .min(1),
});

export type ConfigOffer = z.infer<typeof configOfferSchema>;

/** Overrides of one tenant in a configuration. */
const MAX_OVERRIDES = 64;

const moment = z.iso.datetime({ offset: true, error: 'Write a time such as 2030-12-31T00:00:00Z' });

/** Overrides of one tenant must have different targets. */
const configOverrideSchema = z.strictObject({
  ...configTarget,
  appliesTo: z.enum(['rate', 'quota']).optional(),
  effect: adjustmentEffectSchema,
  /** Default: when first applied. */
  starts: moment.optional(),
  /** Default: when removed from the configuration. */
  expires: moment.optional(),
  carryOver: configCarryOver,
  reason: z.string().min(1, 'Explain why, for the audit log').max(500),
});

const configAlertSchema = z.strictObject({
  ...configTarget,
  percents: z
    .array(z.int().min(1, 'A threshold is 1 percent or more').max(100, 'A threshold is 100 percent or less'))
    .min(1)
    .max(MAX_ALERT_PERCENTS),
});

const configSubjectRule = {
  dimension: subjectDimensionSchema,
  pattern: z.string().min(1).max(MAX_SUBJECT_PATTERN),
  api: configTarget.api,
  /** Default: when first applied. */
  starts: moment.optional(),
  /** Default: when removed from the configuration. */
  expires: moment.optional(),
  reason: z.string().min(1, 'Explain why, for the audit log').max(500),
};

/** Rules of one tenant must have different targets. */
const configSubjectRuleSchema = z.strictObject({
  ...configSubjectRule,
  limit: configTarget.limit,
  effect: subjectEffectSchema,
});

/** Rules for all tenants must have different targets. */
const configPlatformRuleSchema = z.strictObject({ ...configSubjectRule, effect: accessEffectSchema });

export const configTenantSchema = z.strictObject({
  name: configFields.name,
  /** Another tenant, which has no parent itself; for good. */
  parent: tenantKeySchema.optional(),
  tier: tierKeySchema,
  pinnedVersion: z.int().min(1).optional(),
  /** Parts of limits of the parent that only this tenant uses. */
  floors: childFloorsSchema.optional(),
  timeZone: timeZoneSchema.optional(),
  billingAnchorDay: z.int().min(1).max(31).optional(),
  tags: configFields.tags,
  overrides: z.array(configOverrideSchema).max(MAX_OVERRIDES).optional(),
  alerts: z.array(configAlertSchema).max(MAX_ALERT_SETTINGS).optional(),
  subjectRules: z.array(configSubjectRuleSchema).max(MAX_SUBJECT_RULES).optional(),
});

export type ConfigTenant = z.infer<typeof configTenantSchema>;

/** Of a configuration as JSON or YAML: enough for {@link MAX_CONFIG_TENANTS} with an override and thresholds each. */
export const MAX_CONFIG_BYTES = 4_194_304;

export const MAX_CONFIG_TENANTS = 5000;

const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^([1-9][0-9]{0,11})(ms|s|m|h|d)$/;

const duration = z
  .string('Write a whole number and its unit, such as 1m')
  .regex(DURATION, 'Write a whole number and its unit, ms, s, m, h or d, such as 1m')
  .refine((text) => (readDuration(text) ?? 0) <= MAX_WINDOW_MS, 'Windows are limited to 366 days');

export function readDuration(text: string): number | undefined {
  const [, number, unit] = DURATION.exec(text) ?? [];
  return unit === undefined ? undefined : Number(number) * UNITS_MS[unit as keyof typeof UNITS_MS];
}

/** Uses the largest unit that divides `ms`. */
export function writeDuration(ms: number): string {
  const units = Object.entries(UNITS_MS).reverse();
  const [unit, size] = units.find(([, unitMs]) => ms % unitMs === 0) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}

const { name, description, tags } = configFields;
const operations = z.array(operationNameSchema).max(100).optional();

/** `window` is a text; defaults are omitted. */
export type ConfigLimit = { name: string; api?: string } & ConfigRule;

type ConfigRule = { window?: string } & LimitDraft;

/** Makes fields with a default optional. */
function withDefaults(shape: z.core.$ZodLooseShape, algorithm: AlgorithmName): z.core.$ZodLooseShape {
  const optional = Object.keys(ruleDefaults(algorithm, 1)).map((field) => [
    field,
    z.optional(shape[field] as z.ZodType),
  ]);
  return { ...shape, ...Object.fromEntries(optional) };
}

const WITHOUT_WINDOW: ReadonlySet<string> = new Set<AlgorithmName>(['concurrency', 'quota']);

/** As in a limit; documents of earlier versions have `windowMs`. */
const candidateSchema = byAlgorithm((shape, algorithm) => {
  const { windowMs, ...rule } = withDefaults(shape, algorithm);
  return windowMs === undefined
    ? rule
    : { ...rule, window: duration.optional(), windowMs: z.optional(windowMs as z.ZodType) };
}).superRefine((rule: { algorithm: string; window?: unknown; windowMs?: unknown }, context) => {
  if (WITHOUT_WINDOW.has(rule.algorithm)) return;
  if ((rule.window === undefined) !== (rule.windowMs === undefined)) return;
  const message =
    rule.window === undefined ? 'Write a window, such as 1m' : 'Write window or windowMs, not both';
  context.addIssue({ code: 'custom', path: ['window'], message });
});

const { per, onUnavailable, api: _api, ...terms } = policyFields;

const limits = (api: object) =>
  z.array(
    byAlgorithm((shape, algorithm) => {
      const { windowMs, ...rule } = withDefaults(shape, algorithm);
      return {
        ...api,
        ...terms,
        operations,
        per: per.optional(),
        ...rule,
        ...(windowMs === undefined ? {} : { window: duration }),
        onUnavailable: onUnavailable.optional(),
        candidate: candidateSchema.optional(),
      };
    }) as unknown as z.ZodType<ConfigLimit>,
  );

const configApiSchema = z.strictObject({
  name,
  description,
  /** Default: count. */
  unknownOperations: z.enum(['count', 'allow', 'refuse']).optional(),
  headerStyles: z.union([headerStylesSchema, z.literal('none')]).optional(),
  tags,
  operations: z
    .record(
      operationNameSchema,
      z.strictObject({
        description,
        cost: z.int().min(1, 'cost must be 1 or more').max(MAX_COST).optional(),
        priority: prioritySchema.optional(),
      }),
    )
    .optional(),
  /** An operation draws on the first pool that includes it. */
  pools: z
    .array(poolSchema.extend({ operations, reclaimPercent: poolSchema.shape.reclaimPercent.optional() }))
    .max(16)
    .optional(),
  defaultLimits: limits({}).optional(),
});

const configTierSchema = z.strictObject({
  name,
  description,
  rank: z.int().min(0).max(1_000_000).optional(),
  weight: z.int().min(1).max(1000).optional(),
  tags,
  signUp: z.boolean().optional(),
  limits: limits({ api: apiKeySchema }).optional(),
});

const TOO_MANY_TENANTS = `A configuration has ${MAX_CONFIG_TENANTS} tenants at most. Write the others to further files`;

/** Document of `tollgate config`. Omitted fields have their defaults. */
export const configDocumentSchema = z.strictObject({
  version: z.literal(1),
  apis: z.record(apiKeySchema, configApiSchema).optional(),
  tiers: z.record(tierKeySchema, configTierSchema).optional(),
  offers: z.record(offerKeySchema, configOfferSchema).optional(),
  tenants: z
    .record(tenantKeySchema, configTenantSchema)
    .refine((tenants) => Object.keys(tenants).length <= MAX_CONFIG_TENANTS, TOO_MANY_TENANTS)
    .optional(),
  /** For subjects of all tenants. */
  subjectRules: z.array(configPlatformRuleSchema).max(MAX_SUBJECT_RULES).optional(),
});

export type ConfigDocument = z.infer<typeof configDocumentSchema>;

/** Adds defaults without validation. @param api API of a default limit */
export function policyOfConfig(limit: ConfigLimit, api?: string): LimitDraft {
  const { candidate, ...rest } = limit;
  return {
    api,
    operations: [],
    per: [],
    onUnavailable: 'share',
    ...ruleOfConfig(rest),
    ...(candidate === undefined ? {} : { candidate: ruleOfConfig(candidate as ConfigRule) }),
  };
}

/** Omits defaults. @param isDefault a default limit is listed under its API */
export function configOfPolicy(policy: LimitPolicy, isDefault = false): ConfigLimit {
  const { name, api, operations, per, onUnavailable, candidate, ...rest } = policy;
  return {
    name,
    ...(isDefault ? {} : { api }),
    ...(operations.length === 0 ? {} : { operations }),
    ...(per.length === 0 ? {} : { per }),
    ...configOfRule(rest),
    ...(candidate === undefined ? {} : { candidate: configOfRule(candidate) }),
    ...(onUnavailable === 'share' ? {} : { onUnavailable }),
  };
}

function ruleOfConfig({ window, ...rule }: ConfigRule): LimitDraft {
  const filled = { ...ruleDefaults(rule.algorithm as AlgorithmName, rule.limit), ...rule };
  return window === undefined ? filled : { ...filled, windowMs: readDuration(window) };
}

function configOfRule(rule: Pick<Rule, 'algorithm' | 'limit'>): object {
  const defaults = ruleDefaults(rule.algorithm, rule.limit);
  const own = Object.entries(rule).filter(([name, value]) => defaults[name] !== value);
  const { windowMs, ...others } = Object.fromEntries(own) as { windowMs?: number };
  return windowMs === undefined ? others : { ...others, window: writeDuration(windowMs) };
}

export function configJsonSchema(): object {
  return {
    title: 'Tollgate configuration',
    ...z.toJSONSchema(configDocumentSchema, { io: 'input', reused: 'ref' }),
  };
}
