import { LRUCache } from 'lru-cache';
import { algorithmOf } from '../algorithms/index.js';
import type { Check, CheckResult, DecisionStore, StoreReply } from './decision-store.js';

/** Microseconds since the Unix epoch. */
export type ClockUs = () => number;

/** The process's wall clock. */
export const systemClockUs: ClockUs = () => Math.round((performance.timeOrigin + performance.now()) * 1000);

/**
 * A map around the models: the reference that the scripts are held to, the local mode, and what a node decides by
 * while Redis cannot be asked. Holds at most `maxKeys` counters; past that the least recently used one is forgotten.
 */
export class MemoryStore implements DecisionStore {
  private readonly states: LRUCache<string, { state: unknown }>;
  private readonly clockUs: ClockUs;

  constructor(options: { clockUs?: ClockUs; maxKeys?: number } = {}) {
    this.clockUs = options.clockUs ?? systemClockUs;
    this.states = new LRUCache({ max: options.maxKeys ?? 100_000 });
  }

  decide(checks: readonly Check[], options?: { peek?: boolean }): Promise<StoreReply> {
    return Promise.resolve(this.decideNow(checks, options?.peek ?? false));
  }

  /** The decision itself, without a promise around it. */
  decideNow(checks: readonly Check[], peek: boolean): StoreReply & { available: true } {
    const nowUs = this.clockUs();
    const steps = checks.map(({ key, policy, cost }) => {
      const algorithm = algorithmOf(policy.algorithm);
      return { key, policy, cost, algorithm, step: algorithm.step(this.stateOf(key), policy, cost, nowUs) };
    });
    const allowed = steps.every(({ step }) => step.allowed);
    const results = steps.map(({ key, policy, cost, algorithm, step }): CheckResult => {
      const charged = allowed && !peek;
      if (charged && cost > 0) this.states.set(key, { state: step.state });
      // Not charged after all: what is left is what was there before.
      const left = charged || !step.allowed ? step : algorithm.step(this.stateOf(key), policy, 0, nowUs);
      return {
        allowed: step.allowed,
        remaining: left.remaining,
        retryAfterUs: step.retryAfterUs,
        resetAfterUs: left.resetAfterUs,
      };
    });
    return { available: true, nowUs, allowed, checks: results };
  }

  /** The stored state of `key`, as the algorithm made it. */
  stateOf(key: string): unknown {
    return this.states.get(key)?.state;
  }

  /** Puts a state of the key's algorithm in place. */
  restore(key: string, state: unknown): void {
    this.states.set(key, { state });
  }

  clear(): void {
    this.states.clear();
  }

  close(): Promise<void> {
    this.clear();
    return Promise.resolve();
  }
}
