import type { LimitRequest, TenantRecord } from '@tollgate/contracts';
import type { OperationPolicy } from '../policy/catalogue.js';
import { HashedCache, hashOn } from '../store/hashed-cache.js';
import type { RecordedOperation, TallySlot } from '../usage/decision-log.js';
import type { UsageTally } from '../usage/usage-aggregator.js';
import { TenantLimit } from './counter-book.js';
import type { TenantPolicies, TenantPolicy } from './tenant-policies.js';

type Named = Pick<LimitRequest, 'tenant' | 'api' | 'operation'>;

/** Of 100,000 tenants, nearly all stay in a cache of this size. */
const MAX_OPERATIONS = 262_144;

/**
 * An operation of a tenant under one policy, with all that its decisions would look up by name. Of 100,000 tenants, no CPU
 * cache holds any, so a decision reads only this object, its limits, tally and peaks.
 */
export class TenantOperation implements TallySlot, RecordedOperation {
  readonly tenant: string;
  readonly record: TenantRecord;
  /** `allow` and `refuse`: the API does not limit unregistered operations. Undefined: the API is unknown. */
  readonly policy: OperationPolicy | 'allow' | 'refuse' | undefined;
  /** Its limit, if it has exactly one. */
  readonly onlyLimit: TenantLimit | undefined;
  readonly limits: readonly TenantLimit[];
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
    /** Version of the policies; undefined: for one request only. */
    readonly version?: number | undefined,
  ) {
    const registered = at.policy.operation(api, operation);
    this.tenant = at.tenant.tenant;
    this.record = at.tenant;
    this.revision = at.revision;
    this.isSuspended = at.tenant.status === 'suspended';
    this.isTimed = at.untilMs !== Number.POSITIVE_INFINITY;
    this.isRegistered = registered !== undefined;
    this.policy = registered ?? at.policy.unregisteredOperation(api);
    const isKept = version !== undefined && this.isRegistered;
    const limits = typeof this.policy === 'object' ? this.policy.limits : [];
    this.limits = limits.map((limit) => new TenantLimit(limit, api, this.tenant, isKept));
    this.onlyLimit = limits.length === 1 ? this.limits[0] : undefined;
  }
}

/** Operations of recent requests, found by one lookup. */
export class TenantOperations extends HashedCache<TenantOperation, Named, undefined> {
  constructor(
    private readonly policies: TenantPolicies,
    private readonly nowMs: () => number,
  ) {
    super(MAX_OPERATIONS);
  }

  /** Undefined: load it. */
  find(request: Named): TenantOperation | undefined {
    const { version } = this.policies;
    const hash = hashOf(request);
    const known = version === undefined ? undefined : this.get(hash, request, undefined);
    if (known !== undefined && known.version === version && this.isValid(known)) return known;
    const at = this.policies.find(request.tenant);
    if (at === undefined) return undefined;
    const operation = new TenantOperation(at, request.api, request.operation, version);
    // Callers may invent any number of names.
    if (version !== undefined && operation.isRegistered) this.add(hash, operation, request, undefined);
    return operation;
  }

  /** @throws TollgateError `not-ready`, `tenant-unknown`, `tenant-unavailable` */
  async load({ tenant, api, operation }: Named): Promise<TenantOperation> {
    return new TenantOperation(await this.policies.load(tenant), api, operation);
  }

  protected override matches({ tenant, api, operation }: TenantOperation, request: Named): boolean {
    return tenant === request.tenant && operation === request.operation && api === request.api;
  }

  // Reads the clock only for the few tenants with scheduled changes.
  private isValid({ isTimed, at }: TenantOperation): boolean {
    return !isTimed || this.nowMs() < at.untilMs;
  }
}

// Of the names of a service few characters are enough: a set of the cache has room for several operations.
function hashOf({ tenant, api, operation }: Named): number {
  return hashOn(partOf(operation) ^ Math.imul(partOf(api), 31), tenant);
}

function partOf(name: string): number {
  const { length } = name;
  if (length === 0) return 0;
  return (
    (length << 24) |
    (name.charCodeAt(0) << 16) |
    (name.charCodeAt(length >> 1) << 8) |
    name.charCodeAt(length - 1)
  );
}
