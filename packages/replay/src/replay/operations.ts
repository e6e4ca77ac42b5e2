import { catalogueSchema, type TenantRecord } from '@tollgate/contracts';
import { getOrAdd } from '@tollgate/contracts/maps';
import { tenantTag } from '@tollgate/limiter/rules';
import {
  CompiledCatalogue,
  type EffectiveLimit,
  type LimitMode,
  type OperationPolicy,
  type SubjectRules,
  type TierPolicy,
} from '@tollgate/policy';
import type { TrafficOperation, TrafficSubject } from '../traffic/block.js';
import type { CounterTable, CounterTables } from './counters.js';
import type { ReplayPolicy } from './policy.js';

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
  | 'values across tenants'
  | 'amounts per label'
  | 'shared with children'
  | 'subject rules'
  | 'cold window'
  | 'earlier policy'
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

/** A limit as it applies to some subjects: by a rule or label of theirs, and by the mode of their counter. */
export interface LimitVariant {
  readonly limit: EffectiveLimit;
  readonly mode: LimitMode;
}

/** A limit with the counters of its name. */
export interface LimitAt {
  readonly limit: EffectiveLimit;
  readonly table: CounterTable;
  /** Rules for the subjects of its API; undefined: none. */
  readonly rules: SubjectRules | undefined;
  /** Those of the subjects so far. */
  readonly variants: LimitVariant[];
}

/** Cost and limits of an operation for a tenant under one policy. */
export interface OperationAt {
  readonly cost: number;
  /** Limits whose counters decide or are charged. */
  readonly limits: readonly LimitAt[];
  /** Of the tenant's counters. */
  readonly tag: string;
  /** Rules for the subjects of its API; undefined: none. */
  readonly rules: SubjectRules | undefined;
  /** Distinguishes the operations of a tenant whose limits or rules differ. */
  readonly slot: number;
  /** Until another one applies, Unix ms. */
  readonly untilMs: number;
  /** Denies every request: the tenant is suspended, or the API denies unregistered operations. */
  readonly isBlocked: boolean;
  readonly uncovered: Uncovered | undefined;
  /** Compared decisions so far. */
  compared: number;
}

interface TenantAt {
  /** By index of the policy. */
  readonly policies: (PolicyAt | undefined)[];
  readonly slots: Map<OperationPolicy | 'allow', Map<SubjectRules | undefined, Slot>>;
  slotCount: number;
}

/** Of the operations of a tenant with the same limits and rules. */
interface Slot {
  readonly index: number;
  readonly limits: readonly LimitAt[];
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

/** Of operations without limits and rules. */
const NO_SLOT = -1;

/** Finds the limits of requests under one policy, or under successive revisions of it. */
export class ReplayOperations {
  private readonly policies: readonly Compiled[];
  private readonly tenants: (TenantAt | undefined)[] = [];

