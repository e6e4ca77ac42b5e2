import type { Adjustment, ApiRecord, TenantRecord, TierRecord } from '@tollgate/contracts';
import { CompiledCatalogue, type SourcedLimit } from '../policy/catalogue.js';
import type { EffectiveLimit } from '../policy/tier-policy.js';
import type { Check, DecisionStore } from '../store/decision-store.js';
import { counterKey } from '../store/keys.js';

/** Where a counter stands. */
export interface CounterReading {
  used: number;
  remaining: number;
  /** Unix ms at which nothing is used any more. */
  resetAtMs: number;
}

/** What a node would decide a tenant's requests by, for whoever is no node. */
export class TenantView {
  private constructor(
    private readonly tenant: string,
    private readonly nowMs: number,
    readonly limits: readonly SourcedLimit[],
    /** What changes them now. */
    readonly adjustments: readonly Adjustment[],
    private readonly effective: readonly EffectiveLimit[],
  ) {}

  /**
   * @param tiers that the tenant is on and was on lately; what is missing of the past is not carried over
   * @returns undefined when the version that it is on is not among them
   */
  static of(
    parts: { apis: ApiRecord[]; tiers: TierRecord[] },
    tenant: TenantRecord,
    nowMs: number = Date.now(),
  ): TenantView | undefined {
    const catalogue = CompiledCatalogue.of({ kind: 'catalogue', revision: 1, serviceTokens: [], ...parts });
    const limits = catalogue.limitsOf(tenant, nowMs);
    const effective = catalogue.policyOf(tenant, () => nowMs)?.liveLimits();
    if (limits === undefined || effective === undefined) return undefined;
    return new TenantView(tenant.tenant, nowMs, limits, catalogue.adjustmentsOf(tenant, nowMs), effective);
  }

  /**
   * Reads the counters of `limits`, in their order, without charging. Null for a limit that counts by more than the tenant
   * (it has many counters), and for all of them when the store cannot be asked. Never rejects.
   */
  async peek(store: DecisionStore): Promise<(CounterReading | null)[]> {
    const checks = this.effective.map((limit): Check | undefined => {
      if (limit.isGlobal || limit.dimensions.length > 0) return undefined;
      const key = counterKey(this.tenant, limit.keyStem, []);
      return { key, policy: limit.policy(this.nowMs, 'enforce'), cost: 0 };
    });
    const asked = checks.filter((check) => check !== undefined);
    const reply = asked.length === 0 ? undefined : await store.decide({ checks: asked, peek: true });
    if (reply === undefined || !reply.available) return checks.map(() => null);
    const { nowUs } = reply;
    const results = reply.checks[Symbol.iterator]();
    return checks.map((check) => {
      const result = check === undefined ? undefined : results.next().value;
      if (check === undefined || result === undefined) return null;
      return {
        used: Math.max(0, check.policy.capacity - result.remaining),
        remaining: result.remaining,
        resetAtMs: Math.ceil((nowUs + result.resetAfterUs) / 1000),
      };
    });
  }
}
