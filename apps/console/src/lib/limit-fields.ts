import { ENUM_FIELDS, type LimitPolicy, limitPolicySchema, type Rule } from '@tollgate/contracts';
import type { LimitFieldsFragment, LimitInput, LimitOrigin, LimitRuleInput } from '../generated/graphql.js';
import { graphql } from '../generated/index.js';
import { ruleOf } from './limit-rule.js';

graphql(`
  fragment LimitFields on Limit {
    id name apiKey operations per onMissing onUnavailable deadlineMs charge attemptTimeoutMs inHeaders summary origin
    algorithm limit windowMs alignment buckets capacity refill queue burst leaseMs period
    throttle { mode percent maxPercent pool maxDelayMs }
    enforcement { mode percent }
    consistency { mode leaseMs }
    candidate { algorithm limit windowMs alignment buckets capacity refill queue burst leaseMs period }
  }
`);

/** A limit as the server keeps it, with the server's sentence. */
export interface StoredLimit {
  id: string;
  policy: LimitPolicy;
  summary: string;
  /** Whose it is: the tier's own, or a default of its API that the tier does not have by name. */
  origin: LimitOrigin;
}

/**
 * Reads one limit of an answer.
 * @throws ZodError for a limit of a kind that this console does not know
 */
export function readLimit(fields: LimitFieldsFragment): StoredLimit {
  const { id, summary, origin, apiKey, throttle, enforcement, consistency, candidate, ...rest } = fields;
  const policy = limitPolicySchema.parse({
    ...plain(rest),
    api: apiKey,
    throttle: plain(throttle),
    enforcement: plain(enforcement),
    consistency: plain(consistency),
    ...(candidate ? { candidate: plain(candidate) } : {}),
  });
  return { id, policy, summary, origin };
}

/** A tier version, or anything else that holds limits, with each of them read. */
export function readLimits<V extends { limits: LimitFieldsFragment[] }>(
  version: V,
): Omit<V, 'limits'> & { limits: StoredLimit[] } {
  return { ...version, limits: version.limits.map(readLimit) };
}

/** A limit as mutations take it. */
export function toLimitInput(policy: LimitPolicy): LimitInput {
  const { name, api, operations, per, onUnavailable, throttle, enforcement, consistency } = policy;
  return {
    ...{ name, apiKey: api, operations, per, onUnavailable: upper(onUnavailable) },
    ...toRuleInput(ruleOf(policy)),
    throttle: throttle ? { ...throttle, mode: upper(throttle.mode) } : null,
    enforcement: enforcement ? { ...enforcement, mode: upper(enforcement.mode) } : null,
    consistency: consistency ? { ...consistency, mode: upper(consistency.mode) } : null,
    charge: upper(policy.charge ?? 'always'),
    attemptTimeoutMs: policy.attemptTimeoutMs ?? null,
    deadlineMs: policy.deadlineMs ?? null,
    onMissing: upper(policy.onMissing ?? 'shared'),
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

/** A policy's part without what is null, and without capitals. */
function plain(fields: object): Record<string, unknown> {
  const present = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    present.map(([name, value]) => [name, ENUM_FIELDS.has(name) ? String(value).toLowerCase() : value]),
  );
}

const upper = <S extends string>(word: S): Uppercase<S> => word.toUpperCase() as Uppercase<S>;
