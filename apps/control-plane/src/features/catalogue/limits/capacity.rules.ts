import type { LimitPolicy } from '@tollgate/contracts';
import { compileLimit } from '@tollgate/decision-plane/internals';

/**
 * The most units that a limit ever lets pass at once: an operation that costs more never could. Undefined where the cost
 * does not count: a slot is a slot.
 */
export function mostAtOnce(policy: LimitPolicy): number | undefined {
  const compiled = compileLimit(policy);
  if (!compiled.ok || policy.algorithm === 'concurrency') return undefined;
  return compiled.limit.policy.capacity + compiled.limit.policy.extra;
}

/** Whether a limit, or a pool, applies to an operation; `undefined` stands for one that nobody configured. */
export function coversOperation(
  { operations }: { readonly operations: readonly string[] },
  operation: string | undefined,
): boolean {
  return operations.length === 0 || (operation !== undefined && operations.includes(operation));
}
