import {
  type Adjustment,
  type Catalogue,
  catalogueSchema,
  DEFAULT_HEADER_STYLES,
  type HeaderStyle,
  type LimitPolicy,
  type LimitSource,
  type PoolRecord,
  type ResolvedLimit,
  resolveLimit,
  type ServiceTokenRecord,
  sourceOf,
  type TenantRecord,
  type TierRecord,
} from '@tollgate/contracts';
import { AdjustedLimits, type AdjustedVersion, UNADJUSTED } from './adjusted-limits.js';
import { type Carry, type CompiledLimit, candidateOf, compileLimit } from './compile.js';
import { Generations } from './generations.js';
import {
  type Assignment,
  CarryCompiler,
  calendarKey,
  keptMs,
  type Lineage,
  lineageOf,
  lineageOfAll,
} from './lineage.js';
import { EffectiveLimit, type IndexedApi, indexApi, TierPolicy } from './tier-policy.js';

const MAX_POLICIES = 5000;

const MAX_SHARED_LIMITS = 20_000;

const UTC = { timeZone: 'UTC', billingAnchorDay: 1 };

export interface SourcedLimit extends ResolvedLimit {
  readonly source: LimitSource;
}

/** Immutable, so that no decision mixes two revisions. */
export class CompiledCatalogue {
  readonly serviceTokens: ReadonlyMap<string, ServiceTokenRecord>;
  private readonly apis: ReadonlyMap<string, IndexedApi>;
  private readonly tiers: ReadonlyMap<string, TierRecord>;
  private readonly adjusted: AdjustedLimits;
  private readonly carries = new CarryCompiler((assignment) => this.limitsAt(assignment)?.limits);
  private readonly keptByVersion = new Generations<number>(MAX_POLICIES / 2);
  private readonly byLineage = new Generations<TierPolicy>(MAX_POLICIES / 2);
  /** Policies of tenants that never moved: few, and shared. */
  private readonly unmoved = new WeakMap<TenantRecord, TierPolicy>();
  private readonly moved = new WeakMap<TenantRecord, Pick<Lineage, 'key' | 'untilMs'>>();
  private readonly shared = new Generations<EffectiveLimit>(MAX_SHARED_LIMITS / 2);

  private constructor(catalogue: Catalogue) {
    this.serviceTokens = new Map(catalogue.serviceTokens.map((token) => [token.publicId, token]));
    this.apis = new Map(catalogue.apis.map((api) => [api.key, indexApi(api)]));
    this.tiers = new Map(catalogue.tiers.map((tier) => [tier.key, tier]));
    const versions = catalogue.tiers.flatMap((tier) => tier.versions);
    const defaults = versions.flatMap(({ limits, defaults: indexes = [] }) =>
      limits.filter((_, index) => indexes.includes(index)),
    );
    this.adjusted = new AdjustedLimits(new Set(defaults));
  }

