import {
  type Adjustment,
  type ApiRecord,
  type Catalogue,
  catalogueSchema,
  coversApi,
  DEFAULT_HEADER_STYLES,
  type HeaderStyle,
  isBlocking,
  type LabelAmounts,
  type LimitPolicy,
  type LimitSource,
  MAX_LIMITS_PER_REQUEST,
  nominalWindowMs,
  OTHER_LABELS,
  type PoolRecord,
  type Priority,
  type ResolvedLimit,
  resolveLimit,
  type ServiceTokenRecord,
  sourceOf,
  type TenantRecord,
  type TierRecord,
} from '@tollgate/contracts';
import { Generations, getOrAdd } from '@tollgate/contracts/maps';
import { type AnyAlgorithm, algorithmOf, kindOf, type RuleKind } from '@tollgate/limiter/algorithms';
import {
  type Carry,
  type CompiledLimit,
  compileLimit,
  inShadow,
  type WirePolicy,
  withoutExtra,
} from '@tollgate/limiter/rules';
import { AdjustedLimits, type AdjustedVersion, UNADJUSTED } from './adjusted-limits.js';
import type { LimitMode } from './limit-mode.js';
import { CANDIDATE, LIVE, type LimitPart, partOf } from './limit-parts.js';
import {
  type Assignment,
  CarryCompiler,
  calendarKey,
  keptMs,
  type Lineage,
  lineageOf,
  lineageOfAll,
  type PastAssignment,
} from './lineage.js';
import { compilePool, type Pool } from './pool.js';
import { type LimitChange, RuleBook, type SubjectRules } from './subject-rules.js';

const AMOUNTS: LimitPart = { kind: 'amount' };

/** Ends of key stems: parts of one limit have separate counters. No name contains them. */
const STEM_MARKS: Readonly<Record<LimitPart['kind'], string>> = {
  live: '',
  candidate: '!',
  amount: '+',
  share: '@',
};

