import type { AlgorithmName, FieldError, LimitPolicy } from '@tollgate/contracts';

/** A limit's numbers as the engine and the scripts use them: integers below 2^53, rounded once, by `compile`. */
export interface CompiledPolicy {
  readonly algorithm: AlgorithmName;
  /** How long after a write its state can still matter, ms: after that, stored and missing decide alike. */
  readonly horizonMs: number;
  /** What passes at once when nothing is used. */
  readonly capacity: number;
}

export type Compilation<P> = { ok: true; policy: P } | { ok: false; errors: FieldError[] };

/** What one request meets at one limit. */
export interface Step<State> {
  allowed: boolean;
  /** The state to store if the request is charged; on a refusal, and at cost 0, the state that came in. */
  state: State | undefined;
  /** Requests of cost 1 that would pass after this step. */
  remaining: number;
  /** Microseconds until this cost would pass; 0 when it passes now; -1 when it never can. */
  retryAfterUs: number;
  /** Microseconds until nothing is used any more. */
  resetAfterUs: number;
}

/**
 * One algorithm, whole: the pure model that the Lua twin is held to. Nothing here reads a clock, waits or logs.
 * `nowUs` is the store's time in microseconds since the Unix epoch, 2020 or later.
 */
export interface Algorithm<Stored extends LimitPolicy, Compiled extends CompiledPolicy, State> {
  readonly name: Stored['algorithm'];
  /** Number of the algorithm in a batch; never reused. Mirrors the index in `scripts/algorithms/*.lua`. */
  readonly wireId: number;
  /** Part of every counter key: changes when the stored fields change, so that old and new state never meet. */
  readonly stateVersion: string;
  /** Stored policy to integers; refuses, by field, what integers cannot say. */
  compile(stored: Stored): Compilation<Compiled>;
  /** The three parameters of the Lua twin, in its order; unused ones are 0. */
  parameters(policy: Compiled): [number, number, number];
  /** @throws RangeError if `cost` is negative or no integer (programmer error). */
  step(state: State | undefined, policy: Compiled, cost: number, nowUs: number): Step<State>;
  /** The stored text of a state, without the TTL mark that the script adds. */
  encode(state: State): string;
  /** Undefined for a text that is not of this algorithm: such a key decides as a missing one. */
  decode(text: string): State | undefined;
  /** One node's part of the limit among `nodes`, at least 1: what it may spend while Redis cannot be asked. */
  share(policy: Compiled, nodes: number): Compiled;
  /** Whether an allowed request ran ahead of an even spacing. */
  isBurst(policy: Compiled, cost: number, resetAfterUs: number): boolean;
}

/** @throws RangeError if `cost` is negative or no integer. */
export function assertCost(cost: number): void {
  if (!Number.isSafeInteger(cost) || cost < 0) {
    throw new RangeError(`cost must be a whole number of 0 or more, not ${cost}`);
  }
}
