import { catalogueSchema, hasDefaultPrefixes, type TenantRecord } from '@tollgate/contracts';
import type { ReplayPolicy } from '../api/replay-node.js';
import {
  CompiledCatalogue,
  type EffectiveLimit,
  type OperationPolicy,
  type TierPolicy,
} from '../policy/catalogue.js';
import { getOrAdd } from '../store/bounded-keys.js';
import { tenantTag } from '../store/keys.js';
import type { TrafficOperation, TrafficSubject } from '../traffic/block.js';
import { CounterTable } from './counters.js';

/** Why the models may decide otherwise than a node did. */
export type Uncovered =
  | 'degraded'
  | 'leased'
  | 'pool'
  | 'receipt'
  | 'together'
  | 'concurrency'
  | 'charge by outcome'
  | 'elastic'
  | 'partial enforcement'
  | 'address prefix'
  | 'amounts per label'
  | 'shared with children'
  | 'subject rules'
  | 'cold window'
  | 'unknown tenant'
  | 'unknown API';

/** A subject of all blocks of a replay. */
export interface ReplaySubject extends TrafficSubject {
  /** 0, 1, 2, …, likewise the others. */
  readonly index: number;
  readonly tenantIndex: number;
}

export interface ReplayOperation extends TrafficOperation {
  readonly index: number;
}

/** A limit with the counters of its name. */
export interface LimitAt {
  readonly limit: EffectiveLimit;
  readonly table: CounterTable;
}

/** Cost and limits of an operation for a tenant under one policy. */
export interface OperationAt {
  readonly cost: number;
  /** Limits whose counters decide or are charged. */
  readonly limits: readonly LimitAt[];
  /** Of the tenant's counters. */
  readonly tag: string;
  /** Distinguishes the operations of a tenant whose limits differ. */
  readonly slot: number;
  /** Denies every request: the tenant is suspended, or the API denies unregistered operations. */
  readonly isBlocked: boolean;
  readonly uncovered: Uncovered | undefined;
  /** Compared decisions so far. */
  compared: number;
}

interface TenantAt {
  /** By index of the policy. */
  readonly policies: (PolicyAt | undefined)[];
  readonly slots: Map<OperationPolicy, number>;
}

interface PolicyAt {
  readonly record: TenantRecord | undefined;
  readonly policy: TierPolicy | undefined;
  readonly catalogue: CompiledCatalogue;
  /** Unix ms. */
  readonly untilMs: number;
  readonly operations: (OperationAt | undefined)[];
}

interface Compiled {
  readonly revision: number;
  readonly catalogue: CompiledCatalogue;
  readonly tenants: ReadonlyMap<string, TenantRecord>;
}

/** Finds the limits of requests under one policy, or under successive revisions of it. */
export class ReplayOperations {
  private readonly policies: readonly Compiled[];
  private readonly tenants: (TenantAt | undefined)[] = [];
  /** By key stem, so that the versions of a limit share counters. */
  private readonly tables = new Map<string, CounterTable>();

  /**
   * @param policies ascending by revision, at least one @param isHashed whether dimension values are keyed hashes
   * @throws Error that names what cannot be compiled
   */
  constructor(
    policies: readonly ReplayPolicy[],
    private readonly isHashed: boolean,
  ) {
    this.policies = policies.map(compiled);
  }

  /** Index of the policy in force at `revision`: the newest that is not newer; without one, the first. */
  policyAt(revision: number): number {
    return Math.max(
      0,
      this.policies.findLastIndex((policy) => policy.revision <= revision),
    );
  }

  find(subject: ReplaySubject, operation: ReplayOperation, policyIndex: number, nowMs: number): OperationAt {
    let tenant = this.tenants[subject.tenantIndex];
    if (tenant === undefined) {
      tenant = { policies: [], slots: new Map() };
      this.tenants[subject.tenantIndex] = tenant;
    }
    let at = tenant.policies[policyIndex];
    if (at === undefined || nowMs >= at.untilMs) {
      at = this.tenantAt(subject.tenant, policyIndex, nowMs);
      tenant.policies[policyIndex] = at;
    }
    let found = at.operations[operation.index];
    if (found === undefined) {
      found = this.operationAt(at, operation, tenant.slots);
      at.operations[operation.index] = found;
    }
    return found;
  }

