import { LRUCache } from 'lru-cache';
import type { Step } from '../algorithms/algorithm.js';
import { algorithmOf } from '../algorithms/index.js';
import { isNewerId, rebased, type WirePolicy } from '../policy/compile.js';
import type {
  Amended,
  Amendment,
  Check,
  CheckResult,
  Decided,
  DecisionStore,
  StoreReply,
  StoreRequest,
} from './decision-store.js';
import { amendMemory } from './memory-amend.js';
import type { MemoryCounters } from './memory-counters.js';
import { keepReceipt, type MemoryReceipt, repeatAnswer } from './memory-receipt.js';

/** Microseconds since the Unix epoch. */
export type ClockUs = () => number;

/** The process's wall clock. */
export const systemClockUs: ClockUs = () => Math.round((performance.timeOrigin + performance.now()) * 1000);

export interface MemoryStoreOptions {
  clockUs?: ClockUs;
  /** Counters held; past that the least recently used one is forgotten. 100,000 unless given. */
  maxKeys?: number;
  /** Told of each counter that has more room than before. */
  onClear?: (key: string) => void;
}

/**
 * A map around the models: the reference that the scripts are held to, the local mode, and what a node decides by
 * while Redis cannot be asked.
 */
export class MemoryStore implements DecisionStore, MemoryCounters {
  readonly receipts: LRUCache<string, MemoryReceipt>;
  readonly clockUs: ClockUs;
  private readonly states: LRUCache<string, { state: unknown; id: number }>;
  private readonly onClear: (key: string) => void;

  constructor(options: MemoryStoreOptions = {}) {
    this.clockUs = options.clockUs ?? systemClockUs;
    this.onClear = options.onClear ?? (() => undefined);
    const max = options.maxKeys ?? 100_000;
    this.states = new LRUCache({ max });
    this.receipts = new LRUCache({ max });
  }

  decide(request: StoreRequest): Promise<StoreReply> {
    return Promise.resolve(this.decideNow(request));
  }

  amend(amendment: Amendment): Promise<Amended> {
    return Promise.resolve(amendMemory(this, amendment, this.clockUs()));
  }

  /** The decision itself, without a promise around it. */
  decideNow({ checks, peek, receipt }: StoreRequest): Decided {
    const nowUs = this.clockUs();
    const kept = receipt === undefined ? undefined : this.findReceipt(receipt.key, nowUs);
    if (receipt !== undefined && kept !== undefined && kept.status !== 'returned') {
      const look = (check: Check) => this.step(check, 0, nowUs, 0);
      return repeatAnswer(kept, receipt, checks, look, nowUs);
    }
    const holder = receipt?.holder ?? 0;
    const steps = checks.map((check) => this.step(check, check.cost, nowUs, holder));
    const allowed = steps.every((step, i) => step.allowed || checks[i]?.policy.shadow === true);
    const charged = allowed && !peek;
    const results = checks.map((check, i): CheckResult => {
      const step = steps[i] as Step<unknown>;
      const isCharged = charged && check.look !== true;
      if (isCharged && step.allowed && check.cost > 0) this.write(check, step.state);
      // Would pass, but is not charged after all: what is left is what was there before.
      const left = isCharged || !step.allowed ? step : this.step(check, 0, nowUs, holder);
      const { remaining, resetAfterUs } = left;
      const { over, waitUs } = step;
      const result: CheckResult = { allowed: step.allowed, over, remaining, waitUs, resetAfterUs };
      if (step.inFlight === true) result.inFlight = true;
      const { inFlight } = algorithmOf(check.policy.kind);
      if (inFlight !== undefined)
        result.attempts = inFlight(this.stateUnder(check.key, check.policy, nowUs), check.policy, nowUs);
      return result;
    });
    if (charged && receipt !== undefined) {
      this.receipts.set(receipt.key, keepReceipt(receipt, checks, results, nowUs));
    }
    return { available: true, nowUs, allowed, checks: results, replayed: false };
  }

  step({ key, policy }: Check, cost: number, nowUs: number, holder: number): Step<unknown> {
    return algorithmOf(policy.kind).step(this.stateUnder(key, policy, nowUs), policy, cost, nowUs, holder);
  }

  stateUnder(key: string, policy: WirePolicy, nowUs: number): unknown {
    const entry = this.states.get(key);
    return entry === undefined ? undefined : rebased(entry.state, entry.id, policy, nowUs);
  }

  write({ key, policy }: Pick<Check, 'key' | 'policy'>, state: unknown): void {
    const id = this.states.get(key)?.id ?? policy.id;
    if (state === undefined) this.states.delete(key);
    else this.states.set(key, { state, id: isNewerId(id, policy) ? id : policy.id });
  }

  /** The id of the policy that wrote the state of `key`; undefined without one. */
  idOf(key: string): number | undefined {
    return this.states.get(key)?.id;
  }

  replace(key: string, policy: WirePolicy, state: unknown): void {
    const id = this.states.get(key)?.id ?? policy.id;
    if (state === undefined) this.states.delete(key);
    else this.states.set(key, { state, id });
  }

  /** Whether there is no counter. */
  get isEmpty(): boolean {
    return this.states.size === 0;
  }

  /** The stored state of `key`, as the algorithm made it. */
  stateOf(key: string): unknown {
    return this.states.get(key)?.state;
  }

  findReceipt(key: string, nowUs: number): MemoryReceipt | undefined {
    const receipt = this.receipts.get(key);
    return receipt === undefined || receipt.forgetAtUs <= nowUs ? undefined : receipt;
  }

  /** Gives back reservations whose time is over: what a node does for Redis every half second. */
  sweepReservations(): void {
    const nowUs = this.clockUs();
    for (const [receiptKey, { status, expiresAtUs }] of this.receipts.entries()) {
      if (status !== 'charged' || expiresAtUs === 0 || expiresAtUs > nowUs) continue;
      amendMemory(this, { op: 'return', receiptKey, which: 'expired' }, nowUs);
    }
  }

  forget(key: string): void {
    this.states.delete(key);
  }

  tell(key: string): void {
    this.onClear(key);
  }

  clear(): void {
    this.states.clear();
    this.receipts.clear();
  }

  close(): Promise<void> {
    this.clear();
    return Promise.resolve();
  }
}
