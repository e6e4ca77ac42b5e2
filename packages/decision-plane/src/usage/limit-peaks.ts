import type { LimitPeak, LimitPolicy } from '@tollgate/contracts';

/** Beyond this number, limits are not recorded until the next frame. */
const MAX_PENDING = 20_000;

/** The highest usage of each tenant's limits since the last frame; of quotas the newest. */
export class LimitPeaks {
  private readonly pending = new Map<string, Map<LimitPolicy, LimitPeak>>();
  private count = 0;

  /**
   * @param denied units of this decision that the limit denied
   * @param periodEndMs of a quota
   */
  record(
    tenant: string,
    stored: LimitPolicy,
    used: number,
    capacity: number,
    denied: number,
    atMs: number,
    periodEndMs?: number,
  ): void {
    let limits = this.pending.get(tenant);
    const known = limits?.get(stored);
    if (known !== undefined) {
      known.denied += denied;
      // A refund lowers the usage of a quota: the newer reading counts.
      if (periodEndMs === undefined && used * known.capacity <= known.used * capacity) return;
      known.used = used;
      known.capacity = capacity;
      known.atMs = atMs;
      if (periodEndMs !== undefined) known.periodEndMs = periodEndMs;
      return;
    }
    if (this.count >= MAX_PENDING) return;
    this.count++;
    if (limits === undefined) {
      limits = new Map();
      this.pending.set(tenant, limits);
    }
    const { api, name: limit } = stored;
    const end = periodEndMs === undefined ? {} : { periodEndMs };
    limits.set(stored, { tenant, api, limit, used, capacity, denied, ...end, atMs });
  }

  /** Removes at most `max` readings, oldest first. */
  take(max: number): LimitPeak[] {
    const taken: LimitPeak[] = [];
    for (const [tenant, limits] of this.pending) {
      for (const [stored, peak] of limits) {
        if (taken.length >= max) return taken;
        taken.push(peak);
        limits.delete(stored);
        this.count--;
      }
      this.pending.delete(tenant);
    }
    return taken;
  }
}
