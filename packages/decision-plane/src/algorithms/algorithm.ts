import type { CarryOver, FieldError, LimitPolicy } from '@tollgate/contracts';

/** A way of counting. One more than the algorithms of a policy where one name stands for two ways of counting. */
export type RuleKind =
  | Exclude<LimitPolicy['algorithm'], 'sliding_window_counter' | 'token_bucket'>
  | 'sliding_window_counter'
  | 'sliding_window_estimate'
  | 'token_bucket'
  | 'token_bucket_interval';

/** A rule that counts failures, with the attempts in flight beside them (`attempts.ts`). */
export type AttemptsKind = `attempts_${Exclude<RuleKind, 'concurrency'>}`;

/** A model. */
export type Kind = RuleKind | AttemptsKind;

/** A limit's numbers as the engine and the scripts use them: integers below 2^53, rounded once, by `compile`. */
export interface CompiledPolicy {
  readonly kind: Kind;
  /** How long after a write its state can still matter, ms: after that, stored and missing decide alike. */
  readonly horizonMs: number;
  /** What passes at once when nothing is used. */
  readonly capacity: number;
  /** Units past `capacity` that the throttle lets pass now: the soft band, or what may be borrowed; else 0. */
  readonly extra: number;
}

/** What a policy depends on besides itself. */
export interface CompileContext {
  /** IANA name. */
  readonly timeZone: string;
  /** 1–31. */
  readonly billingAnchorDay: number;
  readonly nowMs: number;
}

export type Compilation<P> = { ok: true; policy: P } | { ok: false; errors: FieldError[] };

/** What one request meets at one limit. */
export interface Step<State> {
  allowed: boolean;
  /** Allowed, and past the limit itself: within `extra`. */
  over: boolean;
  /** The state to store if the request is charged; on a refusal, and at cost 0, the state that came in. */
  state: State | undefined;
  /** Capacity less what is used after this step, in requests of cost 1, rounded down; negative past the limit. */
  remaining: number;
  /**
   * Refused: microseconds until this cost would pass, -1 when it never can. Allowed: microseconds that the caller should
   * wait before it runs the request, 0 but for queues.
   */
  waitUs: number;
  /** Microseconds until nothing is used any more. */
  resetAfterUs: number;
  /** Refused only because of attempts whose outcome is not known yet. */
  inFlight?: true;
}

/**
 * One algorithm, whole: the pure model that the Lua twin is held to. Nothing here reads a clock, waits or logs.
 * `nowUs` is the store's time in microseconds since the Unix epoch, 2020 or later; it may step back.
 */
export interface Algorithm<Stored extends LimitPolicy, Compiled extends CompiledPolicy, State> {
  readonly kind: Kind;
  /** Number of the algorithm in a batch; never reused. Mirrors the index in `scripts/algorithms/*.lua`. */
  readonly wireId: number;
  /** Part of every counter key: changes when the stored fields change, so that old and new state never meet. */
  readonly stateVersion: string;
  /** Stored policy to integers; refuses, by field, what integers cannot say, contradicts itself or can never fire. */
  compile(stored: Stored, context: CompileContext): Compilation<Compiled>;
  /** The parameters of the Lua twin, always as many, whole and 0 or more; the first is `extra` in the twin's measure. */
  parameters(policy: Compiled): number[];
  /**
   * @param holder who takes a slot, 1 to 2^53 - 1; 0: nobody. Only `concurrency` looks at it.
   * @throws RangeError if `cost` is negative or no integer (programmer error).
   */
  step(state: State | undefined, policy: Compiled, cost: number, nowUs: number, holder: number): Step<State>;
  /**
   * Gives back `units` that were charged at `atUs`. Never more than is used, and nothing that has come back by itself
   * since. The state that came in, when there is nothing to give back.
   */
  give(
    state: State | undefined,
    policy: Compiled,
    units: number,
    atUs: number,
    nowUs: number,
    holder: number,
  ): State | undefined;
  /** Units of attempts whose outcome is not known yet; left out: there are none. */
  inFlight?(state: State | undefined, policy: Compiled, nowUs: number): number;
  /** A step whose cost counts at once, where `step` only keeps it in flight; left out: as `step`. */
  charge?(state: State | undefined, policy: Compiled, cost: number, nowUs: number): Step<State>;
  /** Ends an attempt of `atUs` that has not failed. Left out: nothing is in flight. */
  release?(state: State, policy: Compiled, units: number, atUs: number): State | undefined;
  /** Ends an attempt of `atUs` that has failed: its units count from now on, past the limit if need be. */
  fail?(
    state: State | undefined,
    policy: Compiled,
    units: number,
    atUs: number,
    nowUs: number,
  ): State | undefined;
  /**
   * The state under `to` of what was counted under `from`, which `to` took the place of at `atUs`. With `used` as it was
   * under `from` at that moment: `keep` used; `reset` to 0; `proportional` used × new capacity ÷ old, rounded up;
   * `additive` used, but no more than the old capacity, so that what was added is there at once.
   */
  rebase(state: State, from: Compiled, to: Compiled, rule: CarryOver, atUs: number): State | undefined;
  /** The stored bytes of a state, one character each (latin1), without the mark that the script adds. */
  encode(state: State): string;
  /** Undefined for bytes that are not of this algorithm: such a key decides as a missing one. */
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

/** As much as a change makes of what was used at most: what comes on top of it is still counted exactly. */
const MAX_CARRIED = 2 ** 52;

/** What is used under a changed limit; `used` and the capacities in one measure, whole. */
export function carriedOver(used: number, from: number, to: number, rule: CarryOver): number {
  switch (rule) {
    case 'keep':
      return used;
    case 'reset':
      return 0;
    case 'proportional':
      return Math.min(MAX_CARRIED, Math.ceil((used * to) / from));
    case 'additive':
      return Math.min(used, from);
  }
}

/** Why a policy cannot be compiled. */
export function refuse(field: string, message: string): { ok: false; errors: FieldError[] } {
  return { ok: false, errors: [{ field, message }] };
}

/**
 * Units past the limit that the throttle can let pass, of the policy's `limit`.
 * @returns an error for a band that is too narrow to ever let a request pass
 */
export function extraOf(
  stored: LimitPolicy,
): { ok: true; extra: number } | { ok: false; errors: FieldError[] } {
  const { throttle, limit } = stored;
  if (throttle?.mode !== 'soft' && throttle?.mode !== 'elastic') return { ok: true, extra: 0 };
  const [field, percent] =
    throttle.mode === 'soft'
      ? ['throttle.percent', throttle.percent]
      : ['throttle.maxPercent', throttle.maxPercent];
  const extra = Math.floor((limit * percent) / 100);
  if (extra >= 1) return { ok: true, extra };
  return refuse(field, `${percent} % of ${limit} is less than one request: nothing would ever pass in it`);
}

/** A whole number as bytes, one character (latin1) each, the highest first. `width` is 1 to 7; the number must fit. */
export function bytesOf(value: number, width: number): string {
  let text = '';
  for (let rest = value, left = width; left > 0; left--) {
    text = String.fromCharCode(rest % 256) + text;
    rest = Math.floor(rest / 256);
  }
  return text;
}

/** The number that `bytesOf` wrote at `at`. */
export function numberAt(text: string, at: number, width: number): number {
  let value = 0;
  for (let i = at; i < at + width; i++) value = value * 256 + text.charCodeAt(i);
  return value;
}
