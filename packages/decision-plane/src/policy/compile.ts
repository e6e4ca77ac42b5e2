import { type FieldError, type LimitPolicy, limitPolicySchema, summarizeLimit } from '@tollgate/contracts';
import type { CompiledPolicy } from '../algorithms/algorithm.js';
import { algorithmOf } from '../algorithms/index.js';
import { ttlSlotExponent } from './ttl-slot.js';

/** One limit, ready to decide by. */
export interface CompiledLimit {
  /** What it was compiled from. */
  readonly stored: LimitPolicy;
  readonly policy: WirePolicy;
  /** What follows the tenant in this limit's keys: `:g1:url-shortener:create-minute`. */
  readonly keyStem: string;
}

/** A compiled policy with the six integers that describe it in a batch. */
export interface WirePolicy extends CompiledPolicy {
  readonly wire: readonly number[];
}

/** Compiles a checked policy; `errors` names the fields that integers cannot say. Never throws. */
export function compileLimit(
  stored: LimitPolicy,
): { ok: true; limit: CompiledLimit } | { ok: false; errors: FieldError[] } {
  const algorithm = algorithmOf(stored.algorithm);
  const compiled = algorithm.compile(stored);
  if (!compiled.ok) return compiled;
  const keyStem = `:${algorithm.stateVersion}:${stored.api}:${stored.name}`;
  return { ok: true, limit: { stored, policy: toWire(compiled.policy), keyStem } };
}

/** Adds the integers that the script reads: algorithm, TTL slot, horizon, three parameters. */
export function toWire<P extends CompiledPolicy>(policy: P): P & WirePolicy {
  const algorithm = algorithmOf(policy.algorithm);
  const wire = [
    algorithm.wireId,
    ttlSlotExponent(policy.horizonMs),
    policy.horizonMs,
    ...algorithm.parameters(policy),
  ];
  return { ...policy, wire };
}

/** The policy of one node's part of `policy` among `nodes`. */
export function shareOf(policy: CompiledPolicy, nodes: number): WirePolicy {
  return toWire(algorithmOf(policy.algorithm).share(policy, nodes));
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
  return compiled.ok
    ? { ok: true, policy: parsed.data, summary: summarizeLimit(parsed.data) }
    : { ok: false, errors: compiled.errors };
}
