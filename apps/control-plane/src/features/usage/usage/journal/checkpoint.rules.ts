import type { QuotaCheckpoint } from '@tollgate/decision-plane/internals';

/**
 * What remains of readings, one for each counter and period: the most that was seen used, but for gives, whose reading takes
 * the place of all before it. The same as the decision plane's `scripts/quota-checkpoint.lua`, which is told them one by one.
 */
export function mergeCheckpoints(seen: readonly QuotaCheckpoint[]): QuotaCheckpoint[] {
  const merged = new Map<string, QuotaCheckpoint>();
  for (const one of seen) {
    const name = `${one.periodEndMs} ${one.tenant} ${one.key}`;
    const kept = merged.get(name);
    if (kept === undefined) {
      merged.set(name, one);
      continue;
    }
    const lowers = one.loweredAtUs > kept.atUs;
    if (!lowers && (one.used <= kept.used || one.atUs <= kept.loweredAtUs)) continue;
    merged.set(name, { ...one, loweredAtUs: lowers ? one.loweredAtUs : kept.loweredAtUs });
  }
  return [...merged.values()];
}
