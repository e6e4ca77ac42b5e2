import type { WirePolicy } from '../policy/compile.js';
import type { ClockUs } from '../store/clocks.js';
import type { Check } from '../store/decision-store.js';
import { MemoryStore } from '../store/memory/memory-store.js';

/**
 * What was admitted without the store, counted under the whole limits by the same models, so that what has come back since,
 * or belonged to a window that is over, drops out by itself. An entry stays until the store has taken all of it.
 */
export class OutageJournal {
  private readonly uses: MemoryStore;
  private readonly entries = new Map<string, WirePolicy>();
  /** What the store is being told of, as it stood then. */
  private readonly sent = new Map<string, unknown>();

  /** @param options.maxKeys more than are ever noted: an entry must not be pushed out */
  constructor(options: { clockUs?: ClockUs; maxKeys: number }) {
    this.uses = new MemoryStore(options);
  }

  /** Counters of which the store has to be told. */
  get size(): number {
    return this.entries.size;
  }

  /** They come by the order in which they were noted. */
  keys(): Iterable<string> {
    return this.entries.keys();
  }

  isOpen(key: string): boolean {
    return this.entries.has(key);
  }

  /** Notes what was admitted: each check's cost. */
  note(checks: readonly Check[]): void {
    // A slot is not a use: whoever still runs holds it here, and asks anew there.
    const uses = checks.filter(({ policy, cost }) => policy.kind !== 'concurrency' && cost > 0);
    for (const { key, policy } of uses) this.entries.set(key, policy);
    void this.uses.amend({ op: 'charge', checks: uses });
  }

  /**
   * What the store has to be told of these counters, as costs under the whole limits; entries of which nothing counts any
   * more are closed. {@link told} or {@link untold} must follow. What is noted meanwhile is kept apart.
   */
  begin(keys: readonly string[]): Check[] {
    return keys.flatMap((key) => {
      const policy = this.entries.get(key);
      if (policy === undefined) return [];
      const cost = this.owed(key, policy);
      const state = this.uses.stateOf(key);
      this.uses.forget(key);
      if (cost <= 0) {
        this.entries.delete(key);
        return [];
      }
      this.sent.set(key, state);
      return [{ key, policy, cost }];
    });
  }

  /** The store has taken it. Returns the counters of which more was noted since: their entries stay. */
  told(checks: readonly Check[]): string[] {
    return checks.flatMap(({ key }) => {
      this.sent.delete(key);
      if (this.uses.stateOf(key) !== undefined) return [key];
      this.entries.delete(key);
      return [];
    });
  }

  /** The store did not answer: all of it is still to be told. */
  untold(checks: readonly Check[]): void {
    for (const check of checks) {
      const { key, policy } = check;
      const since = this.owed(key, policy);
      this.uses.write(check, this.sent.get(key));
      this.sent.delete(key);
      void this.uses.amend({ op: 'charge', checks: [{ key, policy, cost: since }] });
    }
  }

  /** Units that were admitted by the counter and still count, except those being replayed to the store. */
  owedOf(key: string): number {
    const policy = this.entries.get(key);
    return policy === undefined ? 0 : this.owed(key, policy);
  }

  private owed(key: string, policy: WirePolicy): number {
    const { remaining } = this.uses.step({ key, policy, cost: 0 }, 0, this.uses.clockUs(), 0);
    return policy.capacity - remaining;
  }
}
