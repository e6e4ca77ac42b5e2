import type {
  Adjustment,
  ApiRecord,
  PlatformRule,
  SubjectRule,
  TenantRecord,
  TierRecord,
} from '@tollgate/contracts';
import type { EffectiveLimit } from '../policy/catalogue.js';
import { CompiledCatalogue, type SourcedLimit } from '../policy/catalogue.js';
import { RuleBook, type SubjectTreatment } from '../policy/subject-rules.js';
import type { Check, DecisionStore } from '../store/decision-store.js';
import { counterKey, tenantTag } from '../store/keys.js';

/** The usage of a counter. */
export interface CounterReading {
  used: number;
  remaining: number;
  /** When the usage is 0 again, Unix ms. */
  resetAtMs: number;
}

/** The limits that a node would apply to a tenant, for programs that are not nodes. */
export class TenantView {
  private constructor(
    private readonly tag: string,
    private readonly nowMs: number,
    readonly limits: readonly SourcedLimit[],
    /** Adjustments that are active now. */
    readonly adjustments: readonly Adjustment[],
    private readonly effective: readonly EffectiveLimit[],
    private readonly rules: readonly SubjectRule[] | undefined,
  ) {}

  /**
   * @param parts.tiers the tenant's tier and recent tiers; usage of missing ones is not carried over
   * @returns undefined if its tier version is missing
   */
  static of(
    parts: { apis: ApiRecord[]; tiers: TierRecord[] },
    tenant: TenantRecord,
    nowMs: number = Date.now(),
  ): TenantView | undefined {
    const catalogue = new CompiledCatalogue({ kind: 'catalogue', revision: 1, serviceTokens: [], ...parts });
    const limits = catalogue.limitsOf(tenant, nowMs);
    const effective = catalogue.policyOf(tenant, () => nowMs)?.liveLimits();
    if (limits === undefined || effective === undefined) return undefined;
    const adjustments = catalogue.adjustmentsOf(tenant, nowMs);
    return new TenantView(tenantTag(tenant), nowMs, limits, adjustments, effective, tenant.subjectRules);
  }

  /**
   * The rule that decides on each of `limits`, in order, for requests to its API; undefined: none.
   * @param platform rules for the subjects of all tenants
   * @throws Error for a pattern that is invalid
   */
  treatmentsOf(
    subject: Readonly<Record<string, string>>,
    platform: readonly PlatformRule[],
  ): (SubjectTreatment | undefined)[] {
    const book = new RuleBook(platform);
    return this.limits.map(({ policy }) =>
      book.find(this.rules, policy.api)?.treatmentOf(policy, policy.per, subject, this.nowMs),
    );
  }

  /**
   * Reads the counters of `limits`, in order, without charging. Null for a limit with more dimensions than the tenant, which
   * has many counters, for one of 0, which has none, and for all limits if the store is unavailable. Never rejects.
   */
  async peek(store: DecisionStore): Promise<(CounterReading | null)[]> {
    const checks = this.effective.map((limit): Check | undefined => {
      if (limit.isBlocking || limit.isGlobal || limit.dimensions.length > 0) return undefined;
      const key = counterKey(this.tag, limit.keyStem, []);
      return { key, policy: limit.policy(this.nowMs, 'enforce'), cost: 0 };
    });
    const known = checks.filter((check) => check !== undefined);
    const reply = known.length === 0 ? undefined : await store.decide({ checks: known, peek: true });
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
