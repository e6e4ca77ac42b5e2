import type { LimitPeak, LimitPolicy } from '@tollgate/contracts';
import { getOrAdd } from '../store/bounded-keys.js';

/** Beyond this number, limits are not recorded until the next frame. */
const MAX_PENDING = 20_000;

/** The highest usage of a limit in a frame. */
export interface Peak {
  readonly reading: LimitPeak;
  isTaken: boolean;
}

/** Refers to the peak of a tenant's limit, to find it without its names. */
export interface PeakSlot {
  peak: Peak | undefined;
}

/** The highest usage of each tenant's limits since the last frame; of quotas the newest. */
export class LimitPeaks {
  private readonly pending = new Map<string, Map<LimitPolicy, Peak>>();
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
    slot: PeakSlot = { peak: undefined },
  ): void {
    if (slot.peak === undefined || slot.peak.isTaken) slot.peak = this.pending.get(tenant)?.get(stored);
    if (slot.peak === undefined) {
      const { api, name: limit } = stored;
      const end = periodEndMs === undefined ? {} : { periodEndMs };
      slot.peak = this.add(tenant, stored, { tenant, api, limit, used, capacity, denied, ...end, atMs });
      return;
    }
    const { reading: known } = slot.peak;
    known.denied += denied;
    // A refund lowers the usage of a quota: the newer reading counts.
    if (periodEndMs === undefined && used * known.capacity <= known.used * capacity) return;
    known.used = used;
    known.capacity = capacity;
    known.atMs = atMs;
    if (periodEndMs !== undefined) known.periodEndMs = periodEndMs;
  }

  /** Removes at most `max` readings, oldest first. */
  take(max: number): LimitPeak[] {
    const taken: LimitPeak[] = [];
    for (const [tenant, limits] of this.pending) {
      for (const [stored, peak] of limits) {
        if (taken.length >= max) return taken;
        peak.isTaken = true;
        taken.push(peak.reading);
        limits.delete(stored);
        this.count--;
      }
      this.pending.delete(tenant);
    }
    return taken;
  }

  /** Undefined: there is no room. */
  private add(tenant: string, stored: LimitPolicy, reading: LimitPeak): Peak | undefined {
    if (this.count >= MAX_PENDING) return undefined;
    this.count++;
    const peak = { reading, isTaken: false };
    getOrAdd(this.pending, tenant, () => new Map<LimitPolicy, Peak>()).set(stored, peak);
    return peak;
  }
}
