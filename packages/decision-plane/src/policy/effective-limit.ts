import type { LimitPolicy, LimitSource } from '@tollgate/contracts';
import type { RuleKind } from '../algorithms/algorithm.js';
import { kindOf } from '../algorithms/index.js';
import { type CompiledLimit, inShadow, type WirePolicy, withoutExtra } from './compile.js';

/** Compiles a limit as of a moment: a quota's periods depend on it. @throws Error that names limit and field */
export type CompileAt = (nowMs: number) => CompiledLimit;

/** How a limit takes part in a decision. */
export type LimitMode = 'enforce' | 'shadow' | 'candidate';

/** One limit of a tenant's operation, ready to decide by, with all its variants. */
export class EffectiveLimit {
  readonly stored: LimitPolicy;
  readonly kind: RuleKind;
  readonly keyStem: string;
  /** Counts all tenants together. */
  readonly isGlobal: boolean;
  /** Dimensions whose values stand in the key. */
  readonly dimensions: readonly string[];
  /** Until when the compiled policy holds, unix ms. */
  private validUntilMs = 0;
  private full!: WirePolicy;
  private shadowed: WirePolicy | undefined;
  private plain: WirePolicy | undefined;

  /**
   * @param candidate whether it is only tried beside a live limit
   * @param source where its number comes from
   */
  constructor(
    private readonly compileAt: CompileAt,
    nowMs: number,
    readonly candidate: boolean,
    readonly source: LimitSource,
  ) {
    const { stored, keyStem } = this.renew(nowMs);
    this.stored = stored;
    this.kind = kindOf(stored);
    this.keyStem = candidate ? `${keyStem}!` : keyStem;
    this.isGlobal = stored.per[0] === 'global';
    this.dimensions = this.isGlobal ? stored.per.slice(1) : stored.per;
  }

  /** What to decide by. @param mode `enforce`, or anything else: counted and told only */
  policy(nowMs: number, mode: LimitMode): WirePolicy {
    if (nowMs >= this.validUntilMs) this.renew(nowMs);
    if (mode === 'enforce') return this.full;
    this.shadowed ??= inShadow(this.full);
    return this.shadowed;
  }

  /** As `policy` in force, without what may be borrowed beyond the limit. */
  policyWithoutExtra(nowMs: number): WirePolicy {
    const full = this.policy(nowMs, 'enforce');
    this.plain ??= withoutExtra(full);
    return this.plain;
  }

  private renew(nowMs: number): CompiledLimit {
    const compiled = this.compileAt(nowMs);
    this.full = compiled.policy;
    this.shadowed = undefined;
    this.plain = undefined;
    this.validUntilMs = 'endMs' in compiled.policy ? Number(compiled.policy.endMs) : Number.POSITIVE_INFINITY;
    return compiled;
  }
}
