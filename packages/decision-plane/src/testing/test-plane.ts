import {
  type AmendAnswer,
  type ApiRecord,
  type CapacityReport,
  type LimitAnswer,
  type LimitCrossing,
  type LimitPolicy,
  type LimitRequest,
  operationNameSchema,
  type PlatformRule,
  type Problem,
  type ReceiptRequest,
  type RefundRequest,
  type ReportRequest,
  type ReserveRequest,
  type ResetRequest,
  type SettleRequest,
  type TenantLimits,
  type TenantRecord,
  type TierRecord,
  type UsageRow,
} from '@tollgate/contracts';
import { FakeClock } from '@tollgate/limiter/testing';
import { CompiledCatalogue } from '@tollgate/policy';
import { MemoryNode } from '../api/replay-node.js';
import type { Engine } from '../decide/engine.js';
import type { TogetherOptions, TogetherRequest } from '../decide/requests.js';
import type { PolicyView } from '../decide/tenant-policies.js';

const TIER = 'test';

/** Policy of a test plane: explicit, with defaults derived from its limits. */
export class TestPolicies implements PolicyView {
  readonly revision = 1;
  readonly staleFromMs = Number.POSITIVE_INFINITY;
  private readonly tenants: Map<string, TenantRecord>;
  /** Operations per API, where derived from requests. */
  private readonly operations: Map<string, Set<string>>;
  private compiled: CompiledCatalogue;

  constructor(
    private readonly options: Pick<
      TestPlaneOptions,
      'limits' | 'apis' | 'tiers' | 'tenants' | 'platformRules'
    >,
  ) {
    this.tenants = new Map(options.tenants?.map((tenant) => [tenant.tenant, tenant]));
    this.operations = new Map(options.limits.map(({ api }) => [api, new Set<string>()]));
    for (const { api, operations } of options.limits)
      for (const name of operations) this.operations.get(api)?.add(name);
    this.compiled = this.compile();
  }

  get catalogue(): CompiledCatalogue {
    return this.compiled;
  }

  /** Adds the operation of a request, unless APIs were given, so that limits can apply to it. */
  cover(request: unknown): void {
    const { api, operation } = (request ?? {}) as { api?: unknown; operation?: unknown };
    const operations = typeof api === 'string' ? this.operations.get(api) : undefined;
    const name = operationNameSchema.safeParse(operation).data;
    if (this.options.apis !== undefined || operations === undefined || name === undefined) return;
    if (operations.has(name)) return;
    operations.add(name);
    this.compiled = this.compile();
  }

  findTenant(key: string): TenantRecord | null {
    const known = this.tenants.get(key);
    if (known !== undefined || this.options.tenants !== undefined) return known ?? null;
    const tenant: TenantRecord = {
      kind: 'tenant',
      revision: 1,
      tenant: key,
      status: 'active',
      tier: TIER,
      pinnedVersion: null,
    };
    this.tenants.set(key, tenant);
    return tenant;
  }

  loadTenant(key: string): Promise<TenantRecord | null> {
    return Promise.resolve(this.findTenant(key));
  }

  refresh(): Promise<void> {
    return Promise.resolve();
  }

  private compile(): CompiledCatalogue {
    const { apis, limits, tiers = [], platformRules: subjectRules } = this.options;
    return CompiledCatalogue.compile(
      JSON.stringify({
        kind: 'catalogue',
        revision: 1,
        apis: apis ?? [...this.operations].map(([key, operations]) => apiOf(key, operations)),
        tiers: [{ key: TIER, currentVersion: 1, versions: [{ number: 1, limits }] }, ...tiers],
        serviceTokens: [],
        subjectRules,
      }),
    );
  }
}

function apiOf(key: string, operations: Iterable<string>): ApiRecord {
  return {
    key,
    unknownOperations: 'count',
    operations: [...operations].map((name) => ({ name, cost: 1 })),
  };
}

