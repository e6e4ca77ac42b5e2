import type { LimitPolicy, Rule } from '@tollgate/contracts';
import { type CompiledLimit, compileLimit } from '../../../packages/limiter/src/rules/compile.js';
import { counterKey } from '../../../packages/limiter/src/rules/keys.js';
import type { Check } from '../../../packages/limiter/src/stores/decision-store.js';

/** A limit that no benchmark exhausts. */
export const AMPLE = 1_000_000;
const HOUR_MS = 3_600_000;

/** Each algorithm as a rule with a large limit, by its name in tables. A log and permits allow at most 10,000. */
export const RULES: Record<string, Rule> = {
  gcra: { algorithm: 'gcra', limit: AMPLE, windowMs: 60_000, burst: AMPLE - 1 },
  fixed_window: { algorithm: 'fixed_window', limit: AMPLE, windowMs: 60_000, alignment: 'clock' },
  token_bucket: {
    algorithm: 'token_bucket',
    limit: AMPLE,
    windowMs: 60_000,
    capacity: AMPLE,
    refill: 'continuous',
  },
  'token_bucket, interval': {
    algorithm: 'token_bucket',
    limit: AMPLE,
    windowMs: 60_000,
    capacity: AMPLE,
    refill: 'interval',
  },
  leaky_bucket: { algorithm: 'leaky_bucket', limit: AMPLE, windowMs: 60_000, queue: AMPLE },
  'sliding counter, 1': { algorithm: 'sliding_window_counter', limit: AMPLE, windowMs: 60_000, buckets: 1 },
  'sliding counter, 60': { algorithm: 'sliding_window_counter', limit: AMPLE, windowMs: 60_000, buckets: 60 },
  sliding_window_log: { algorithm: 'sliding_window_log', limit: 10_000, windowMs: 60_000 },
  quota: { algorithm: 'quota', limit: AMPLE, period: 'day' },
};

/** Like `gcra`, over an hour: its keys outlive any benchmark. */
export const LASTING: Rule = {
  algorithm: 'gcra',
  limit: 60 * AMPLE,
  windowMs: HOUR_MS,
  burst: 60 * AMPLE - 1,
};

/** A limit with `rule`; limits with different names use different counters. */
export function limitBy(rule: Rule, name = 'create-minute', over: Partial<LimitPolicy> = {}): LimitPolicy {
  return {
    name,
    api: 'url-shortener',
    operations: [],
    per: ['user'],
    onUnavailable: 'share',
    ...rule,
    ...over,
  } as LimitPolicy;
}

/** `limitBy`, compiled. @throws Error with the field */
export function compiledBy(rule: Rule, name?: string, over?: Partial<LimitPolicy>): CompiledLimit {
  const compiled = compileLimit(limitBy(rule, name, over));
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.errors));
  return compiled.limit;
}

/** The check of user `n`, of one of `tenants` tenants. */
export function checkOf({ policy, keyStem }: CompiledLimit, n: number, tenants: number): Check {
  return { key: counterKey(`tenant-${n % tenants}`, keyStem, [`=u${n}`]), policy, cost: 1 };
}

let seed = 42;

/** 0 to `below` - 1 by Xorshift: the same numbers in every run, and cheap enough not to affect the measurement. */
export function randomNumber(below: number): number {
  seed ^= seed << 13;
  seed ^= seed >>> 17;
  seed ^= seed << 5;
  return (seed >>> 0) % below;
}
