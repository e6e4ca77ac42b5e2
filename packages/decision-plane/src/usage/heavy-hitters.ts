import type { Offender } from '@tollgate/contracts';

/** Counters that are followed at once. */
const MAX_COUNTERS = 512;

interface Followed extends Offender {
  /** Its place in the heap. */
  place: number;
}

/**
 * Who is refused most, in fixed space: the space-saving sketch of Metwally, Agrawal and El Abbadi (2005), its least
 * counter found by a heap. Of N units over m counters, whoever was refused more than N ÷ m is among them, and none is told
 * with more than N ÷ m too much.
 */
export class HeavyHitters {
  private readonly followed = new Map<string, Followed>();
  /** Least units first. */
  private readonly heap: Followed[] = [];

  constructor(private readonly maxCounters = MAX_COUNTERS) {}

  /** @param units whole, 1 or more; anything else is not counted */
  record(tenant: string, api: string, limit: string, counter: string, units: number): void {
    if (!(units >= 1)) return;
    const known = this.followed.get(counter);
    if (known !== undefined) {
      known.units += units;
      this.sink(known);
      return;
    }
    const least = this.heap[0];
    if (least === undefined || this.heap.length < this.maxCounters) {
      const entry = { tenant, api, limit, counter, units, error: 0, place: this.heap.length };
      this.followed.set(counter, entry);
      this.heap.push(entry);
      this.rise(entry);
      return;
    }
    // The newcomer may have been here before: it inherits the least count, and says how much of it may not be its own.
    this.followed.delete(least.counter);
    const entry = { tenant, api, limit, counter, units: least.units + units, error: least.units, place: 0 };
    this.followed.set(counter, entry);
    this.heap[0] = entry;
    this.sink(entry);
  }

  /** The worst `max`, worst first; begins anew. */
  take(max: number): Offender[] {
    const worst = this.heap.sort((a, b) => b.units - a.units).slice(0, max);
    this.heap.length = 0;
    this.followed.clear();
    return worst.map(({ place: _, ...offender }) => offender);
  }

  private sink(entry: Followed): void {
    for (;;) {
      const left = 2 * entry.place + 1;
      const a = this.heap[left];
      const b = this.heap[left + 1];
      const child = b !== undefined && a !== undefined && b.units < a.units ? b : a;
      if (child === undefined || child.units >= entry.units) return;
      this.swap(entry, child);
    }
  }

  private rise(entry: Followed): void {
    while (entry.place > 0) {
      const parent = this.heap[(entry.place - 1) >> 1];
      if (parent === undefined || parent.units <= entry.units) return;
      this.swap(entry, parent);
    }
  }

  private swap(a: Followed, b: Followed): void {
    const { place } = a;
    a.place = b.place;
    b.place = place;
    this.heap[a.place] = a;
    this.heap[b.place] = b;
  }
}
