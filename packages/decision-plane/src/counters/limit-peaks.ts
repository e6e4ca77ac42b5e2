import type { LimitPeak, LimitPolicy } from '@tollgate/contracts';
import { getOrAdd } from '@tollgate/contracts/maps';

/** Beyond this number, limits are not recorded until the next frame. */
const MAX_PENDING = 20_000;

/** The highest usage of a limit in a frame. */
export interface Peak {
  used: number;
  capacity: number;
  denied: number;
  atMs: number;
  periodEndMs: number | undefined;
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
  /** Stands for the limits without room, until the next frame. */
  private unrecorded = newPeak(0, 0, 0, 0, undefined);

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
    const { peak } = slot;
    if (peak === undefined) {
      slot.peak = this.add(tenant, stored, newPeak(used, capacity, denied, atMs, periodEndMs));
      return;
    }
    if (peak === this.unrecorded) return;
    if (denied > 0) peak.denied += denied;
    // A refund lowers the usage of a quota: the newer reading counts.
    if (periodEndMs === undefined && used * peak.capacity <= peak.used * capacity) return;
    peak.used = used;
    peak.capacity = capacity;
    peak.atMs = atMs;
    if (periodEndMs !== undefined) peak.periodEndMs = periodEndMs;
  }

  /** Removes at most `max` readings, oldest first. */
  take(max: number): LimitPeak[] {
    this.unrecorded.isTaken = true;
    this.unrecorded = newPeak(0, 0, 0, 0, undefined);
    const taken: LimitPeak[] = [];
    for (const [tenant, limits] of this.pending) {
      for (const [stored, peak] of limits) {
        if (taken.length >= max) return taken;
        peak.isTaken = true;
        taken.push(readingOf(tenant, stored, peak));
        limits.delete(stored);
        this.count--;
      }
      this.pending.delete(tenant);
    }
    return taken;
  }

  private add(tenant: string, stored: LimitPolicy, peak: Peak): Peak {
    if (this.count >= MAX_PENDING) return this.unrecorded;
    this.count++;
    getOrAdd(this.pending, tenant, () => new Map<LimitPolicy, Peak>()).set(stored, peak);
    return peak;
  }
}

function newPeak(
  used: number,
  capacity: number,
  denied: number,
  atMs: number,
  periodEndMs: number | undefined,
): Peak {
  return { used, capacity, denied, atMs, periodEndMs, isTaken: false };
}

function readingOf(
  tenant: string,
  { api, name: limit }: LimitPolicy,
  { used, capacity, denied, atMs, periodEndMs }: Peak,
): LimitPeak {
  const end = periodEndMs === undefined ? {} : { periodEndMs };
  return { tenant, api, limit, used, capacity, denied, ...end, atMs };
}
