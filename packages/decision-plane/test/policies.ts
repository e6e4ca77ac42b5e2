import type { FixedWindowPolicy, GcraPolicy, LimitPolicy } from '@tollgate/contracts';
import { type CompiledLimit, compileLimit } from '@tollgate/decision-plane';

const common = {
  name: 'create-minute',
  api: 'url-shortener',
  operations: [],
  per: [],
  limit: 3,
  windowMs: 60_000,
  onUnavailable: 'share' as const,
};

/** A fixed window of 3 a minute, aligned to the clock, unless told otherwise. */
export function fixedWindowPolicy(over: Partial<FixedWindowPolicy> = {}): FixedWindowPolicy {
  return { ...common, algorithm: 'fixed_window', alignment: 'clock', ...over };
}

/** GCRA of 3 a minute without burst, unless told otherwise. */
export function gcraPolicy(over: Partial<GcraPolicy> = {}): GcraPolicy {
  return { ...common, algorithm: 'gcra', burst: 0, ...over };
}

/** The compiled limit; a policy that does not compile fails the test. */
export function compiled(policy: LimitPolicy): CompiledLimit {
  const result = compileLimit(policy);
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.limit;
}
