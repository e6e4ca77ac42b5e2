import {
  type CarryOver,
  type ChargeRule,
  type FieldError,
  type LimitPolicy,
  limitPolicySchema,
  summarizeLimit,
} from '@tollgate/contracts';
import { type CompileContext, type CompiledPolicy, reject } from '../algorithms/algorithm.js';
import { algorithmOf, attemptsKindOf, kindOf } from '../algorithms/index.js';

/** A second: an expiry never hangs on single milliseconds. */
const MIN_EXPONENT = 10;

/**
 * Exponent of the TTL period of a state that matters for `horizonMs`: 10–31. The script sets a key's expiry once in a period of
 * 2^exponent ms, an eighth to a sixteenth of the horizon (`scripts/parts/policy.lua`, docs/adr/0011-decide-script-second-form.md).
 */
export function ttlPeriodExponent(horizonMs: number): number {
  return Math.max(MIN_EXPONENT, Math.floor(Math.log2(horizonMs / 8)));
}

/** Policies of one lineage are told apart by a number below this: as many as the mark of a state has room for. */
export const POLICY_IDS = 48;

/** What an earlier policy of the same counter left behind. */
export interface Carry {
  /** The earlier policy's id. */
  readonly id: number;
  /** How its use is carried over to the policy that took its place. */
  readonly rule: CarryOver;
  /** When that was, microseconds since the Unix epoch. */
  readonly atUs: number;
  readonly policy: CompiledPolicy;
}

/** A compiled policy with the integers that describe it to the scripts (`scripts/parts/policy.lua`). */
export interface WirePolicy extends CompiledPolicy {
  /** 0 to 47; marks the states that it writes. */
  readonly id: number;
  /** Counted and told, never refused. */
  readonly shadow: boolean;
  readonly charge: ChargeRule;
  /** Earlier policies, oldest first; the last one is what this policy took the place of. */
  readonly carries: readonly Carry[];
  readonly wire: readonly number[];
}

/** How a policy stands among others: all left out, it stands alone and is enforced. */
export interface Standing {
  id?: number;
  shadow?: boolean;
  charge?: ChargeRule;
  carries?: readonly Carry[];
}

/** One limit, ready to decide by. */
export interface CompiledLimit {
  /** What it was compiled from. */
  readonly stored: LimitPolicy;
  readonly policy: WirePolicy;
  /** What follows the tenant in this limit's keys: `:g1:url-shortener:create-minute`. */
  readonly keyStem: string;
}

const UTC: Omit<CompileContext, 'nowMs'> = { timeZone: 'UTC', billingAnchorDay: 1 };

/** Compiles a checked policy; `errors` names the fields that integers cannot say. Never throws. */
export function compileLimit(
  stored: LimitPolicy,
  standing: Standing = {},
  context: CompileContext = { ...UTC, nowMs: Date.now() },
): { ok: true; limit: CompiledLimit } | { ok: false; errors: FieldError[] } {
  const charge = standing.charge ?? stored.charge ?? 'always';
  const kind = kindOf(stored);
  const algorithm = algorithmOf(charge === 'on_failure' ? attemptsKindOf(kind) : kind);
  const compiled = algorithm.compile(stored, context);
  if (!compiled.ok) return compiled;
  const refusal = refusalOf(stored, compiled.policy, charge);
  if (refusal !== undefined) return refusal;
  const policy = toWire(compiled.policy, { ...standing, charge });
  return { ok: true, limit: { stored, policy, keyStem: keyStemOf(stored, algorithm.stateVersion) } };
}

/** What is wrong with a limit whatever its algorithm. */
function refusalOf(
  { limit, throttle, consistency, attemptTimeoutMs }: LimitPolicy,
  { capacity, extra }: CompiledPolicy,
  charge: ChargeRule,
): { ok: false; errors: FieldError[] } | undefined {
  if (capacity + extra > Number.MAX_SAFE_INTEGER) {
    return reject(
      throttle?.mode === 'elastic' ? 'throttle.maxPercent' : 'throttle.percent',
      `${limit} and what this lets pass beyond it are more than 2^53, which cannot be counted exactly; lower one of them`,
    );
  }
  if (consistency?.mode === 'leased' && charge !== 'always') {
    return reject(
      'consistency.mode',
      'a request whose outcome is reported is kept in the store, so none would ever be decided by a lease; use strict, or charge always',
    );
  }
  if (attemptTimeoutMs !== undefined && charge !== 'on_failure') {
    return reject(
      'attemptTimeoutMs',
      'only a limit with charge on_failure has attempts in flight; leave it out',
    );
  }
  return undefined;
}

