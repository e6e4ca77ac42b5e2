import type { FixedWindowPolicy, GcraPolicy, LimitPolicy, Rule } from '@tollgate/contracts';
import { type CompiledLimit, type CompileOptions, compileLimit } from '../src/rules/compile.js';

const common = {
  name: 'create-minute',
  api: 'url-shortener',
  operations: [],
  per: [],
  onUnavailable: 'share' as const,
};

const rate = { limit: 3, windowMs: 60_000 };

/** A policy with `rule`, in the tests' API. */
export function policyBy(rule: Rule, over: Partial<Omit<LimitPolicy, keyof Rule>> = {}): LimitPolicy {
  return { ...common, ...rule, ...over };
}

/** By default, a fixed window of 3 a minute, aligned to the clock. */
export function fixedWindowPolicy(over: Partial<FixedWindowPolicy> = {}): FixedWindowPolicy {
  return { ...common, ...rate, algorithm: 'fixed_window', alignment: 'clock', ...over };
}

/** By default, GCRA of 3 a minute without burst. */
export function gcraPolicy(over: Partial<GcraPolicy> = {}): GcraPolicy {
  return { ...common, ...rate, algorithm: 'gcra', burst: 0, ...over };
}

/** The compiled limit; fails the test if the policy does not compile. */
export function compiled(policy: LimitPolicy, options: CompileOptions = {}): CompiledLimit {
  const result = compileLimit(policy, options);
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.limit;
}