  /**
   * @param policies ascending by revision, at least one @param isHashed whether dimension values are keyed hashes
   * @throws Error that names what cannot be compiled
   */
  constructor(
    policies: readonly ReplayPolicy[],
    private readonly counters: CounterTables,
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
      tenant = { policies: [], slots: new Map(), slotCount: 0 };
      this.tenants[subject.tenantIndex] = tenant;
    }
    let at = tenant.policies[policyIndex];
    if (at === undefined || nowMs >= at.untilMs) {
      at = this.tenantAt(subject.tenant, policyIndex, nowMs);
      tenant.policies[policyIndex] = at;
    }
    let found = at.operations[operation.index];
    if (found === undefined || nowMs >= found.untilMs) {
      found = this.operationAt(at, operation, tenant, nowMs);
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
    { record, policy, catalogue, untilMs: policyUntilMs }: PolicyAt,
    { api, name }: ReplayOperation,
    tenant: TenantAt,
    nowMs: number,
  ): OperationAt {
    const tag = record === undefined ? '' : tenantTag(record);
    const free = {
      ...{ cost: 1, limits: [], tag, rules: undefined, slot: NO_SLOT, untilMs: policyUntilMs },
      ...{ isBlocked: false, uncovered: undefined, compared: 0 },
    };
    if (record === undefined || policy === undefined) return { ...free, uncovered: 'unknown tenant' };
    if (record.status === 'suspended') return { ...free, isBlocked: true };
    const operation = policy.operation(api, name) ?? policy.unregisteredOperation(api);
    if (operation === undefined) return { ...free, uncovered: 'unknown API' };
    if (operation === 'refuse') return { ...free, isBlocked: true };
    const rulesOf = (key: string) => catalogue.subjectRulesOf(record, key);
    const rules = rulesOf(api);
    const ownUntilMs = Math.min(policyUntilMs, rules?.untilMs(nowMs) ?? policyUntilMs);
    const all = operation === 'allow' ? [] : operation.limits;
    if (operation === 'allow' && rules === undefined) return free;
    const slots = getOrAdd(tenant.slots, operation, () => new Map<SubjectRules | undefined, Slot>());
    const { index: slot, limits } = getOrAdd(slots, rules, () => ({
      index: tenant.slotCount++,
      limits: this.limitsAt(all, rulesOf),
    }));
    const untilMs = limits.reduce(
      (first, one) => Math.min(first, one.rules?.untilMs(nowMs) ?? first),
      ownUntilMs,
    );
    if (operation === 'allow') return { ...free, rules, slot, untilMs };
    return {
      ...{ cost: operation.cost, limits, tag, rules, slot, untilMs, isBlocked: false, compared: 0 },
      uncovered: operation.pool === undefined ? this.firstUncovered(record, all) : 'pool',
    };
  }

  /** Candidates charge separate counters and never decide. */
  private limitsAt(
    limits: readonly EffectiveLimit[],
    rulesOf: (api: string) => SubjectRules | undefined,
  ): LimitAt[] {
    return (
      limits
        .filter(({ candidate }) => !candidate)
        .filter(
          ({ kind, stored, isBlocking }) =>
            isBlocking || (kind !== 'concurrency' && stored.charge !== 'on_failure'),
        )
        // A blocking limit decides before the others, as in the engine.
        .sort((one, other) => Number(other.isBlocking) - Number(one.isBlocking))
        .map((limit) => ({
          limit,
          table: this.counters.table(limit.keyStem),
          rules: rulesOf(limit.stored.api),
          variants: [],
        }))
    );
  }

  private firstUncovered({ parent }: TenantRecord, limits: readonly EffectiveLimit[]): Uncovered | undefined {
    // Whether the parent shares a limit depends on its policy of that time.
    if (parent !== undefined) return 'shared with children';
    for (const limit of limits) {
      const { kind, stored, isBlocking, isLive, isGlobal, candidate, dimensions } = limit;
      if (candidate) continue;
      if (this.isHashed && isEnforcedByKey(limit)) return 'partial enforcement';
      if (isBlocking || !isLive) continue;
      // A value has another hash in each tenant.
      if (this.isHashed && isGlobal && dimensions.length > 0) return 'values across tenants';
      if (kind === 'concurrency') return 'concurrency';
      if (stored.consistency?.mode === 'leased') return 'leased';
      if (stored.charge !== undefined && stored.charge !== 'always') return 'charge by outcome';
      if (stored.throttle?.mode === 'elastic') return 'elastic';
      if (stored.sharedWithChildren === true) return 'shared with children';
    }
    return undefined;
  }
}

/** Whether the values of a request decide if the limit is enforced: by the hash of the counter's key. */
export function isEnforcedByKey({ stored, dimensions, labels }: EffectiveLimit): boolean {
  return stored.enforcement?.mode === 'percent' && (dimensions.length > 0 || labels !== undefined);
}

function compiled({ revision, catalogueText, tenants }: ReplayPolicy): Compiled {
  // Validated by the first, which compiles quotas for the present; the second compiles them for the times of the rows.
  CompiledCatalogue.compile(catalogueText);
  const catalogue = new CompiledCatalogue(catalogueSchema.parse(JSON.parse(catalogueText)));
  return { revision, catalogue, tenants: new Map(tenants.map((record) => [record.tenant, record])) };
}