/** @param stateVersion of the algorithm: a counter of another kind is another counter */
export function keyStemOf({ api, name }: LimitPolicy, stateVersion: string): string {
  return `:${stateVersion}:${api}:${name}`;
}

const RULES: Record<CarryOver, number> = { keep: 0, reset: 1, proportional: 2, additive: 3 };
const CHARGES: Record<ChargeRule, number> = { always: 0, on_failure: 2, on_success: 4 };

/** Adds the integers that the scripts read. */
export function toWire<P extends CompiledPolicy>(
  policy: P,
  { id = 0, shadow = false, charge = 'always', carries = [] }: Standing = {},
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
  return { ...policy, id, shadow, charge, carries, wire };
}

/** `policy`, counted and told but not enforced. */
export function inShadow(policy: WirePolicy): WirePolicy {
  return policy.shadow ? policy : toWire(policy, { ...policy, shadow: true });
}

/** `policy` without what its throttle lets pass beyond the limit. */
export function withoutExtra(policy: WirePolicy): WirePolicy {
  return policy.extra === 0 ? policy : toWire({ ...policy, extra: 0 }, policy);
}

/** The policy of one node's part of `policy` among `nodes`. */
export function shareOf(policy: WirePolicy, nodes: number): WirePolicy {
  return toWire(algorithmOf(policy.kind).share(policy, nodes), { ...policy, carries: [] });
}

/**
 * Whether `id` is of a policy that is yet to be heard of here: ids only go up, by less than half of all. What such a policy
 * wrote keeps its id, or its change would be carried over once more.
 */
export function isNewerId(id: number, policy: WirePolicy): boolean {
  if (id === policy.id || policy.carries.some((carry) => carry.id === id)) return false;
  return (id - policy.id + POLICY_IDS) % POLICY_IDS < POLICY_IDS / 2;
}

/** The state under `policy` of what the policy `id` wrote: carried over step by step; as it is, when that is unknown. */
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

/**
 * Checks a limit as a person or a file wrote it: shape, ranges, and whether integers can say it. `errors` carry the
 * field's dotted path.
 */
export function checkLimitPolicy(
  input: unknown,
): { ok: true; policy: LimitPolicy; summary: string } | { ok: false; errors: FieldError[] } {
  const parsed = limitPolicySchema.safeParse(input);
  if (!parsed.success) {
    const errors = parsed.error.issues.map((issue) => ({
      field: issue.path.join('.'),
      message: issue.message,
    }));
    return { ok: false, errors };
  }
  const compiled = compileLimit(parsed.data);
  if (!compiled.ok) return compiled;
  const { candidate, ...live } = parsed.data;
  if (candidate !== undefined) {
    const tried = compileLimit(candidateOf({ ...live, candidate }));
    if (!tried.ok) {
      return {
        ok: false,
        errors: tried.errors.map((error) => ({ ...error, field: `candidate.${error.field}` })),
      };
    }
  }
  return { ok: true, policy: parsed.data, summary: summarizeLimit(parsed.data) };
}

/** The limit that is tried beside `live`, as if it were one of its own. */
export function candidateOf(
  live: LimitPolicy & { candidate: NonNullable<LimitPolicy['candidate']> },
): LimitPolicy {
  const { name, api, operations, per, onUnavailable, onMissing, candidate, charge, attemptTimeoutMs } = live;
  return {
    name,
    api,
    operations,
    per,
    onUnavailable,
    ...(onMissing === undefined ? {} : { onMissing }),
    ...(charge === undefined ? {} : { charge }),
    ...(attemptTimeoutMs === undefined ? {} : { attemptTimeoutMs }),
    ...candidate,
  };
}
