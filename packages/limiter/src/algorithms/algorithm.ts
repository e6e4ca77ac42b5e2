import { type CarryOver, carriedOver, type FieldError, type LimitPolicy } from '@tollgate/contracts';

/** A counting algorithm. A policy's algorithm name may map to two implementations, depending on a parameter. */
export type RuleKind =
  | Exclude<LimitPolicy['algorithm'], 'sliding_window_counter' | 'token_bucket'>
  | 'sliding_window_counter'
  | 'sliding_window_estimate'
  | 'token_bucket'
  | 'token_bucket_interval';

/** An algorithm that counts failures and, separately, attempts in flight (`attempts.ts`). */
export type AttemptsKind = `attempts_${Exclude<RuleKind, 'concurrency'>}`;

/** `packed_window`: `fixed_window` with the state of a packed counter. `penalty`: not a rule, but beside one (`penalty.ts`). */
export type Kind = RuleKind | AttemptsKind | 'packed_window' | 'penalty';

/** A limit compiled to integers below 2^53, rounded once, for the engine and the scripts. */
export interface CompiledPolicy {
  readonly kind: Kind;
  /** How long after a write its state can affect decisions, ms. */
  readonly horizonMs: number;
  /** Units that an unused limit admits at once. The same for every state: usage is computed as `capacity - remaining`. */
  readonly capacity: number;
  /** Units above `capacity` that the throttle currently admits: the soft band or borrowed units; otherwise 0. */
  readonly extra: number;
}

/** Inputs of compilation besides the policy. */
export interface CompileContext {
  /** IANA name. */
  readonly timeZone: string;
  /** 1–31. */
  readonly billingAnchorDay: number;
  readonly nowMs: number;
}

export type Compilation<P> = { ok: true; policy: P } | { ok: false; errors: FieldError[] };

export interface Step<State> {
  allowed: boolean;
  over: boolean;
  /** State to store if the request is charged; unchanged if denied or at cost 0. */
  state: State | undefined;
  /** Capacity minus usage after this step, in requests of cost 1, rounded down; negative above the limit. */
  remaining: number;
  /** Microseconds. Denied: until this cost is allowed, -1 for never. Allowed: until the request may run; 0 unless queued. */
  waitUs: number;
  /** Microseconds until the counter is empty. */
  resetAfterUs: number;
  /** Denied only because of attempts in flight. */
  inFlight?: true;
  /** Denied by the block of a penalty, at least until `waitUs`. */
  penalized?: true;
}

/**
 * Pure model of an algorithm: no clock, waiting or logging; parity tests compare it with its Lua twin. `nowUs` is the
 * store's time in microseconds since the Unix epoch; it may step back. See docs/adr/0012-algorithms.md.
 */
export interface Algorithm<Stored extends LimitPolicy, Compiled extends CompiledPolicy, State> {
  readonly kind: Kind;
  /** Number of the algorithm in a batch, 1 to 15, never reused. `scripts/parts/constants.lua` names it. */
  readonly wireId: number;
  /** Part of every counter key, never reused. Changes with the stored fields, so that old and new state have different keys. */
  readonly stateVersion: string;
  /** Whether usage only grows until a moment that is the same for all nodes, and is 0 then; otherwise units return one by one. */
  readonly endsAtOnce: boolean;
  /** Whether one charge of a sum of costs decides like a charge of each; not if units have holders. */
  readonly isAdditive: boolean;
  /** Compiles a stored policy to integers. Rejects, by field, values that are not representable or never effective. */
  compile(stored: Stored, context: CompileContext): Compilation<Compiled>;
  /** Parameters of the Lua twin: a fixed number of non-negative integers. The first is `extra` in the twin's unit. */
  parameters(policy: Compiled): number[];
  /** @param holder who takes a permit, 1 to 2^53 - 1; 0: none; for `concurrency` only. @throws RangeError as `assertCost` */
  step(state: State | undefined, policy: Compiled, cost: number, nowUs: number, holder: number): Step<State>;
  /** Refunds up to `units` charged at `atUs` that still count; the same state if there are none, undefined to delete it. */
  refund(
    state: State | undefined,
    policy: Compiled,
    units: number,
    atUs: number,
    nowUs: number,
    holder: number,
  ): State | undefined;
  /** Units of attempts in flight. Omitted: always 0. */
  inFlight?(state: State | undefined, policy: Compiled, nowUs: number): number;
  /** A step that charges its cost permanently, where `step` would put it in flight. Omitted: same as `step`. */
  charge?(state: State | undefined, policy: Compiled, cost: number, nowUs: number): Step<State>;
  /** Ends an attempt that began at `atUs` and did not fail. Omitted: nothing is in flight. */
  release?(state: State, policy: Compiled, units: number, atUs: number): State | undefined;
  /** Ends an attempt that began at `atUs` and failed: its units are charged from now on, above the limit if necessary. */
  fail?(
    state: State | undefined,
    policy: Compiled,
    units: number,
    atUs: number,
    nowUs: number,
  ): State | undefined;
  /** Counts a denial by another policy. Omitted: only a penalty does. */
  deny?(state: State | undefined, policy: Compiled, nowUs: number): State;
  /**
   * Converts a state from policy `from` to policy `to`, which replaced it at `atUs`. Usage: `keep` unchanged; `reset` 0;
   * `proportional` usage × new capacity ÷ old, rounded up; `additive` at most the old capacity, so that added capacity is
   * free.
   */
  rebase(state: State, from: Compiled, to: Compiled, rule: CarryOver, atUs: number): State | undefined;
  /** Stored bytes of a state, one latin1 character each, without the mark that the script appends. */
  encode(state: State): string;
  /** Undefined for bytes of another format; such a key decides like a missing one. */
  decode(text: string): State | undefined;
  /** A node's share of the limit among `nodes`, at least 1; used while Redis is unavailable. */
  share(policy: Compiled, nodes: number): Compiled;
  /** Whether an allowed request was ahead of an even rate. */
  isBurst(policy: Compiled, cost: number, resetAfterUs: number): boolean;
}

