import {
  type AlgorithmName,
  ENUM_FIELDS,
  hasPenalty,
  type LabelAmounts,
  type LimitPolicy,
  type LimitStorage,
  limitPolicySchema,
  nominalWindowMs,
  type Penalty,
  type Rule,
  ruleDefaults,
  ruleFieldsOf,
  storagesOf,
  type WarmUp,
} from '@tollgate/contracts';
import { EVERY_API } from '@tollgate/contracts/limit-scope';
import type { LimitFieldsFragment, LimitInput, LimitOrigin, LimitRuleInput } from '../generated/graphql.js';
import { graphql } from '../generated/index.js';

const DAY_MS = 86_400_000;

/** Usual dimensions. A limit may count by any label. */
export const DIMENSIONS = ['user', 'ip', 'key', 'device', 'service', 'region', 'global'];

/** The algorithm of a limit and its fields. */
export const ruleOf = (policy: LimitPolicy): Rule => pick(policy, true) as Rule;

/** The limit with this rule, without a storage, penalty and rollover that the rule's algorithm does not have. */
export function withRule(policy: LimitPolicy, rule: Rule): LimitPolicy {
  const replaced = { ...pick(policy, false), ...rule } as LimitPolicy;
  const penalized = hasPenalty(rule.algorithm) ? replaced : withPenalty(replaced, undefined);
  const changed = rule.algorithm === 'quota' ? penalized : withRollover(penalized, undefined);
  const isAllowed = storagesOf(rule.algorithm).includes(policy.storage ?? 'key');
  return isAllowed ? changed : withStorage(changed, 'key');
}

/** The limit with this storage; a limit that becomes packed has 1,000 expected subjects. */
export function withStorage(policy: LimitPolicy, storage: LimitStorage): LimitPolicy {
  const { storage: _, expectedSubjects, ...rest } = policy;
  if (storage === 'key') return rest as LimitPolicy;
  if (storage === 'subject') return { ...rest, storage } as LimitPolicy;
  return { ...rest, storage, expectedSubjects: expectedSubjects ?? 1000 } as LimitPolicy;
}

export function withPenalty(
  { penalty: _, ...policy }: LimitPolicy,
  penalty: Penalty | undefined,
): LimitPolicy {
  return penalty === undefined ? policy : { ...policy, penalty };
}

/** The limit on these further APIs; "every API" replaces the others, and is replaced by the API chosen after it. */
export function withReach(policy: LimitPolicy, alsoApis: readonly string[]): LimitPolicy {
  const { alsoApis: _, ...rest } = policy;
  const others = alsoApis.filter((key) => key !== policy.api);
  const chosen = others.at(-1) === EVERY_API ? [EVERY_API] : others.filter((key) => key !== EVERY_API);
  return (chosen.length === 0 ? rest : { ...rest, alsoApis: chosen }) as LimitPolicy;
}

export function withRollover(
  { rolloverPercent: _, ...policy }: LimitPolicy,
  rolloverPercent: number | undefined,
): LimitPolicy {
  return rolloverPercent === undefined ? policy : { ...policy, rolloverPercent };
}

/** The limit with this length of an address prefix; undefined: the default. */
export function withPrefix(
  policy: LimitPolicy,
  field: 'ipv4Prefix' | 'ipv6Prefix',
  length: number | undefined,
): LimitPolicy {
  const { [field]: _, ...rest } = policy;
  return (length === undefined ? rest : { ...rest, [field]: length }) as LimitPolicy;
}

/** The limit with these dimensions, without prefix lengths if it no longer counts by address. */
export function withPer(policy: LimitPolicy, per: string[]): LimitPolicy {
  if (per.includes('ip')) return { ...policy, per };
  const { ipv4Prefix: _, ipv6Prefix: __, ...rest } = policy;
  return { ...rest, per } as LimitPolicy;
}

export function withAmounts(
  { amounts: _, ...policy }: LimitPolicy,
  amounts: LabelAmounts | undefined,
): LimitPolicy {
  return amounts === undefined ? policy : { ...policy, amounts };
}

export function withWarmUp({ warmUp: _, ...policy }: LimitPolicy, warmUp: WarmUp | undefined): LimitPolicy {
  return warmUp === undefined ? policy : { ...policy, warmUp };
}

function pick(policy: LimitPolicy, ofRule: boolean): object {
  const fields = new Set<string>(['algorithm', 'limit', ...ruleFieldsOf(policy.algorithm)]);
  return Object.fromEntries(Object.entries(policy).filter(([name]) => fields.has(name) === ofRule));
}

/** The rule with another algorithm, the same limit and window, and start values for its other fields. */
export function ruleWith(algorithm: AlgorithmName, rule: Rule): Rule {
  const { limit } = rule;
  const windowMs = nominalWindowMs(rule);
  const start: Record<string, unknown> = {
    ...{ windowMs, buckets: 60, queue: limit, leaseMs: 60_000, period: periodNear(windowMs) },
    ...ruleDefaults(algorithm, limit),
  };
  const fields = ruleFieldsOf(algorithm).map((field) => [field, start[field]]);
  return { algorithm, limit, ...Object.fromEntries(fields) } as Rule;
}

