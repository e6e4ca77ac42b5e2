import {
  type CarryOver,
  type ChargeRule,
  type FieldError,
  isBlocking,
  type LimitPolicy,
  limitPolicySchema,
  packedHashes,
  representable,
} from '@tollgate/contracts';
import { getOrAdd } from '@tollgate/contracts/maps';
import { type CompileContext, type CompiledPolicy, reject } from '../algorithms/algorithm.js';
import { algorithmOf, attemptsKindOf, kindOf } from '../algorithms/index.js';
import { type CompiledPenalty, penalty } from '../algorithms/penalty.js';
import { keyStem, packedStem, subjectStem } from './keys.js';

/** About a second: an expiry never depends on single milliseconds. */
const MIN_EXPONENT = 10;

/** 10–31. A key's expiry is set once per 2^exponent ms: 1/8 to 1/16 of the horizon (`scripts/parts/policy.lua`). */
export function ttlPeriodExponent(horizonMs: number): number {
  return Math.max(MIN_EXPONENT, Math.floor(Math.log2(horizonMs / 8)));
}

/** As many as a stored state can encode. */
export const POLICY_IDS = 48;

/** An earlier policy of the same counter, whose usage is carried over. */
export interface Carry {
  readonly id: number;
  readonly rule: CarryOver;
  /** Time of the change, microseconds since the Unix epoch. */
  readonly atUs: number;
  readonly policy: CompiledPolicy;
}

/** With the integers that describe it to the scripts (`scripts/parts/constants.lua`). */
export interface WirePolicy extends CompiledPolicy {
  /** 0 to 47; stored in every state that the policy writes. */
  readonly id: number;
  /** Counted and reported, never denied. */
  readonly shadow: boolean;
  readonly charge: ChargeRule;
  /** Earlier policies, oldest first; the last one is the direct predecessor. */
  readonly carries: readonly Carry[];
  /** Its state has the key {@link penaltyKey}. */
  readonly penalty: WirePenalty | undefined;
  readonly wire: readonly number[];
}

export type WirePenalty = CompiledPenalty & WirePolicy;

/** Defaults: id 0, enforced, charge `always`, no earlier policies. */
export interface CompileOptions {
  id?: number;
  shadow?: boolean;
  charge?: ChargeRule;
  carries?: readonly Carry[];
  penalty?: WirePenalty | undefined;
}

export interface CompiledLimit {
  readonly stored: LimitPolicy;
  readonly policy: WirePolicy;
  /** For {@link counterKey}. */
  readonly keyStem: string;
}

const UTC: Omit<CompileContext, 'nowMs'> = { timeZone: 'UTC', billingAnchorDay: 1 };

/** `errors` names the fields that integers cannot represent. Never throws. */
export function compileLimit(
  stored: LimitPolicy,
  options: CompileOptions = {},
  context: CompileContext = { ...UTC, nowMs: Date.now() },
): { ok: true; limit: CompiledLimit } | { ok: false; errors: FieldError[] } {
  if (isBlocking(stored)) {
    // No counter decides it; the lowest limit has the same counters, and rejects the same fields.
    const lowest = { ...stored, limit: 1 };
    const compiled = compileLimit(representable(lowest, lowest), options, context);
    return compiled.ok ? { ok: true, limit: { ...compiled.limit, stored } } : compiled;
  }
  const charge = options.charge ?? stored.charge ?? 'always';
  const kind = kindOf(stored);
  const isPacked = stored.storage === 'packed';
  const algorithm = algorithmOf(
    isPacked ? 'packed_window' : charge === 'on_failure' ? attemptsKindOf(kind) : kind,
  );
  const compiled = algorithm.compile(stored, context);
  if (!compiled.ok) return compiled;
  const rejection = rejectionOf(stored, compiled.policy, charge);
  if (rejection !== undefined) return rejection;
  const policy = toWire(compiled.policy, {
    ...options,
    charge,
    penalty: penaltyOf(stored, options, context),
  });
  return { ok: true, limit: { stored, policy, keyStem: stemOf(stored, algorithm.stateVersion) } };
}

/** Validates and compiles a limit of unknown shape. `errors` have the field's dotted path. */
export function parseLimit(
  input: unknown,
  context?: CompileContext,
): { ok: true; limit: CompiledLimit } | { ok: false; errors: FieldError[] } {
  const parsed = limitPolicySchema.safeParse(input);
  if (parsed.success) return compileLimit(parsed.data, {}, context);
  const errors = parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), message }));
  return { ok: false, errors };
}

function stemOf(stored: LimitPolicy, stateVersion: string): string {
  switch (stored.storage) {
    case 'packed':
      return packedStem(stored, packedHashes(stored.expectedSubjects ?? 1));
    case 'subject':
      return subjectStem(stored, stateVersion);
    default:
      return keyStem(stored, stateVersion);
  }
}

