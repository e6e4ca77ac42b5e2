import { LRUCache } from 'lru-cache';
import type { Step } from '../algorithms/algorithm.js';
import { algorithmOf } from '../algorithms/index.js';
import { type PenaltyState, penalize } from '../algorithms/penalty.js';
import { isNewerId, rebased, type WirePolicy } from '../rules/compile.js';
import { penaltyKey } from '../rules/keys.js';
import { type ClockUs, systemClockUs } from '../stores/clocks.js';
import type { Check, CheckResult } from '../stores/decision-store.js';

export interface MemoryStoreOptions {
  clockUs?: ClockUs;
  /** Maximum number of counters; beyond it, the least recently used one is dropped. Default 100,000. */
  maxKeys?: number;
  onClear?: (key: string) => void;
}

export interface MemoryReceipt {
  /** `final`: settled. `refunded` and `expired`: its request id may be charged again. */
  status: 'charged' | 'final' | 'refunded' | 'expired';
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

export const ENDLESS = 2 ** 50;

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

  step({ key, policy }: Check, cost: number, nowUs: number, holder: number): Step<unknown> {
    return algorithmOf(policy.kind).step(this.stateUnder(key, policy, nowUs), policy, cost, nowUs, holder);
  }

  /** A step under the policy's penalty. @param isCharge whether its denial is counted */
  penalized(check: Check, isCharge: boolean, nowUs: number, holder: number): Step<unknown> {
    const { key, policy, cost } = check;
    const step = this.step(check, cost, nowUs, holder);
    if (policy.penalty === undefined) return step;
    const ofPenalty = { key: penaltyKey(key), policy: policy.penalty };
    const state = this.stateUnder(ofPenalty.key, policy.penalty, nowUs) as PenaltyState | undefined;
    const left = () => this.step(check, 0, nowUs, holder);
    const next = penalize(step, policy.penalty, state, isCharge && cost > 0, nowUs, left);
    if (next.state !== state) this.write(ofPenalty, next.state);
    return next.step;
  }

  stateUnder(key: string, policy: WirePolicy, nowUs: number): unknown {
    const entry = this.states.get(key);
    return entry === undefined ? undefined : rebased(entry.state, entry.id, policy, nowUs);
  }

  stateOf(key: string): unknown {
    return this.states.get(key)?.state;
  }

  idOf(key: string): number | undefined {
    return this.states.get(key)?.id;
  }

  /** Stores a state under the newer of `policy` and the policy that wrote `key`. */
  write({ key, policy }: Pick<Check, 'key' | 'policy'>, state: unknown): void {
    const id = this.idOf(key) ?? policy.id;
    this.set(key, state, isNewerId(id, policy) ? id : policy.id);
  }

  replace(key: string, policy: WirePolicy, state: unknown): void {
    this.set(key, state, this.idOf(key) ?? policy.id);
  }

  forget(key: string): void {
    this.states.delete(key);
  }

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

/** Units that can be charged past a limit: up to twice the capacity; more would not change a decision for a long time. */
export function mostOwed(remaining: number, { policy }: Check): number {
  return Math.max(0, remaining + policy.capacity);
}