export interface TestPlaneOptions {
  /** Limits of the service under test. */
  limits: LimitPolicy[];
  /** Default: an API for each name in the limits, with any operations. */
  apis?: ApiRecord[];
  /** Tiers of other tenants than those on `test`, which has the limits. Default: none. */
  tiers?: TierRecord[];
  /** Default: every tenant exists, with these limits. */
  tenants?: TenantRecord[];
  /** Rules for the subjects of all tenants. Default: none. */
  platformRules?: PlatformRule[] | undefined;
  /** Response to a request for an unknown API. Default: `refuse`, as in production. */
  unknownApis?: 'deny' | 'allow';
  /** Counters per tenant. Default: as in production. */
  keysPerTenant?: number;
  /** Default: a clock that only moves when advanced. */
  clock?: FakeClock;
}

/**
 * A decision plane without Redis and with a manual clock, for tests of services that use Tollgate. It uses the same
 * models and supports all verbs, but does not share its counters. Exception: unspent units of a leased limit return by
 * the process's clock, at the next request for the limit or 100 ms after its term.
 */
export class TestPlane {
  readonly clock: FakeClock;
  private readonly node: MemoryNode;
  private readonly policies: TestPolicies;

  constructor(options: TestPlaneOptions) {
    const clock = options.clock ?? new FakeClock();
    this.clock = clock;
    this.policies = new TestPolicies(options);
    this.node = new MemoryNode({
      nodeId: 'test',
      epoch: 'test',
      policies: this.policies,
      keysPerTenant: options.keysPerTenant,
      unknownApis: options.unknownApis,
      clockUs: () => clock.nowUs(),
      schedule: (run, delayMs) => clock.schedule(run, delayMs),
    });
  }

  /** Crossed thresholds, in order. */
  get crossings(): readonly LimitCrossing[] {
    return this.node.crossings;
  }

  limit(request: LimitRequest): Promise<LimitAnswer> {
    return this.ready(request).limit(request);
  }

  limitMany(requests: readonly LimitRequest[]): Promise<(LimitAnswer | Problem)[]> {
    return this.ready(...requests).limitMany(requests);
  }

  limitTogether(
    requests: readonly TogetherRequest[],
    options: TogetherOptions = { unknownCaller: 'allow' },
  ): Promise<(LimitAnswer | Problem)[]> {
    return this.ready(...requests).limitTogether(requests, options);
  }

  peek(request: LimitRequest): Promise<LimitAnswer> {
    return this.ready(request).peek(request);
  }

  reserve(request: ReserveRequest): Promise<LimitAnswer & { expiresAt: number | null }> {
    return this.ready(request).reserve(request);
  }

  settle(request: SettleRequest): Promise<AmendAnswer> {
    return this.ready().amender.settle(request);
  }

  release(request: ReceiptRequest): Promise<AmendAnswer> {
    return this.ready().amender.release(request);
  }

  renew(request: ReceiptRequest): Promise<AmendAnswer> {
    return this.ready().amender.renew(request);
  }

  refund(request: RefundRequest): Promise<AmendAnswer> {
    return this.ready(request).amender.refund(request);
  }

  reportOutcome(request: ReportRequest): Promise<AmendAnswer> {
    return this.ready().amender.report(request);
  }

  reset(request: ResetRequest): Promise<AmendAnswer> {
    return this.ready(request).amender.reset(request);
  }

  reportCapacity(report: CapacityReport): void {
    this.node.engine.reportCapacity(report);
  }

  limitsOf(tenant: string, api: string): Promise<TenantLimits> {
    return this.node.engine.limitsOf(tenant, api);
  }

  /** Returns and clears usage rows. */
  takeUsage(): UsageRow[] {
    return this.node.rows.take();
  }

  close(): Promise<void> {
    return this.node.engine.close();
  }

  /** The engine, after due timers have run and requested operations exist; no timers run between moves of the clock. */
  private ready(...requests: readonly unknown[]): Engine {
    this.node.store.sweepReservations();
    for (const request of requests) this.policies.cover(request);
    return this.node.engine;
  }
}