  /** Compiles a catalogue's JSON text. @throws Error that names the unusable part; the node reports it as its NACK */
  static compile(text: string): CompiledCatalogue {
    const parsed = catalogueSchema.safeParse(JSON.parse(text));
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw new Error(`catalogue: ${issue?.path.join('.')}: ${issue?.message}`);
    }
    const catalogue = CompiledCatalogue.of(parsed.data);
    for (const { key, versions } of parsed.data.tiers) {
      for (const { number, limits } of versions) {
        const current = { tier: key, version: number, adjustments: UNADJUSTED, id: 0, calendar: UTC };
        const lineage = { current, past: [], key: '', untilMs: Number.POSITIVE_INFINITY };
        catalogue.policyFor(catalogue.adjusted.of('', limits, UNADJUSTED), lineage, Date.now).compileAll();
      }
    }
    return catalogue;
  }

  /** Indexes a catalogue that is known to compile. */
  static of(catalogue: Catalogue): CompiledCatalogue {
    return new CompiledCatalogue(catalogue);
  }

  headerStyles(api: string): readonly HeaderStyle[] {
    return this.apis.get(api)?.record.headerStyles ?? DEFAULT_HEADER_STYLES;
  }

  /** The tenant's policy now; undefined if its tier version is not in this catalogue. */
  policyOf(tenant: TenantRecord, nowMs: () => number = Date.now): TierPolicy | undefined {
    const unmoved = this.unmoved.get(tenant);
    if (unmoved !== undefined) return unmoved;
    const moved = this.moved.get(tenant);
    // Reads the clock only for the few tenants with scheduled changes.
    if (moved !== undefined && (moved.untilMs === Number.POSITIVE_INFINITY || nowMs() < moved.untilMs)) {
      const known = this.byLineage.get(moved.key);
      if (known !== undefined) return known;
    }
    return this.findPolicy(tenant, nowMs);
  }

  limitsOf(tenant: TenantRecord, nowMs: number): readonly SourcedLimit[] | undefined {
    const lineage = this.findLineage(tenant, nowMs);
    const stored = lineage === undefined ? undefined : this.storedAt(lineage.current);
    return stored?.map((limit) => {
      const resolved = resolveLimit(limit, lineage?.current.adjustments.all ?? []);
      return { ...resolved, source: sourceOf(resolved.provenance, this.adjusted.baseOf(limit)) };
    });
  }

  adjustmentsOf(tenant: TenantRecord, nowMs: number): readonly Adjustment[] {
    return this.findLineage(tenant, nowMs)?.current.adjustments.all ?? [];
  }

  pool(api: string, name: string): PoolRecord | undefined {
    return this.apis.get(api)?.record.pools?.find((pool) => pool.name === name);
  }

  private findPolicy(tenant: TenantRecord, nowMs: () => number): TierPolicy | undefined {
    const lineage = this.findLineage(tenant, nowMs());
    const version = lineage === undefined ? undefined : this.limitsAt(lineage.current);
    if (lineage === undefined || version === undefined) return undefined;
    const { key, untilMs, current } = lineage;
    let policy = this.byLineage.get(key);
    if (policy === undefined) {
      policy = this.policyFor(version, lineage, nowMs);
      this.byLineage.set(key, policy);
    }
    const isUnmoved = tenant.moves === undefined || tenant.moves.length === 0;
    if (isUnmoved && current.adjustments.key === '' && untilMs === Number.POSITIVE_INFINITY) {
      this.unmoved.set(tenant, policy);
    } else {
      this.moved.set(tenant, { key, untilMs });
    }
    return policy;
  }

  private findLineage(tenant: TenantRecord, nowMs: number): Lineage | undefined {
    return lineageOf(tenant, this.tiers, (assignment) => this.keptAfter(assignment), nowMs);
  }

  private storedAt({ tier, version }: Assignment): readonly LimitPolicy[] | undefined {
    return this.tiers.get(tier)?.versions.find(({ number }) => number === version)?.limits;
  }

  private limitsAt(assignment: Assignment): AdjustedVersion | undefined {
    const stored = this.storedAt(assignment);
    const name = `${assignment.tier}@${assignment.version}`;
    return stored === undefined ? undefined : this.adjusted.of(name, stored, assignment.adjustments);
  }

  private policyFor(version: AdjustedVersion, lineage: Lineage, nowMs: () => number): TierPolicy {
    const tier = this.tiers.get(lineage.current.tier);
    const ofAll = lineageOfAll(lineage, tier);
    const effective = (limit: LimitPolicy) =>
      this.effectiveLimits(
        limit,
        version.sourceOf(limit),
        limit.per[0] === 'global' ? ofAll : lineage,
        nowMs(),
      );
    return new TierPolicy(this.apis, version.limits, effective, tier?.weight ?? 1);
  }

  private effectiveLimits(
    limit: LimitPolicy,
    source: LimitSource,
    lineage: Lineage,
    nowMs: number,
  ): EffectiveLimit[] {
    const live = this.effectiveLimit(limit, source, lineage, nowMs, false);
    const { candidate } = limit;
    if (candidate === undefined) return [live];
    const tried = candidateOf({ ...limit, candidate });
    return [live, this.effectiveLimit(tried, source, lineage, nowMs, true)];
  }

  /** Shared by all tenants of a tier version with the same value, id and, for quotas, calendar. */
  private effectiveLimit(
    policy: LimitPolicy,
    source: LimitSource,
    lineage: Lineage,
    nowMs: number,
    candidate: boolean,
  ): EffectiveLimit {
    const { current, past } = lineage;
    if (this.carries.of(policy, past, candidate, nowMs).length > 0) {
      const compile = (atMs: number) =>
        compiledOrThrow(policy, current, atMs, this.carries.of(policy, past, candidate, atMs));
      return new EffectiveLimit(compile, nowMs, candidate, source);
    }
    const { tier, version, id, calendar, adjustments } = current;
    const ofQuota = policy.algorithm === 'quota' ? calendarKey(calendar) : '';
    // Identified by its values, not by all adjustments: those of other limits make no difference.
    const number = adjustments.key === '' ? '' : `${source}/${JSON.stringify(policy)}`;
    const key = `${tier}@${version}#${id}/${policy.api}/${policy.name}/${candidate}/${ofQuota}/${number}`;
    let limit = this.shared.get(key);
    if (limit === undefined) {
      const compile = (atMs: number) => compiledOrThrow(policy, current, atMs, []);
      limit = new EffectiveLimit(compile, nowMs, candidate, source);
      this.shared.set(key, limit);
    }
    return limit;
  }

  /** How long counters of a tier version may exist after the tenant left it, ms. */
  private keptAfter(assignment: Assignment): number {
    const key = `${assignment.tier}@${assignment.version}/${assignment.adjustments.key}`;
    let kept = this.keptByVersion.get(key);
    if (kept === undefined) {
      const horizons = (this.limitsAt(assignment)?.limits ?? []).map((limit) =>
        this.carries.horizonMs(limit, assignment.calendar),
      );
      kept = keptMs(Math.max(0, ...horizons));
      this.keptByVersion.set(key, kept);
    }
    return kept;
  }
}

function compiledOrThrow(
  policy: LimitPolicy,
  { id, calendar, tier, version }: Assignment,
  nowMs: number,
  carries: readonly Carry[],
): CompiledLimit {
  const result = compileLimit(policy, { id, carries }, { ...calendar, nowMs });
  if (result.ok) return result.limit;
  const error = result.errors[0];
  throw new Error(`tier ${tier}@${version}, limit ${policy.name}: ${error?.field}: ${error?.message}`);
}
