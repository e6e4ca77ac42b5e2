import type { WirePolicy } from '../policy/compile.js';
import type { ClockUs } from '../store/clocks.js';
import type { Check } from '../store/decision-store.js';
import { MemoryStore } from '../store/memory/memory-store.js';

/**
 * Charges admitted without the store, counted under the full limits by the same models, so that refilled units and past
 * windows drop out. An entry stays until the store has applied it.
 */
export class OutageJournal {
  private readonly uses: MemoryStore;
  private readonly entries = new Map<string, WirePolicy>();
  /** States of the counters whose replay is in flight. */
  private readonly inFlight = new Map<string, unknown>();

  /** @param options.maxKeys more than are ever noted: an entry must not be evicted */
  constructor(options: { clockUs?: ClockUs; maxKeys: number }) {
    this.uses = new MemoryStore(options);
  }

  get size(): number {
    return this.entries.size;
  }

  keys(): Iterable<string> {
    return this.entries.keys();
  }

  isOpen(key: string): boolean {
    return this.entries.has(key);
  }

  note(checks: readonly Check[]): void {
    // Permits are not replayed: running requests release them here and acquire new ones in the store.
    const uses = checks.filter(({ policy, cost }) => policy.kind !== 'concurrency' && cost > 0);
    for (const { key, policy } of uses) this.entries.set(key, policy);
    void this.uses.amend({ op: 'charge', checks: uses });
  }

  /**
   * Takes the unreplayed charges, as costs under the full limits; {@link confirm} or {@link restore} must follow. Charges
   * noted meanwhile are kept separately.
   */
  take(keys: readonly string[]): Check[] {
    return keys.flatMap((key) => {
      const policy = this.entries.get(key);
      if (policy === undefined) return [];
      const cost = this.usedUnits(key, policy);
      const state = this.uses.stateOf(key);
      this.uses.forget(key);
      if (cost <= 0) {
        this.entries.delete(key);
        return [];
      }
      this.inFlight.set(key, state);
      return [{ key, policy, cost }];
    });
  }

  /** Returns the counters that were charged again meanwhile; their entries stay. */
  confirm(checks: readonly Check[]): string[] {
    return checks.flatMap(({ key }) => {
      this.inFlight.delete(key);
      if (this.uses.stateOf(key) !== undefined) return [key];
      this.entries.delete(key);
      return [];
    });
  }

  /** The store did not answer. */
  restore(checks: readonly Check[]): void {
    for (const check of checks) {
      const { key, policy } = check;
      const since = this.usedUnits(key, policy);
      this.uses.write(check, this.inFlight.get(key));
      this.inFlight.delete(key);
      void this.uses.amend({ op: 'charge', checks: [{ key, policy, cost: since }] });
    }
  }

  /** Units charged to the counter that still count, without those in flight. */
  pendingUnits(key: string): number {
    const policy = this.entries.get(key);
    return policy === undefined ? 0 : this.usedUnits(key, policy);
  }

  private usedUnits(key: string, policy: WirePolicy): number {
    const { remaining } = this.uses.step({ key, policy, cost: 0 }, 0, this.uses.clockUs(), 0);
    return policy.capacity - remaining;
  }
}