const MAX_POLICIES = 5000;
const MAX_SHARED_LIMITS = 20_000;
const MAX_CHANGED_LIMITS = 2000;
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
  private readonly ruleBook: RuleBook;
  private readonly carries = new CarryCompiler((assignment) => this.limitsAt(assignment)?.limits);
  private readonly keptByVersion = new Generations<number>(MAX_POLICIES / 2);
  private readonly byLineage = new Generations<TierPolicy>(MAX_POLICIES / 2);
  /** Policies of tenants that never moved: few, and shared. */
  private readonly unmoved = new WeakMap<TenantRecord, TierPolicy>();
  private readonly moved = new WeakMap<TenantRecord, Pick<Lineage, 'key' | 'untilMs'>>();
  private readonly shared = new Generations<EffectiveLimit>(MAX_SHARED_LIMITS / 2);

  /** @param catalogue must be known to compile */
  constructor(catalogue: Catalogue) {
    this.serviceTokens = new Map(catalogue.serviceTokens.map((token) => [token.publicId, token]));
    this.apis = new Map(catalogue.apis.map((api) => [api.key, indexApi(api)]));
    this.tiers = new Map(catalogue.tiers.map((tier) => [tier.key, tier]));
    const versions = catalogue.tiers.flatMap((tier) => tier.versions);
    const defaults = versions.flatMap(({ limits, defaults: indexes = [] }) =>
      limits.filter((_, index) => indexes.includes(index)),
    );
    this.adjusted = new AdjustedLimits(new Set(defaults));
    this.ruleBook = new RuleBook(catalogue.subjectRules);
  }

  /** Compiles a catalogue's JSON text. @throws Error that names the unusable part; the node reports it as its NACK */
  static compile(text: string): CompiledCatalogue {
    const parsed = catalogueSchema.safeParse(JSON.parse(text));
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw new Error(`catalogue: ${issue?.path.join('.')}: ${issue?.message}`);
    }
    const catalogue = new CompiledCatalogue(parsed.data);
    for (const { key, versions } of parsed.data.tiers) {
      for (const { number, limits } of versions) {
        const current = { tier: key, version: number, adjustments: UNADJUSTED, id: 0, calendar: UTC };
        const lineage = { current, past: [], key: '', untilMs: Number.POSITIVE_INFINITY };
        catalogue.policyFor(catalogue.adjusted.of('', limits, UNADJUSTED), lineage, Date.now).compileAll();
      }
    }
    return catalogue;
  }

  headerStyles(api: string): readonly HeaderStyle[] {
    return this.apis.get(api)?.record.headerStyles ?? DEFAULT_HEADER_STYLES;
  }

  hasApi(api: string): boolean {
    return this.apis.has(api);
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

  /** Until when the result of `policyOf` is valid, Unix ms; Infinity: while the record is. */
  policyUntilMs(tenant: TenantRecord): number {
    return this.moved.get(tenant)?.untilMs ?? Number.POSITIVE_INFINITY;
  }

  /** Rules for the subjects of a tenant's requests; undefined: none. */
  subjectRulesOf(tenant: TenantRecord, api: string): SubjectRules | undefined {
    return this.apis.has(api) ? this.ruleBook.find(tenant.subjectRules, api) : undefined;
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
    const policy = getOrAdd(this.byLineage, key, () => this.policyFor(version, lineage, nowMs));
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
    const parts = [
      ...(limit.amounts === undefined ? [] : [AMOUNTS]),
      LIVE,
      ...(limit.candidate === undefined ? [] : [CANDIDATE]),
    ];
    return parts.map((part) => this.effectiveLimit(limit, source, lineage, nowMs, part));
  }

  /** Shared by all tenants of a tier version with the same value, id and, for quotas, calendar. */
  private effectiveLimit(
    limit: LimitPolicy,
    source: LimitSource,
    lineage: Lineage,
    nowMs: number,
    part: LimitPart,
  ): EffectiveLimit {
    const { current, past } = lineage;
    const policyOf = (one: LimitPart, change?: LimitChange) => {
      const changed = change?.apply(limit) ?? limit;
      // Without an amount for other labels, there is no such part, and it is never applied.
      return partOf(changed, one) ?? changed;
    };
    const compileAfter =
      (earlier: readonly PastAssignment[]): CompileAt =>
      (atMs, one, change) => {
        const policy = policyOf(one, change);
        // Earlier limits with the same change, so that only changes of the tenant's limit are carried over.
        const carries = this.carries.of(policy, earlier, one, atMs, change);
        return compiledOrThrow(policy, current, atMs, carries);
      };
    const labels =
      part.kind === 'amount' && limit.amounts !== undefined ? labelsOf(limit.amounts) : undefined;
    // Amounts have earlier policies only if their limit has: it has the same algorithm and layout.
    const probe = part.kind === 'amount' ? LIVE : part;
    if (this.carries.of(policyOf(probe), past, probe, nowMs).length > 0) {
      return new EffectiveLimit(compileAfter(past), nowMs, part, source, labels);
    }
    const { tier, version, id, calendar, adjustments } = current;
    const ofQuota = policyOf(part).algorithm === 'quota' ? calendarKey(calendar) : '';
    // Identified by its values, not by all adjustments: those of other limits make no difference.
    const number = adjustments.key === '' ? '' : `${source}/${JSON.stringify(limit)}`;
    const key = `${tier}@${version}#${id}/${limit.api}/${limit.name}/${part.kind}/${ofQuota}/${number}`;
    return getOrAdd(
      this.shared,
      key,
      () => new EffectiveLimit(compileAfter([]), nowMs, part, source, labels),
    );
  }

  /** How long counters of a tier version may exist after the tenant left it, ms. */
  private keptAfter(assignment: Assignment): number {
    const key = `${assignment.tier}@${assignment.version}/${assignment.adjustments.key}`;
    return getOrAdd(this.keptByVersion, key, () => {
      const limits = this.limitsAt(assignment)?.limits ?? [];
      const horizons = limits.map((limit) => this.carries.horizonMs(limit, assignment.calendar));
      return keptMs(Math.max(0, ...horizons));
    });
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

/** A quota's periods depend on the time. @throws Error that names limit and field */
export type CompileAt = (nowMs: number, part: LimitPart, change?: LimitChange) => CompiledLimit;

/** The labels of a limit. */
export interface Labels {
  /** Dimension with the label. */
  readonly by: string;
  /** Those with an amount. */
  readonly own: ReadonlySet<string>;
  /** Whether all others have an amount together. */
  readonly hasOthers: boolean;
}

function labelsOf({ by, labels, others }: LabelAmounts): Labels {
  return { by, own: new Set(labels.map(({ label }) => label)), hasOthers: others !== undefined };
}

function labelOf(part: LimitPart): string | undefined {
  if (part.kind === 'amount') return part.label ?? OTHER_LABELS;
  return part.kind === 'share' ? part.label : undefined;
}

/** A limit of an operation of a tenant, with its variants. */
export class EffectiveLimit {
  readonly stored: LimitPolicy;
  readonly kind: RuleKind;
  readonly model: AnyAlgorithm;
  readonly keyStem: string;
  /** Nominal, seconds; 0: it counts requests in flight. */
  readonly windowS: number;
  /** Whether it denies every request where it is enforced; it has no counter. */
  readonly isBlocking: boolean;
  /** Whether it counts all tenants together. */
  readonly isGlobal: boolean;
  readonly dimensions: readonly string[];
  /** Whether it is the limit itself: no candidate, no amount of a label and no part for children. */
  readonly isLive: boolean;
  readonly candidate: boolean;
  /** Of an amount: its label, or `*` for all without their own; `floor` or `common` of a part for children; undefined: the limit itself. */
  readonly label: string | undefined;
  /** Unix ms. */
  private validUntilMs = 0;
  private full!: WirePolicy;
  private shadowed: WirePolicy | undefined;
  private plain: WirePolicy | undefined;
  private changed: Generations<EffectiveLimit> | undefined;
  private labeled: Map<string, EffectiveLimit> | undefined;
  private shares: Generations<EffectiveLimit> | undefined;

  /** @param labels of the limit, for an amount */
  constructor(
    private readonly compileAt: CompileAt,
    nowMs: number,
    private readonly part: LimitPart,
    readonly source: LimitSource,
    readonly labels?: Labels | undefined,
  ) {
    const { stored, keyStem } = this.renew(nowMs);
    this.stored = stored;
    this.kind = kindOf(stored);
    this.model = algorithmOf(this.kind);
    this.windowS = this.kind === 'concurrency' ? 0 : nominalWindowMs(stored) / 1000;
    this.isLive = part.kind === 'live';
    this.candidate = part.kind === 'candidate';
    this.label = labelOf(part);
    this.keyStem = `${keyStem}${STEM_MARKS[part.kind]}`;
    this.isBlocking = isBlocking(stored);
    this.isGlobal = stored.per[0] === 'global';
    this.dimensions = this.isGlobal ? stored.per.slice(1) : stored.per;
  }

  policy(nowMs: number, mode: LimitMode): WirePolicy {
    if (nowMs >= this.validUntilMs) this.renew(nowMs);
    if (mode === 'enforce') return this.full;
    this.shadowed ??= inShadow(this.full);
    return this.shadowed;
  }

  /** Without the extra allowance that may be borrowed. */
  policyWithoutExtra(nowMs: number): WirePolicy {
    const full = this.policy(nowMs, 'enforce');
    this.plain ??= withoutExtra(full);
    return this.plain;
  }

  /** The limit of some subjects, on the same counters. */
  changedBy(change: LimitChange, nowMs: number): EffectiveLimit {
    this.changed ??= new Generations(MAX_CHANGED_LIMITS / 2);
    return getOrAdd(this.changed, change.key, () => {
      const compileAt = (atMs: number) => this.compileAt(atMs, this.part, change);
      return new EffectiveLimit(compileAt, nowMs, this.part, 'subject_rule', this.labels);
    });
  }

  /**
   * Of the amounts of labels, the one for a request. Undefined: none applies.
   * @param value of the dimension that has the label; undefined: the request has none
   */
  ofLabel(value: string | undefined, nowMs: number): EffectiveLimit | undefined {
    const { labels } = this;
    if (labels === undefined) return this;
    if (value === undefined || !labels.own.has(value)) return labels.hasOthers ? this : undefined;
    this.labeled ??= new Map();
    return getOrAdd(this.labeled, value, () => {
      const part: LimitPart = { kind: 'amount', label: value };
      return new EffectiveLimit(this.compileAt, nowMs, part, this.source, labels);
    });
  }

  /** A part of a limit that is shared with children, on separate counters. */
  shareOf(units: number, label: string, nowMs: number): EffectiveLimit {
    this.shares ??= new Generations(MAX_CHANGED_LIMITS / 2);
    return getOrAdd(this.shares, `${label}/${units}`, () => {
      return new EffectiveLimit(this.compileAt, nowMs, { kind: 'share', units, label }, this.source);
    });
  }

  private renew(nowMs: number): CompiledLimit {
    const compiled = this.compileAt(nowMs, this.part);
    this.full = compiled.policy;
    this.shadowed = undefined;
    this.plain = undefined;
    this.validUntilMs = 'endMs' in compiled.policy ? Number(compiled.policy.endMs) : Number.POSITIVE_INFINITY;
    return compiled;
  }
}

export interface OperationPolicy {
  readonly cost: number;
  readonly priority: Priority;
  /** The amounts of a limit's labels precede it; its candidate follows it. */
  readonly limits: readonly EffectiveLimit[];
  /** Those that requests of child tenants count on too. */
  readonly shared: readonly EffectiveLimit[];
  readonly pool: Pool | undefined;
  /** Whether charges are amended later: permits are released, outcomes are reported. */
  readonly needsReceipt: boolean;
}

/** The policy of an operation with further limits. */
export function withLimits(policy: OperationPolicy, limits: readonly EffectiveLimit[]): OperationPolicy {
  const needsReceipt = policy.needsReceipt || limits.some(isAmendedLater);
  return { ...policy, limits: [...policy.limits, ...limits], needsReceipt };
}

function isAmendedLater({ kind, stored }: EffectiveLimit): boolean {
  return kind === 'concurrency' || (stored.charge !== undefined && stored.charge !== 'always');
}

type Operation = ApiRecord['operations'][number];

const UNREGISTERED: Operation = { name: 'unregistered operations', cost: 1 };

/** An API, indexed for decisions of all tenants. */
export interface IndexedApi {
  readonly record: ApiRecord;
  readonly operations: ReadonlyMap<string, Operation>;
  readonly pools: readonly { readonly operations: readonly string[]; readonly pool: Pool }[];
}

export function indexApi(record: ApiRecord): IndexedApi {
  return {
    record,
    operations: new Map(record.operations.map((operation) => [operation.name, operation])),
    pools: (record.pools ?? []).map((pool) => ({
      operations: pool.operations,
      pool: compilePool(record.key, pool),
    })),
  };
}

/** A limit, after the amounts of its labels, before its candidate. @throws Error that names limit and field */
type EffectiveLimits = (stored: LimitPolicy) => readonly EffectiveLimit[];

/** A tenant's limits on all APIs, shared by tenants with the same limits and compiled when first used. */
export class TierPolicy {
  private readonly operations = new Map<string, Map<string, OperationPolicy>>();
  /** One policy per API for all unregistered operations, because callers may invent any number of names. */
  private readonly unregistered = new Map<string, OperationPolicy>();
  private readonly policies: OperationPolicy[] = [];
  private readonly compiled = new Map<LimitPolicy, readonly EffectiveLimit[]>();

  /** @param weight for sharing spare capacity among borrowers */
  constructor(
    private readonly apis: ReadonlyMap<string, IndexedApi>,
    private readonly limits: readonly LimitPolicy[],
    private readonly effective: EffectiveLimits,
    readonly weight: number,
  ) {}

  operation(api: string, operation: string): OperationPolicy | undefined {
    return this.operations.get(api)?.get(operation) ?? this.compileOperation(api, operation);
  }

  /** The policy of an unregistered operation; undefined for an unknown API. */
  unregisteredOperation(api: string): OperationPolicy | 'allow' | 'refuse' | undefined {
    const indexed = this.apis.get(api);
    if (indexed === undefined) return undefined;
    const { unknownOperations } = indexed.record;
    if (unknownOperations !== 'count') return unknownOperations;
    return getOrAdd(this.unregistered, api, () =>
      this.policyOf(indexed, UNREGISTERED, (operations) => operations.length === 0),
    );
  }

  liveLimits(): EffectiveLimit[] {
    return this.limits.flatMap((limit) => this.effectiveOf(limit)).filter(({ isLive }) => isLive);
  }

  /** @throws Error that names a limit that cannot be compiled, or an operation with too many limits */
  compileAll(): void {
    for (const limit of this.limits) this.effectiveOf(limit);
    for (const { record } of this.apis.values()) {
      for (const { name } of record.operations) this.operation(record.key, name);
    }
  }

  private compileOperation(api: string, name: string): OperationPolicy | undefined {
    const indexed = this.apis.get(api);
    const operation = indexed?.operations.get(name);
    if (indexed === undefined || operation === undefined) return undefined;
    const covers = (operations: readonly string[]) => operations.length === 0 || operations.includes(name);
    const policy = this.policyOf(indexed, operation, covers);
    const ofApi = this.operations.get(api) ?? new Map<string, OperationPolicy>();
    this.operations.set(api, ofApi.set(name, policy));
    return policy;
  }

  /** @param covers whether a limit or pool on these operations covers this one */
  private policyOf(
    { record, pools }: IndexedApi,
    operation: Operation,
    covers: (operations: readonly string[]) => boolean,
  ): OperationPolicy {
    const limits = this.limits
      .filter((limit) => coversApi(limit, record.key) && covers(limit.operations))
      .flatMap((limit) => this.effectiveOf(limit));
    if (limits.length > MAX_LIMITS_PER_REQUEST) {
      throw new Error(
        `${record.key} ${operation.name}: ${limits.length} limits; at most ${MAX_LIMITS_PER_REQUEST} may apply to one request`,
      );
    }
    return this.distinct({
      cost: operation.cost,
      priority: operation.priority ?? 'normal',
      limits,
      shared: limits.filter(({ stored }) => stored.sharedWithChildren === true),
      pool: pools.find((pool) => covers(pool.operations))?.pool,
      needsReceipt: limits.some(isAmendedLater),
    });
  }

  /** Returns one object for operations with equal policies, as most are. */
  private distinct(policy: OperationPolicy): OperationPolicy {
    const known = this.policies.find((other) => isEqual(other, policy));
    if (known !== undefined) return known;
    this.policies.push(policy);
    return policy;
  }

  private effectiveOf(limit: LimitPolicy): readonly EffectiveLimit[] {
    return getOrAdd(this.compiled, limit, () => this.effective(limit));
  }
}

function isEqual(a: OperationPolicy, b: OperationPolicy): boolean {
  return (
    a.cost === b.cost &&
    a.priority === b.priority &&
    a.pool === b.pool &&
    a.limits.length === b.limits.length &&
    a.limits.every((limit, i) => limit === b.limits[i])
  );
}