/** In shadow mode and at cost 0: it denies through its limit. Without carries: its state does not depend on the numbers. */
function penaltyOf(
  stored: LimitPolicy,
  { id }: CompileOptions,
  context: CompileContext,
): WirePenalty | undefined {
  if (stored.penalty === undefined) return undefined;
  const compiled = penalty.compile(stored, context);
  return compiled.ok ? toWire(compiled.policy, { id: id ?? 0, shadow: true }) : undefined;
}

function rejectionOf(
  { limit, throttle, consistency, attemptTimeoutMs }: LimitPolicy,
  { capacity, extra }: CompiledPolicy,
  charge: ChargeRule,
): { ok: false; errors: FieldError[] } | undefined {
  if (capacity + extra > Number.MAX_SAFE_INTEGER) {
    return reject(
      throttle?.mode === 'elastic' ? 'throttle.maxPercent' : 'throttle.percent',
      `${limit} plus this extra allowance is more than 2^53, which cannot be counted exactly; lower one of them`,
    );
  }
  if (consistency?.mode === 'leased' && charge !== 'always') {
    return reject(
      'consistency.mode',
      'a request whose outcome is reported must be kept in the store and cannot be decided by a lease; use strict, or charge always',
    );
  }
  if (attemptTimeoutMs !== undefined && charge !== 'on_failure') {
    return reject(
      'attemptTimeoutMs',
      'only a limit with charge on_failure has attempts in flight; remove it',
    );
  }
  return undefined;
}

const RULES: Record<CarryOver, number> = { keep: 0, reset: 1, proportional: 2, additive: 3 };
const CHARGES: Record<ChargeRule, number> = { always: 0, on_failure: 2, on_success: 4 };

export function toWire<P extends CompiledPolicy>(
  policy: P,
  { id = 0, shadow = false, charge = 'always', carries = [], penalty }: CompileOptions = {},
): P & WirePolicy {
  const algorithm = algorithmOf(policy.kind);
  const wire = [
    0,
    algorithm.wireId,
    (shadow ? 1 : 0) + CHARGES[charge],
    id,
    ttlPeriodExponent(policy.horizonMs),
    policy.horizonMs,
    carries.length,
    ...algorithm.parameters(policy),
  ];
  for (const carry of carries)
    wire.push(carry.id, RULES[carry.rule], carry.atUs, ...algorithm.parameters(carry.policy));
  wire[0] = wire.length;
  return { ...policy, id, shadow, charge, carries, penalty, wire };
}

export function inShadow(policy: WirePolicy): WirePolicy {
  return policy.shadow ? policy : toWire(policy, { ...policy, shadow: true });
}

export function withoutExtra(policy: WirePolicy): WirePolicy {
  return policy.extra === 0 ? policy : toWire({ ...policy, extra: 0 }, policy);
}

const unpenalized = new WeakMap<WirePolicy, WirePolicy>();

/** Always the same object for one policy. */
export function withoutPenalty(policy: WirePolicy): WirePolicy {
  if (policy.penalty === undefined) return policy;
  return getOrAdd(unpenalized, policy, () => toWire(policy, { ...policy, penalty: undefined }));
}

/** Without a penalty: a share that is spent is no denial by the limit. */
export function shareOf(policy: WirePolicy, nodes: number): WirePolicy {
  const share = algorithmOf(policy.kind).share(policy, nodes);
  return toWire(share, { ...policy, carries: [], penalty: undefined });
}

/**
 * Whether `id` belongs to a later policy that has not reached this node yet: ids only increase, by less than half of all ids.
 * States of such a policy keep their id; otherwise its change would be carried over twice.
 */
export function isNewerId(id: number, policy: WirePolicy): boolean {
  if (id === policy.id || policy.carries.some((carry) => carry.id === id)) return false;
  return (id - policy.id + POLICY_IDS) % POLICY_IDS < POLICY_IDS / 2;
}

/** Step by step; an unknown id leaves the state unchanged. */
export function rebased(state: unknown, id: number, policy: WirePolicy, nowUs: number): unknown {
  if (id === policy.id) return state;
  const { carries } = policy;
  const first = carries.findIndex((carry) => carry.id === id);
  let carried: unknown = state;
  for (let i = first; i >= 0 && i < carries.length && carried !== undefined; i++) {
    const { policy: from, rule, atUs } = carries[i] as Carry;
    const to = carries[i + 1]?.policy ?? policy;
    carried = algorithmOf(policy.kind).rebase(carried, from, to, rule, Math.min(atUs, nowUs));
  }
  return carried;
}
