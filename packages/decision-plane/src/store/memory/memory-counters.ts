import { LRUCache } from 'lru-cache';
import type { Step } from '../../algorithms/algorithm.js';
import { algorithmOf } from '../../algorithms/index.js';
import { isNewerId, rebased, type WirePolicy } from '../../policy/compile.js';
import { type ClockUs, systemClockUs } from '../clocks.js';
import type { Check, CheckResult } from '../decision-store.js';

export interface MemoryStoreOptions {
  clockUs?: ClockUs;
  /** Maximum number of counters; beyond it, the least recently used one is dropped. Default 100,000. */
  maxKeys?: number;
  /** Called with each counter that gained capacity. */
  onClear?: (key: string) => void;
}

/** Receipt of a charged request: model of the receipt in `scripts/parts/receipt.lua`. */
export interface MemoryReceipt {
  /** `final`: settled. `returned`: refunded, so its request id may be charged again. */
  status: 'charged' | 'final' | 'refunded';
  /** 0: not yet. */
  reportedAtUs: number;
  readonly holder: number;
  readonly fingerprint: number;
  readonly chargedAtUs: number;
  readonly termUs: number;
  /** 0: never. */
  expiresAtUs: number;
  readonly keepUs: number;
  forgetAtUs: number;
  readonly checks: { readonly check: Check; readonly result: CheckResult; charged: number }[];
}

/** Larger than any limit; adding it to a limit still gives an exact integer. */
export const ENDLESS = 2 ** 50;

/** Counter states and receipts in memory, with least-recently-used eviction. */
export class MemoryCounters {
  readonly clockUs: ClockUs;
  readonly receipts: LRUCache<string, MemoryReceipt>;
  private readonly states: LRUCache<string, { state: unknown; id: number }>;
  private readonly onClear: (key: string) => void;

  constructor(options: MemoryStoreOptions = {}) {
    this.clockUs = options.clockUs ?? systemClockUs;
    this.onClear = options.onClear ?? (() => undefined);
    const max = options.maxKeys ?? 100_000;
    this.states = new LRUCache({ max });
    this.receipts = new LRUCache({ max });
  }

  /** Whether there are no counters. */
  get isEmpty(): boolean {
    return this.states.size === 0;
  }

  step({ key, policy }: Check, cost: number, nowUs: number, holder: number): Step<unknown> {
    return algorithmOf(policy.kind).step(this.stateUnder(key, policy, nowUs), policy, cost, nowUs, holder);
  }

  /** State of `key`, carried over to `policy` if a different policy wrote it. */
  stateUnder(key: string, policy: WirePolicy, nowUs: number): unknown {
    const entry = this.states.get(key);
    return entry === undefined ? undefined : rebased(entry.state, entry.id, policy, nowUs);
  }

  /** State of `key` as stored. */
  stateOf(key: string): unknown {
    return this.states.get(key)?.state;
  }

  /** Id of the policy that wrote `key`. */
  idOf(key: string): number | undefined {
    return this.states.get(key)?.id;
  }

  /** Stores a state under the newer of `policy` and the policy that wrote `key`. */
  write({ key, policy }: Pick<Check, 'key' | 'policy'>, state: unknown): void {
    const id = this.idOf(key) ?? policy.id;
    this.set(key, state, isNewerId(id, policy) ? id : policy.id);
  }

  /** Stores a state under the policy that wrote `key`. */
  replace(key: string, policy: WirePolicy, state: unknown): void {
    this.set(key, state, this.idOf(key) ?? policy.id);
  }

  forget(key: string): void {
    this.states.delete(key);
  }

  /** Reports that `key` gained capacity. */
  cleared(key: string): void {
    this.onClear(key);
  }

  findReceipt(key: string, nowUs: number): MemoryReceipt | undefined {
    const receipt = this.receipts.get(key);
    return receipt === undefined || receipt.forgetAtUs <= nowUs ? undefined : receipt;
  }

  clear(): void {
    this.states.clear();
    this.receipts.clear();
  }

  private set(key: string, state: unknown, id: number): void {
    if (state === undefined) this.states.delete(key);
    else this.states.set(key, { state, id });
  }
}

/**
 * Maximum units that can be charged past a limit: up to twice the capacity. More would not change a decision for a long
 * time, and a sliding log stores each unit.
 */
export function mostOwed(remaining: number, { policy }: Check): number {
  return Math.max(0, remaining + policy.capacity);
}
