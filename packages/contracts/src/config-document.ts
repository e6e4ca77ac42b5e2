import * as z from 'zod';
import { configFields } from './config-fields.js';
import { configOfferSchema } from './config-offer.js';
import { configTenantSchema } from './config-tenant.js';
import { MAX_COST } from './decision.js';
import { headerStylesSchema } from './header-styles.js';
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
import {
  apiKeySchema,
  offerKeySchema,
  operationNameSchema,
  tenantKeySchema,
  tierKeySchema,
} from './names.js';
import { poolSchema, prioritySchema } from './snapshot.js';

/** The longest configuration that is read, bytes. */
export const MAX_CONFIG_BYTES = 1_048_576;

const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^([1-9][0-9]{0,11})(ms|s|m|h|d)$/;

/** A length of time for people: a whole number and a unit. */
const duration = z
  .string('Write a whole number and its unit, such as 1m')
  .regex(DURATION, 'Write a whole number and its unit, ms, s, m, h or d, such as 1m')
  .refine((text) => (readDuration(text) ?? 0) <= MAX_WINDOW_MS, 'A window is 366 days at most');

/** Milliseconds; undefined for what is no length of time. */
export function readDuration(text: string): number | undefined {
  const [, number, unit] = DURATION.exec(text) ?? [];
  return unit === undefined ? undefined : Number(number) * UNITS_MS[unit as keyof typeof UNITS_MS];
}

/** In the largest unit that divides it. */
export function writeDuration(ms: number): string {
  const units = Object.entries(UNITS_MS).reverse();
  const [unit, size] = units.find(([, unitMs]) => ms % unitMs === 0) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}

const { name, description, tags } = configFields;
const operations = z.array(operationNameSchema).max(100).optional();

/** A limit as a configuration file writes it: `window` as text, defaults left out. */
export type ConfigLimit = { name: string; api?: string; window?: string } & LimitDraft;

/** A shape in which fields with a default are optional. */
function withDefaults(shape: z.core.$ZodLooseShape, algorithm: AlgorithmName): z.core.$ZodLooseShape {
  const optional = Object.keys(ruleDefaults(algorithm, 1)).map((field) => [
    field,
    z.optional(shape[field] as z.ZodType),
  ]);
  return { ...shape, ...Object.fromEntries(optional) };
}

const candidateSchema = byAlgorithm(withDefaults);

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
  /** Left out: count. */
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
  /** The first one that has an operation is the one that it draws on. */
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

/** A whole configuration: what `tollgate config` reads and writes as YAML. What is left out is as it always is. */
export const configDocumentSchema = z.strictObject({
  version: z.literal(1),
  apis: z.record(apiKeySchema, configApiSchema).optional(),
  tiers: z.record(tierKeySchema, configTierSchema).optional(),
  offers: z.record(offerKeySchema, configOfferSchema).optional(),
  tenants: z.record(tenantKeySchema, configTenantSchema).optional(),
});

export type ConfigDocument = z.infer<typeof configDocumentSchema>;

/** The policy of a configured limit with its defaults, not validated. @param api of a default limit, which names none */
export function policyOfConfig(limit: ConfigLimit, api?: string): LimitDraft {
  const { window, candidate, ...rest } = limit;
  return {
    api,
    operations: [],
    per: [],
    onUnavailable: 'share',
    ...fillRule(rest),
    ...(candidate === undefined ? {} : { candidate: fillRule(candidate as LimitDraft) }),
    ...(window === undefined ? {} : { windowMs: readDuration(window) }),
  };
}

/** A policy as a configuration writes it: without defaults. @param isDefault a default limit is listed under its API */
export function configOfPolicy(policy: LimitPolicy, isDefault = false): ConfigLimit {
  const { name, api, operations, per, onUnavailable, candidate, ...rest } = policy;
  const { windowMs, ...others } = stripRule(rest) as typeof rest & { windowMs?: number };
  return {
    name,
    ...(isDefault ? {} : { api }),
    ...(operations.length === 0 ? {} : { operations }),
    ...(per.length === 0 ? {} : { per }),
    ...others,
    ...(candidate === undefined ? {} : { candidate: stripRule(candidate) }),
    ...(windowMs === undefined ? {} : { window: writeDuration(windowMs) }),
    ...(onUnavailable === 'share' ? {} : { onUnavailable }),
  };
}

function fillRule(rule: LimitDraft): LimitDraft {
  return { ...ruleDefaults(rule.algorithm as AlgorithmName, rule.limit), ...rule };
}

function stripRule(rule: Pick<Rule, 'algorithm' | 'limit'>): object {
  const defaults = ruleDefaults(rule.algorithm, rule.limit);
  return Object.fromEntries(Object.entries(rule).filter(([name, value]) => defaults[name] !== value));
}

/** The JSON Schema of a configuration, for editors. */
export function configJsonSchema(): object {
  return {
    title: 'Tollgate configuration',
    ...z.toJSONSchema(configDocumentSchema, { io: 'input', reused: 'ref' }),
  };
}
