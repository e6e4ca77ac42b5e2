import {
  COMMON_LABEL,
  FLOOR_LABEL,
  type Floor,
  floorsOf,
  type LimitRequest,
  type TenantRecord,
} from '@tollgate/contracts';
import { getOrAdd } from '@tollgate/contracts/maps';
import { dimensionValue, MISSING_VALUE } from '@tollgate/limiter/rules';
import { type EffectiveLimit, type OperationPolicy, type SubjectRules, withLimits } from '@tollgate/policy';
import { TRAFFIC_FLAGS } from '@tollgate/replay';
import { TenantLimit } from '../counters/counter-book.js';
import type { RecordedOperation, TallySlot } from '../usage/decision-log.js';
import type { UsageTally } from '../usage/usage-aggregator.js';
import type { TenantPolicies, TenantPolicy } from './tenant-policies.js';

type Named = Pick<LimitRequest, 'tenant' | 'api' | 'operation'>;

/** Of 100,000 tenants, all stay. */
const MIN_OPERATIONS = 131_072;

/**
 * An operation of a tenant under one policy, with all that its decisions would look up by name. Of 100,000 tenants, no CPU
 * cache holds any, so a decision reads only this object, its limits, tally and peaks.
 */
export class TenantOperation implements TallySlot, RecordedOperation {
  readonly tenant: string;
  readonly record: TenantRecord;
  /** `allow` and `refuse`: the API does not limit unregistered operations. Undefined: the API is unknown. */
  readonly policy: OperationPolicy | 'allow' | 'refuse' | undefined;
  /** Its limit, if it has exactly one, which counts. */
  readonly onlyLimit: TenantLimit | undefined;
  readonly limits: readonly TenantLimit[];
  /** Undefined: none. */
  readonly rules: SubjectRules | undefined;
  /** Limits of 0; each denies the requests that it is enforced for. */
  readonly blocking: readonly TenantLimit[];
  readonly revision: number;
  readonly isSuspended: boolean;
  readonly isRegistered: boolean;
  /** Whether a scheduled change will end it, at `at.untilMs`. */
  readonly isTimed: boolean;
  tallied: string | null | undefined;
  tally: UsageTally | undefined;

  constructor(
    readonly at: TenantPolicy,
    readonly api: string,
    readonly operation: string,
    nowMs: number,
    /** Version of the policies; undefined: for one request only. */
    readonly version?: number | undefined,
  ) {
    const registered = at.policy.operation(api, operation);
    this.tenant = at.tenant.tenant;
    this.record = at.tenant;
    this.revision = at.revision;
    this.isSuspended = at.tenant.status === 'suspended' || at.parent?.tenant.status === 'suspended';
    this.isTimed = at.untilMs !== Number.POSITIVE_INFINITY;
    this.isRegistered = registered !== undefined;
    const own = registered ?? at.policy.unregisteredOperation(api);
    const shared =
      typeof own === 'object' && at.parent !== undefined
        ? sharedLimits(at.parent, api, operation)
        : NO_LIMITS;
    this.policy = typeof own === 'object' && shared.length > 0 ? withLimits(own, shared) : own;
    const rulesOf = (key: string) => at.catalogue.subjectRulesOf(at.tenant, key);
    this.rules = rulesOf(api);
    const isKept = version !== undefined && this.isRegistered;
    const limits = typeof own === 'object' ? own.limits : NO_LIMITS;
    const ownLimits = limits.map((limit) => {
      const home = limit.stored.api;
      return new TenantLimit(limit, at.tenant, isKept, home === api ? this.rules : rulesOf(home));
    });
    const { parent } = at;
    // Rules for subjects of the parent are about its own requests.
    const ofParent =
      parent && shared.map((limit) => new TenantLimit(limit, parent.tenant, isKept, undefined, true));
    const all = ofParent === undefined ? ownLimits : [...ownLimits, ...ofParent];
    const { floors } = (parent ?? at).tenant;
    this.limits =
      floors === undefined ? all : all.flatMap((one) => [one, ...partOf(one, floors, this.tenant, nowMs)]);
    this.blocking = this.limits.some(isBlocking) ? this.limits.filter(isBlocking) : NONE;
    this.onlyLimit = this.limits.length === 1 && this.blocking.length === 0 ? this.limits[0] : undefined;
  }
}

/**
 * Of a shared limit with floors: the part that requests of the tenant count on besides the limit itself. That is its floor and, once
 * that is spent, the common part; only the common part for the parent and children without a floor.
 */