function periodNear(windowMs: number): 'day' | 'week' | 'month' {
  if (windowMs <= DAY_MS) return 'day';
  return windowMs <= 7 * DAY_MS ? 'week' : 'month';
}

graphql(`
  fragment LimitFields on Limit {
    id name apiKey alsoApis operations per onMissing onUnavailable deadlineMs charge attemptTimeoutMs inHeaders storage
    expectedSubjects ipv4Prefix ipv6Prefix rolloverPercent sharedWithChildren summary origin
    penalty { denials windowMs blockMs maxBlockMs }
    warmUp { ms startPercent }
    amounts { by labels { label limit } others }
    algorithm limit windowMs alignment buckets capacity refill queue burst leaseMs period
    throttle { mode percent maxPercent pool maxDelayMs }
    enforcement { mode percent }
    consistency { mode leaseMs }
    candidate { algorithm limit windowMs alignment buckets capacity refill queue burst leaseMs period }
  }
`);

/** Without the field if children do not share it, which is the default. */
export function withSharing(
  { sharedWithChildren: _, ...policy }: LimitPolicy,
  isShared: boolean,
): LimitPolicy {
  return isShared ? { ...policy, sharedWithChildren: true } : policy;
}

export interface StoredLimit {
  id: string;
  policy: LimitPolicy;
  summary: string;
  origin: LimitOrigin;
}

/**
 * Reads one limit of an answer.
 * @throws ZodError for a limit of a kind that this console does not know
 */
export function readLimit(fields: LimitFieldsFragment): StoredLimit {
  const {
    id,
    summary,
    origin,
    apiKey,
    alsoApis,
    throttle,
    enforcement,
    consistency,
    candidate,
    penalty,
    warmUp,
    amounts,
    sharedWithChildren,
    ...rest
  } = fields;
  const policy = limitPolicySchema.parse({
    ...plain(rest),
    api: apiKey,
    ...(alsoApis.length === 0 ? {} : { alsoApis }),
    throttle: plain(throttle),
    enforcement: plain(enforcement),
    consistency: plain(consistency),
    ...(candidate ? { candidate: plain(candidate) } : {}),
    ...(penalty ? { penalty: plain(penalty) } : {}),
    ...(warmUp ? { warmUp: plain(warmUp) } : {}),
    ...(sharedWithChildren ? { sharedWithChildren } : {}),
    ...(amounts ? { amounts: { ...plain(amounts), labels: amounts.labels.map(plain) } } : {}),
  });
  return { id, policy, summary, origin };
}

/** A tier version, or any other object with limits, with its limits parsed. */
export function readLimits<V extends { limits: LimitFieldsFragment[] }>(
  version: V,
): Omit<V, 'limits'> & { limits: StoredLimit[] } {
  return { ...version, limits: version.limits.map(readLimit) };
}

export function toLimitInput(policy: LimitPolicy): LimitInput {
  const { name, api, operations, per, onUnavailable, throttle, enforcement, consistency } = policy;
  return {
    ...{
      name,
      apiKey: api,
      alsoApis: policy.alsoApis ?? [],
      operations,
      per,
      onUnavailable: upper(onUnavailable),
    },
    ...toRuleInput(ruleOf(policy)),
    throttle: throttle ? { ...throttle, mode: upper(throttle.mode) } : null,
    enforcement: enforcement ? { ...enforcement, mode: upper(enforcement.mode) } : null,
    consistency: consistency ? { ...consistency, mode: upper(consistency.mode) } : null,
    charge: upper(policy.charge ?? 'always'),
    attemptTimeoutMs: policy.attemptTimeoutMs ?? null,
    deadlineMs: policy.deadlineMs ?? null,
    onMissing: upper(policy.onMissing ?? 'shared'),
    storage: upper(policy.storage ?? 'key'),
    expectedSubjects: policy.expectedSubjects ?? null,
    ipv4Prefix: policy.ipv4Prefix ?? null,
    ipv6Prefix: policy.ipv6Prefix ?? null,
    penalty: policy.penalty ?? null,
    rolloverPercent: policy.rolloverPercent ?? null,
    warmUp: policy.warmUp ?? null,
    sharedWithChildren: policy.sharedWithChildren ?? false,
    amounts: policy.amounts ?? null,
    inHeaders: policy.inHeaders ?? true,
    candidate: policy.candidate ? toRuleInput(policy.candidate) : null,
  };
}

function toRuleInput(rule: Rule): LimitRuleInput {
  const fields = Object.entries(rule);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, ENUM_FIELDS.has(name) ? upper(String(value)) : value]),
  ) as LimitRuleInput;
}

/** Drops null fields and lowercases enum values. */
function plain(fields: object): Record<string, unknown> {
  const present = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    present.map(([name, value]) => [name, ENUM_FIELDS.has(name) ? String(value).toLowerCase() : value]),
  );
}

const upper = <S extends string>(word: S): Uppercase<S> => word.toUpperCase() as Uppercase<S>;
