import type { Step } from '../algorithms/algorithm.js';
import type { WirePolicy } from '../policy/compile.js';
import type { Check } from './decision-store.js';
import type { MemoryReceipt } from './memory-receipt.js';

/** As good as endless, and still a whole number after it is added. */
export const ENDLESS = 2 ** 50;

/** What of a memory store is changed. */
export interface MemoryCounters {
  /** What `cost` would meet at a counter, under the policy that counts there now. */
  step(check: Check, cost: number, nowUs: number, holder: number): Step<unknown>;
  /** The state of `key`, carried over to `policy` where another one wrote it. */
  stateUnder(key: string, policy: WirePolicy, nowUs: number): unknown;
  stateOf(key: string): unknown;
  /** The id of the policy that wrote the state of `key`; undefined without one. */
  idOf(key: string): number | undefined;
  write(check: Pick<Check, 'key' | 'policy'>, state: unknown): void;
  /** Puts another state in the place of one, which stays that of the policy that wrote it. */
  replace(key: string, policy: WirePolicy, state: unknown): void;
  findReceipt(key: string, nowUs: number): MemoryReceipt | undefined;
  forget(key: string): void;
  /** Says that `key` has more room than before. */
  tell(key: string): void;
}

/**
 * The most that is charged past a limit: twice the capacity is used then. More would change no decision for a long time,
 * and a log keeps each unit.
 */
export function mostOwed(remaining: number, { policy }: Check): number {
  return Math.max(0, remaining + policy.capacity);
}
