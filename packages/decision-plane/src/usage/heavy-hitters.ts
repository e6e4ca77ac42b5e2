import type { Offender } from '@tollgate/contracts';

const MAX_COUNTERS = 512;

interface Tracked extends Offender {
  /** Index in the heap. */
  index: number;
}

/**
 * The counters with the most denied units: the space-saving sketch of Metwally, Agrawal and El Abbadi (2005) with a heap
 * for the minimum. Of N units over m tracked counters, none is overestimated by more than N ÷ m, and larger counters are
 * never missed.
 */
export class HeavyHitters {
  private readonly tracked = new Map<string, Tracked>();
  /** Least units first. */
  private readonly heap: Tracked[] = [];

  constructor(private readonly maxCounters = MAX_COUNTERS) {}

  /** @param units whole, 1 or more; other values are ignored */
  record(tenant: string, api: string, limit: string, counter: string, units: number): void {
    if (!(units >= 1)) return;
    const known = this.tracked.get(counter);
    if (known !== undefined) {
      known.units += units;
      this.sink(known);
      return;
    }
    const least = this.heap[0];
    if (least === undefined || this.heap.length < this.maxCounters) {
      const entry = { tenant, api, limit, counter, units, error: 0, index: this.heap.length };
      this.tracked.set(counter, entry);
      this.heap.push(entry);
      this.rise(entry);
      return;
    }
    // The counter may have been tracked before: it inherits the minimum, which is also its maximum error.
    this.tracked.delete(least.counter);
    const entry = { tenant, api, limit, counter, units: least.units + units, error: least.units, index: 0 };
    this.tracked.set(counter, entry);
    this.heap[0] = entry;
    this.sink(entry);
  }

  /** Highest first; resets the sketch. */
  take(max: number): Offender[] {
    const top = this.heap.sort((a, b) => b.units - a.units).slice(0, max);
    this.heap.length = 0;
    this.tracked.clear();
    return top.map(({ index: _, ...offender }) => offender);
  }

  private sink(entry: Tracked): void {
    for (;;) {
      const left = 2 * entry.index + 1;
      const a = this.heap[left];
      const b = this.heap[left + 1];
      const child = b !== undefined && a !== undefined && b.units < a.units ? b : a;
      if (child === undefined || child.units >= entry.units) return;
      this.swap(entry, child);
    }
  }

  private rise(entry: Tracked): void {
    while (entry.index > 0) {
      const parent = this.heap[(entry.index - 1) >> 1];
      if (parent === undefined || parent.units <= entry.units) return;
      this.swap(entry, parent);
    }
  }

  private swap(a: Tracked, b: Tracked): void {
    const { index } = a;
    a.index = b.index;
    b.index = index;
    this.heap[a.index] = a;
    this.heap[b.index] = b;
  }
}