function partOf(one: TenantLimit, floors: readonly Floor[], tenant: string, nowMs: number): TenantLimit[] {
  const { limit, record, isKept, rules, isParents } = one;
  // A child on its parent's tier also has limits with these names itself.
  const isOwners = record.floors === floors;
  const parts = isOwners && limit.isLive ? floorsOf(floors, limit.stored) : undefined;
  if (parts === undefined) return [];
  const part = (units: number, label: string, value: string, otherwise?: TenantLimit) =>
    new TenantLimit(limit.shareOf(units, label, nowMs), record, isKept, rules, isParents, [value], otherwise);
  const common = part(parts.common, COMMON_LABEL, MISSING_VALUE);
  const units = parts.units.get(tenant) ?? 0;
  if (units === 0) return [common];
  const value = dimensionValue('tenant', tenant) ?? '';
  return [part(units, FLOOR_LABEL, value, common.limit.isBlocking ? undefined : common)];
}

const NO_LIMITS: readonly EffectiveLimit[] = [];

/** The limits of a parent that requests of its children count on. */
function sharedLimits({ policy }: TenantPolicy, api: string, operation: string): readonly EffectiveLimit[] {
  const found = policy.operation(api, operation) ?? policy.unregisteredOperation(api);
  return typeof found === 'object' ? found.shared : NO_LIMITS;
}

const NONE: readonly TenantLimit[] = [];

const isBlocking = ({ limit }: TenantLimit): boolean => limit.isBlocking;

type ByTenant = Map<string, TenantOperation>;
type ByName = Map<string, Map<string, ByTenant>>;

/**
 * Operations of recent requests, at least {@link MIN_OPERATIONS}, at most twice as many. In nested maps, because strings keep
 * their hashes: hashing the names for each request takes 0.1 µs.
 */
export class TenantOperations {
  private recent: ByName = new Map();
  private older: ByName = new Map();
  private added = 0;
  /** Of the last request; most requests have the same. */
  private operation: string | undefined;
  private api: string | undefined;
  private byTenant: ByTenant | undefined;

  constructor(
    private readonly policies: TenantPolicies,
    private readonly nowMs: () => number,
    private readonly minOperations = MIN_OPERATIONS,
  ) {}

  /** Undefined: load it. */
  find(request: Named): TenantOperation | undefined {
    const { version } = this.policies;
    const known = version === undefined ? undefined : this.get(request);
    if (known !== undefined && known.version === version && this.isValid(known)) return known;
    const at = this.policies.find(request.tenant);
    if (at === undefined) return undefined;
    const operation = new TenantOperation(at, request.api, request.operation, this.nowMs(), version);
    // Callers may invent any number of names.
    if (version !== undefined && operation.isRegistered) this.add(operation);
    return operation;
  }

  /** @throws TollgateError `not-ready`, `tenant-unknown`, `tenant-unavailable` */
  async load({ tenant, api, operation }: Named): Promise<TenantOperation> {
    return new TenantOperation(await this.policies.load(tenant), api, operation, this.nowMs());
  }

  private get({ tenant, api, operation }: Named): TenantOperation | undefined {
    if (operation !== this.operation || api !== this.api) {
      this.operation = operation;
      this.api = api;
      this.byTenant = this.recent.get(operation)?.get(api);
    }
    const known = this.byTenant?.get(tenant);
    if (known !== undefined || this.older.size === 0) return known;
    const old = this.older.get(operation)?.get(api)?.get(tenant);
    if (old !== undefined) this.add(old);
    return old;
  }

  private add(one: TenantOperation): void {
    const byApi = getOrAdd(this.recent, one.operation, () => new Map<string, ByTenant>());
    getOrAdd(byApi, one.api, () => new Map<string, TenantOperation>()).set(one.tenant, one);
    this.operation = undefined;
    this.added++;
    if (this.added < this.minOperations) return;
    this.older = this.recent;
    this.recent = new Map();
    this.added = 0;
  }

  // Reads the clock only for the few tenants with scheduled changes.
  private isValid({ isTimed, at }: TenantOperation): boolean {
    return !isTimed || this.nowMs() < at.untilMs;
  }
}

/** Sum of `TRAFFIC_FLAGS` for a recorded decision. */
export function trafficFlagsOf({ policy }: TenantOperation, isLeased: boolean, hasReceipt: boolean): number {
  const isPooled = typeof policy === 'object' && policy.pool !== undefined;
  return (
    (isLeased ? TRAFFIC_FLAGS.leased : 0) |
    (isPooled ? TRAFFIC_FLAGS.pooled : 0) |
    (hasReceipt ? TRAFFIC_FLAGS.receipt : 0)
  );
}