  private tenantAt(tenant: string, policyIndex: number, nowMs: number): PolicyAt {
    const { catalogue, tenants } = this.policies[policyIndex] as Compiled;
    const record = tenants.get(tenant);
    const policy = record === undefined ? undefined : catalogue.policyOf(record, () => nowMs);
    const untilMs = record === undefined ? Number.POSITIVE_INFINITY : catalogue.policyUntilMs(record);
    return { record, policy, catalogue, untilMs, operations: [] };
  }

  private operationAt(
    { record, policy, catalogue }: PolicyAt,
    { api, name }: ReplayOperation,
    slots: Map<OperationPolicy, number>,
  ): OperationAt {
    const tag = record === undefined ? '' : tenantTag(record);
    const free = { cost: 1, limits: [], tag, slot: 0, isBlocked: false, compared: 0 };
    if (record === undefined || policy === undefined) return { ...free, uncovered: 'unknown tenant' };
    if (record.status === 'suspended') return { ...free, isBlocked: true, uncovered: undefined };
    const operation = policy.operation(api, name) ?? policy.unregisteredOperation(api);
    if (operation === undefined) return { ...free, uncovered: 'unknown API' };
    if (typeof operation === 'string') {
      return { ...free, isBlocked: operation === 'refuse', uncovered: undefined };
    }
    // Candidates charge separate counters and never decide; amounts of labels are not covered.
    const live = operation.limits.filter(({ isLive }) => isLive);
    const homes = new Set([api, ...live.map(({ stored }) => stored.api)]);
    const hasRules = [...homes].some((key) => catalogue.subjectRulesOf(record, key) !== undefined);
    return {
      cost: operation.cost,
      limits: live
        .filter(
          ({ kind, stored, isBlocking }) =>
            isBlocking || (kind !== 'concurrency' && stored.charge !== 'on_failure'),
        )
        // A blocking limit decides before the others, as in the engine.
        .sort((one, other) => Number(other.isBlocking) - Number(one.isBlocking))
        .map((limit) => ({
          limit,
          table: getOrAdd(this.tables, limit.keyStem, () => new CounterTable()),
        })),
      tag,
      slot: getOrAdd(slots, operation, () => slots.size),
      isBlocked: false,
      compared: 0,
      uncovered:
        operation.pool !== undefined
          ? 'pool'
          : hasRules
            ? 'subject rules'
            : // Whether the parent shares a limit depends on its policy of that time.
              record.parent !== undefined
              ? 'shared with children'
              : this.firstUncovered(live),
    };
  }

  private firstUncovered(limits: readonly EffectiveLimit[]): Uncovered | undefined {
    for (const { kind, stored, isBlocking } of limits) {
      if (isBlocking) continue;
      if (kind === 'concurrency') return 'concurrency';
      if (stored.consistency?.mode === 'leased') return 'leased';
      if (stored.charge !== undefined && stored.charge !== 'always') return 'charge by outcome';
      if (stored.throttle?.mode === 'elastic') return 'elastic';
      if (stored.amounts !== undefined) return 'amounts per label';
      if (stored.sharedWithChildren === true) return 'shared with children';
      // Addresses are recorded as limits with the default lengths count them.
      if (!hasDefaultPrefixes(stored)) return 'address prefix';
      // The mode of a counter follows from the hash of its key.
      if (this.isHashed && stored.enforcement?.mode === 'percent') return 'partial enforcement';
    }
    return undefined;
  }
}

function compiled({ revision, catalogueText, tenants }: ReplayPolicy): Compiled {
  // Validated by the first, which compiles quotas for the present; the second compiles them for the times of the rows.
  CompiledCatalogue.compile(catalogueText);
  const catalogue = new CompiledCatalogue(catalogueSchema.parse(JSON.parse(catalogueText)));
  return { revision, catalogue, tenants: new Map(tenants.map((record) => [record.tenant, record])) };
}
