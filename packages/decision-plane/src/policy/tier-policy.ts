import {
  type ApiRecord,
  type LimitPolicy,
  type LimitSource,
  MAX_LIMITS_PER_REQUEST,
  nominalWindowMs,
  type Priority,
} from '@tollgate/contracts';
import type { RuleKind } from '../algorithms/algorithm.js';
import { kindOf } from '../algorithms/index.js';
import { compilePool, type Pool } from '../pools/pool.js';
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
  /** The nominal window of the limit, seconds. */
  readonly windowS: number;
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
    this.windowS = nominalWindowMs(stored) / 1000;
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

/** What applies to one operation. */
export interface OperationPolicy {
  /** What a request costs unless it says otherwise. */
  readonly cost: number;
  readonly priority: Priority;
  /** Candidates follow the limits that they are tried beside. */
  readonly limits: readonly EffectiveLimit[];
  readonly pool: Pool | undefined;
  /** What is charged must be found again: a slot to release, or an outcome to report. */
  readonly needsReceipt: boolean;
}

type Operation = ApiRecord['operations'][number];

/** The cost of an unregistered operation. */
const UNREGISTERED: Operation = { name: 'unregistered operations', cost: 1 };

/** An API as it is looked up by decisions: one for all tenants. */
export interface IndexedApi {
  readonly record: ApiRecord;
  readonly operations: ReadonlyMap<string, Operation>;
  readonly pools: readonly { readonly operations: readonly string[]; readonly pool: Pool }[];
}

/** Makes an API ready to be looked up. */
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

/** Compiles a limit for one situation of a tenant, with its candidate behind it. @throws Error that names limit and field */
type EffectiveLimits = (stored: LimitPolicy) => readonly EffectiveLimit[];

/** One tenant's limits over all APIs; shared by tenants for whom they are the same. What nobody asks for is not compiled. */
export class TierPolicy {
  private readonly operations = new Map<string, Map<string, OperationPolicy>>();
  /** One policy for all unregistered operations of an API: callers may invent any number of names. */
  private readonly unregistered = new Map<string, OperationPolicy>();
  private readonly policies: OperationPolicy[] = [];
  private readonly compiled = new Map<LimitPolicy, readonly EffectiveLimit[]>();

  /** @param weight share of spare capacity among borrowers */
  constructor(
    private readonly apis: ReadonlyMap<string, IndexedApi>,
    private readonly limits: readonly LimitPolicy[],
    private readonly effective: EffectiveLimits,
    readonly weight: number,
  ) {}

  /** The policy of a registered operation; undefined for any other. */
  operation(api: string, operation: string): OperationPolicy | undefined {
    return this.operations.get(api)?.get(operation) ?? this.compileOperation(api, operation);
  }

  /** The policy of an unregistered operation; undefined for an unknown API. */
  unregisteredOperation(api: string): OperationPolicy | 'allow' | 'refuse' | undefined {
    const indexed = this.apis.get(api);
    if (indexed === undefined) return undefined;
    const { unknownOperations } = indexed.record;
    if (unknownOperations !== 'count') return unknownOperations;
    let policy = this.unregistered.get(api);
    if (policy === undefined) {
      policy = this.policyOf(indexed, UNREGISTERED, (operations) => operations.length === 0);
      this.unregistered.set(api, policy);
    }
    return policy;
  }

  /** Every limit, candidates left out. */
  liveLimits(): EffectiveLimit[] {
    return this.limits.flatMap((limit) => this.effectiveOf(limit)).filter(({ candidate }) => !candidate);
  }

  /** Compiles all that can be asked for. @throws Error that says which limit cannot be compiled, or where are too many */
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

  /** @param covers whether something on these operations applies to this one */
  private policyOf(
    { record, pools }: IndexedApi,
    operation: Operation,
    covers: (operations: readonly string[]) => boolean,
  ): OperationPolicy {
    const limits = this.limits
      .filter((limit) => limit.api === record.key && covers(limit.operations))
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
      pool: pools.find((pool) => covers(pool.operations))?.pool,
      needsReceipt: limits.some(
        ({ kind, stored }) =>
          kind === 'concurrency' || (stored.charge !== undefined && stored.charge !== 'always'),
      ),
    });
  }

  /** Most operations of an API are alike: one is held for all of them. */
  private distinct(policy: OperationPolicy): OperationPolicy {
    const known = this.policies.find((other) => isAlike(other, policy));
    if (known !== undefined) return known;
    this.policies.push(policy);
    return policy;
  }

  private effectiveOf(limit: LimitPolicy): readonly EffectiveLimit[] {
    let effective = this.compiled.get(limit);
    if (effective === undefined) {
      effective = this.effective(limit);
      this.compiled.set(limit, effective);
    }
    return effective;
  }
}

function isAlike(a: OperationPolicy, b: OperationPolicy): boolean {
  return (
    a.cost === b.cost &&
    a.priority === b.priority &&
    a.pool === b.pool &&
    a.limits.length === b.limits.length &&
    a.limits.every((limit, i) => limit === b.limits[i])
  );
}
