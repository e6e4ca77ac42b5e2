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

/** A quota's periods depend on the time. @throws Error that names limit and field */
export type CompileAt = (nowMs: number) => CompiledLimit;

/** `shadow` and `candidate` limits are counted only. */
export type LimitMode = 'enforce' | 'shadow' | 'candidate';

/** A limit of an operation of a tenant, with its variants. */
export class EffectiveLimit {
  readonly stored: LimitPolicy;
  readonly kind: RuleKind;
  readonly keyStem: string;
  /** Nominal, seconds. */
  readonly windowS: number;
  /** Whether it counts all tenants together. */
  readonly isGlobal: boolean;
  readonly dimensions: readonly string[];
  /** Unix ms. */
  private validUntilMs = 0;
  private full!: WirePolicy;
  private shadowed: WirePolicy | undefined;
  private plain: WirePolicy | undefined;

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

  private renew(nowMs: number): CompiledLimit {
    const compiled = this.compileAt(nowMs);
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
  /** Each candidate follows its live limit. */
  readonly limits: readonly EffectiveLimit[];
  readonly pool: Pool | undefined;
  /** Whether charges are amended later: permits are released, outcomes are reported. */
  readonly needsReceipt: boolean;
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

/** A limit, followed by its candidate. @throws Error that names limit and field */
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
    let policy = this.unregistered.get(api);
    if (policy === undefined) {
      policy = this.policyOf(indexed, UNREGISTERED, (operations) => operations.length === 0);
      this.unregistered.set(api, policy);
    }
    return policy;
  }

  liveLimits(): EffectiveLimit[] {
    return this.limits.flatMap((limit) => this.effectiveOf(limit)).filter(({ candidate }) => !candidate);
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

  /** Returns one object for operations with equal policies, as most are. */
  private distinct(policy: OperationPolicy): OperationPolicy {
    const known = this.policies.find((other) => isEqual(other, policy));
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

function isEqual(a: OperationPolicy, b: OperationPolicy): boolean {
  return (
    a.cost === b.cost &&
    a.priority === b.priority &&
    a.pool === b.pool &&
    a.limits.length === b.limits.length &&
    a.limits.every((limit, i) => limit === b.limits[i])
  );
}