/** @throws RangeError if `cost` is negative or not an integer */
export function assertCost(cost: number): void {
  if (!Number.isSafeInteger(cost) || cost < 0) {
    throw new RangeError(`cost must be a whole number, 0 or more, not ${cost}`);
  }
}

/** A node's share of a policy whose other fields do not depend on the capacity. */
export function sharedEqually<P extends CompiledPolicy>(policy: P, nodes: number): P {
  const capacity = Math.max(1, Math.floor(policy.capacity / nodes));
  return { ...policy, capacity, extra: Math.floor(policy.extra / nodes) };
}

/** As `carriedOver` for the sum of counts, newest first, so that the oldest are lost. @param most highest sum */
export function carriedFromNewest(
  counts: readonly number[],
  from: number,
  to: number,
  rule: CarryOver,
  most: number,
): number[] {
  let before = 0;
  let carriedBefore = 0;
  return counts.map((count) => {
    before += count;
    const all = Math.min(most, carriedOver(before, from, to, rule));
    const own = all - carriedBefore;
    carriedBefore = all;
    return own;
  });
}

export function reject(field: string, message: string): { ok: false; errors: FieldError[] } {
  return { ok: false, errors: [{ field, message }] };
}

/** Units above the policy's `limit` that the throttle can admit; rejects a band below one request. */
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
  return reject(
    field,
    `${percent} % of ${limit} is less than one request, so the band would never admit any`,
  );
}

/** Stored times are relative to 2020-01-01, so that they take fewer digits or bytes. */
export const STATE_EPOCH_MS = 1_577_836_800_000;

/** Little-endian bytes of an integer, one latin1 character each. */
export function littleEndian(value: number, width: number): string {
  let text = '';
  for (let rest = value, left = width; left > 0; left--) {
    text += String.fromCharCode(rest % 256);
    rest = Math.floor(rest / 256);
  }
  return text;
}

/** Reads a number written by `littleEndian` at `at`. */
export function littleEndianAt(text: string, at: number, width: number): number {
  let value = 0;
  for (let i = at + width - 1; i >= at; i--) value = value * 256 + text.charCodeAt(i);
  return value;
}

/** Big-endian bytes of an integer, one latin1 character each. `width` is 1 to 7 and must suffice. */
export function bytesOf(value: number, width: number): string {
  let text = '';
  for (let rest = value, left = width; left > 0; left--) {
    text = String.fromCharCode(rest % 256) + text;
    rest = Math.floor(rest / 256);
  }
  return text;
}

/** Reads a number written by `bytesOf` at `at`. */
export function numberAt(text: string, at: number, width: number): number {
  let value = 0;
  for (let i = at; i < at + width; i++) value = value * 256 + text.charCodeAt(i);
  return value;
}
