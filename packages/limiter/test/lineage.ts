import type { CarryOver, ChargeRule, LimitPolicy } from '@tollgate/contracts';
import { type Carry, compileLimit, type WirePolicy } from '../src/rules/compile.js';
import { START_MS } from './script-clock.js';

export const CARRY_OVERS: readonly CarryOver[] = ['keep', 'reset', 'proportional', 'additive'];

/** Attempt timeouts of a counter's policies, ms: different from a limit's window, and changed with the policy. */
const ATTEMPT_TIMEOUTS_MS = [1000, 30_000, 60_000];

/** Consecutive policies of a counter. */
export class Lineage {
  private changes = 0;
  private carries: Carry[] = [];
  current: WirePolicy;
  shadowed: WirePolicy;
  /** As on a node without the last change. */
  stale: WirePolicy;

  constructor(
    private readonly policies: readonly LimitPolicy[],
    private readonly charge: ChargeRule,
  ) {
    this.current = this.compile(this.policyAt(0), false);
    this.shadowed = this.compile(this.policyAt(0), true);
    this.stale = this.current;
  }

  change(to: number, rule: CarryOver, nowUs: number): void {
    const stored = this.policyAt(to);
    this.carries = [...this.carries, { id: this.current.id, rule, atUs: nowUs, policy: this.current }].slice(
      -4,
    );
    this.changes++;
    this.stale = this.current;
    this.current = this.compile(stored, false);
    this.shadowed = this.compile(stored, true);
  }

  private policyAt(place: number): LimitPolicy {
    const stored = this.policies[place] as LimitPolicy;
    const attemptTimeoutMs = ATTEMPT_TIMEOUTS_MS[place];
    return this.charge === 'on_failure' && attemptTimeoutMs !== undefined
      ? { ...stored, attemptTimeoutMs }
      : stored;
  }

  private compile(stored: LimitPolicy, shadow: boolean): WirePolicy {
    const { charge, carries } = this;
    const options = { id: this.changes % 48, shadow, charge, carries };
    const result = compileLimit(stored, options, {
      timeZone: 'Europe/Berlin',
      billingAnchorDay: 31,
      nowMs: START_MS,
    });
    if (!result.ok) throw new Error(JSON.stringify(result.errors));
    return result.limit.policy;
  }
}
