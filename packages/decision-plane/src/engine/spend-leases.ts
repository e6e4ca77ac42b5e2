import type { CheckResult } from '../store/decision-store.js';
import type { LeaseBook } from './lease-book.js';
import type { Applied } from './resolve.js';

/** Spends leases for all limits, or for none; undefined when one of them is not leased, or has nothing left. */
export function spendLeases(
  leases: LeaseBook,
  applied: readonly Applied[],
  nowMs: number,
): CheckResult[] | undefined {
  const results: CheckResult[] = [];
  for (const { limit, mode, check } of applied) {
    const { consistency } = limit.stored;
    if (consistency?.mode !== 'leased' || mode !== 'enforce') break;
    const result = leases.spend(check, consistency.leaseMs, nowMs);
    if (result === undefined) break;
    results.push(result);
  }
  if (results.length === applied.length) return results;
  for (let i = 0; i < results.length; i++) leases.unspend((applied[i] as Applied).check);
  return undefined;
}
