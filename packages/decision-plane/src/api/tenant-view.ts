import {
  type Adjustment,
  type ApiRecord,
  FLOOR_LABEL,
  floorsOf,
  type PlatformRule,
  type TenantRecord,
  type TierRecord,
} from '@tollgate/contracts';
import { counterKey, dimensionValue, tenantTag } from '@tollgate/limiter/rules';
import type { Check, DecisionStore } from '@tollgate/limiter/stores';
import {
  CompiledCatalogue,
  type EffectiveLimit,
  RuleBook,
  type SourcedLimit,
  type SubjectTreatment,
} from '@tollgate/policy';

/** The usage of a counter. */
export interface CounterReading {
  used: number;
  remaining: number;
  /** When the usage is 0 again, Unix ms. */
  resetAtMs: number;
}

/** A shared limit with floors, as one child sees it. */
export interface FloorReading {
  /** Units without the floors of all children. */
  common: number;
  /** Of the child's floor; 0: it has none. */
  units: number;
  reading: CounterReading | null;
}

/** The limits that a node would apply to a tenant, for programs that are not nodes. */
export class TenantView {
  private constructor(
    private readonly catalogue: CompiledCatalogue,
    private readonly record: TenantRecord,
    private readonly nowMs: number,
    readonly limits: readonly SourcedLimit[],
    /** Adjustments that are active now. */
    readonly adjustments: readonly Adjustment[],
  ) {}

  /**
   * What the views of several tenants share.
   * @param parts.tiers the tenants' tiers and recent tiers; usage of missing ones is not carried over
   */
  static catalogueOf(parts: { apis: ApiRecord[]; tiers: TierRecord[] }): CompiledCatalogue {
    return new CompiledCatalogue({ kind: 'catalogue', revision: 1, serviceTokens: [], ...parts });
  }

  /** @returns undefined if its tier version is missing */
  static of(
    catalogue: CompiledCatalogue,
    tenant: TenantRecord,
    nowMs: number = Date.now(),
  ): TenantView | undefined {
    const limits = catalogue.limitsOf(tenant, nowMs);
    if (limits === undefined) return undefined;
    const adjustments = catalogue.adjustmentsOf(tenant, nowMs);
    return new TenantView(catalogue, tenant, nowMs, limits, adjustments);
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
      book.find(this.record.subjectRules, policy.api)?.treatmentOf(policy, policy.per, subject, this.nowMs),
    );
  }

  /**
   * Reads the counters of `limits`, in order, without charging. Null for a limit with more dimensions than the tenant, which
   * has many counters, for one of 0, which has none, and for all limits if the store is unavailable. Never rejects.
   * @param isWanted the indexes to read; null for the others
   */
  async peek(
    store: DecisionStore,
    isWanted: (index: number) => boolean = () => true,
  ): Promise<(CounterReading | null)[]> {
    const checks = this.compile().map((limit, index): Check | undefined => {
      if (!isWanted(index)) return undefined;
      if (limit.isBlocking || limit.isGlobal || limit.dimensions.length > 0) return undefined;
      const key = counterKey(tenantTag(this.record), limit.keyStem, []);
      return { key, policy: limit.policy(this.nowMs, 'enforce'), cost: 0 };
    });
    return await read(store, checks);
  }

  /**
   * Of `limits`, in order, the part without floors and the floor of a child, read without charging. Undefined for a limit without
   * floors. Never rejects.
   */
  async peekFloors(store: DecisionStore, child: string): Promise<(FloorReading | undefined)[]> {
    const tag = tenantTag(this.record);
    const effective = this.compile();
    const floors = effective.map(({ stored }) => floorsOf(this.record.floors, stored));
    const checks = effective.map((limit, i): Check | undefined => {
      const units = floors[i]?.units.get(child) ?? 0;
      if (units === 0) return undefined;
      const share = limit.shareOf(units, FLOOR_LABEL, this.nowMs);
      const key = counterKey(tag, share.keyStem, [dimensionValue('tenant', child) ?? '']);
      return { key, policy: share.policy(this.nowMs, 'enforce'), cost: 0 };
    });
    const readings = await read(store, checks);
    return floors.map((of, i) => {
      if (of === undefined) return undefined;
      return { common: of.common, units: of.units.get(child) ?? 0, reading: readings[i] ?? null };
    });
  }

  /** The limits with their counters. Compiled when counters are read: most views show limits only. */
  private compile(): readonly EffectiveLimit[] {
    return this.catalogue.policyOf(this.record, () => this.nowMs)?.liveLimits() ?? [];
  }
}

/** In order; null for a check that is undefined, and for all if the store is unavailable. */
async function read(
  store: DecisionStore,
  checks: readonly (Check | undefined)[],
): Promise<(CounterReading | null)[]> {
  const known = checks.filter((check) => check !== undefined);
  const reply = known.length === 0 ? undefined : await store.charge({ checks: known, peek: true });
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
