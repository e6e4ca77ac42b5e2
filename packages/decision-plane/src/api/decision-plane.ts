import {
  type AmendAnswer,
  type Called,
  type CapacityReport,
  DEFAULT_HEADER_STYLES,
  type HeaderStyle,
  type LimitAnswer,
  type LimitRequest,
  type Problem,
  problem,
  type ReceiptRequest,
  type RefundRequest,
  type ReportRequest,
  type ReserveRequest,
  type ResetRequest,
  type ServiceTokenRecord,
  type SettleRequest,
  sendsKey,
  type TenantLimits,
  TollgateError,
} from '@tollgate/contracts';
import { checkConfigRedisUrl, checkRedisUrl } from '@tollgate/limiter/stores';
import type { TogetherOptions, TogetherRequest } from '../decide/requests.js';
import { DecisionNode } from './decision-node.js';
import type { CountersState, DecisionPlaneOptions, NodeCounts } from './options.js';

/** The decision plane of one process: receives policy, decides requests, reports usage. */
export class DecisionPlane {
  private constructor(private readonly node: DecisionNode) {}

  /**
   * Connects, applies the newest policy, and registers the node. If Redis is unavailable, starts with the policy on disk and
   * keeps connecting in the background.
   * @throws UnsuitableRedis if a Redis rejects a needed command or is too old; Error for an invalid address.
   * Nothing stays open
   */
  static async start(options: DecisionPlaneOptions): Promise<DecisionPlane> {
    // Validated before anything connects: an open connection would keep the process alive.
    for (const [name, check] of [
      ['countersUrl', checkRedisUrl],
      ['configUrl', checkConfigRedisUrl],
    ] as const) {
      try {
        check(options[name]);
      } catch (error) {
        throw new Error(`${name} ${(error as Error).message}`);
      }
    }
    const node = new DecisionNode(options);
    await node.begin().catch(async (error: unknown) => {
      await node.close();
      throw error;
    });
    return new DecisionPlane(node);
  }

  /** Whether there is a policy to decide by. */
  get ready(): boolean {
    return this.node.feed.catalogue !== undefined;
  }

  /** The active revision; 0 before the first. */
  get revision(): number {
    return this.node.feed.revision;
  }

  /** Whether decisions within the last second were degraded. */
  get degraded(): boolean {
    return this.node.degraded;
  }

  /** Whether the counter Redis was reached since the start, and whether it is connected now. */
  get counters(): CountersState {
    return this.node.countersState;
  }

  /** Whether this node has not found out yet, since its start, whether the counters lost quota usage; at most for 15 s. */
  get awaitsQuotas(): boolean {
    return this.node.awaitsQuotas;
  }

  /** Time since the control plane confirmed the active policy as the newest, ms; null before the first policy. */
  get policyAgeMs(): number | null {
    return this.node.feed.freshness.ageMs;
  }

  /** Whether the policy is older than `maxStaleMs`. */
  get policyStale(): boolean {
    return this.node.feed.freshness.isStale;
  }

  /** Messages about servers that need an operator although the node is ready. */
  get warnings(): readonly string[] {
    return this.node.memory.warnings;
  }

  /** Counts for metrics, since the start. */
  get counts(): NodeCounts {
    const { redisCalls, clusterCounts, feed, usage, traffic, memory } = this.node;
    return {
      redisCalls,
      counterMemory: memory.counts,
      cluster: clusterCounts,
      policyRejections: feed.rejections,
      usageFramesDropped: usage.framesDropped,
      trafficDropped: traffic?.decisionsDropped ?? 0,
    };
  }

  /** Whether the active policy has this API. */
  hasApi(api: string): boolean {
    return this.node.feed.catalogue?.hasApi(api) === true;
  }

  /** Returns undefined if the active policy has no service token with this public id. */
  serviceToken(publicId: string): ServiceTokenRecord | undefined {
    return this.node.feed.catalogue?.serviceTokens.get(publicId);
  }

  /** The tenant of an API key that was accepted lately; undefined for others. */
  tenantOfKey(key: string): string | undefined {
    return this.node.callers.tenantOf(key);
  }

  /** The rate limit header styles of an API. */
  headerStyles(api: string): readonly HeaderStyle[] {
    return this.node.feed.catalogue?.headerStyles(api) ?? DEFAULT_HEADER_STYLES;
  }

  /**
   * Decides and charges within the deadline, also while the counter Redis is unavailable. A repeated `requestId` gets the
   * first answer again and is charged once.
   * @throws TollgateError `not-ready`, `tenant-unknown`, `tenant-unavailable`, `key-invalid`, `key-scope-missing`,
   * `dimension-missing`, `dimension-invalid`, `request-id-reused`, `overloaded`
   */
  limit(request: Called<LimitRequest>): Promise<LimitAnswer> {
    return this.withTenant(request, (resolved: LimitRequest) => this.node.engine.limit(resolved));
  }

  /**
   * Decides each request separately and returns the answers in order. A failed request gets the problem that `limit` would
   * throw, or `internal`.
   */
  async limitMany(requests: readonly Called<LimitRequest>[]): Promise<(LimitAnswer | Problem)[]> {
    const { callers, engine } = this.node;
    if (!requests.some(sendsKey)) return engine.limitMany(requests as readonly LimitRequest[]);
    const resolved = await callers.resolveAll<LimitRequest>(requests, problemOf);
    const answers = await engine.limitMany(resolved.flatMap((one) => ('request' in one ? one.request : [])));
    const next = answers.values();
    return resolved.map((one) => ('problem' in one ? one.problem : (next.next().value as LimitAnswer)));
  }

  /**
   * Decides several requests as one: all are charged or none. Returns an answer to each, in order; a request of an unknown
   * tenant or key gets a problem.
   * @throws TollgateError as `limit`, except `tenant-unknown`, `api-unknown`, `key-invalid` and `key-scope-missing`
   */
  async limitTogether(
    requests: readonly Called<TogetherRequest>[],
    options: TogetherOptions,
  ): Promise<(LimitAnswer | Problem)[]> {
    const { callers, engine } = this.node;
    if (!requests.some(sendsKey))
      return engine.limitTogether(requests as readonly TogetherRequest[], options);
    const resolved = await callers.resolveAll<TogetherRequest>(requests, keyProblemOf);
    return engine.limitTogether(
      resolved.map((one) => ('request' in one ? one.request : one.problem)),
      options,
    );
  }

  /** Returns the answer of `limit` without charging; `remaining` is before the charge. Throws as `limit`. */
  peek(request: Called<LimitRequest>): Promise<LimitAnswer> {
    return this.withTenant(request, (resolved: LimitRequest) => this.node.engine.peek(resolved));
  }

  /**
   * As `limit`, but the charge is reserved: settle or release it by `requestId`, or it is refunded at or shortly after
   * `expiresAt` (Unix ms). `expiresAt` is null if nothing was reserved: denied, unlimited, or a repeated id.
   */
  reserve(request: Called<ReserveRequest>): Promise<LimitAnswer & { expiresAt: number | null }> {
    return this.withTenant(request, (resolved: ReserveRequest) => this.node.engine.reserve(resolved));
  }

  /** Replaces the reserved cost with the real one, once. */
  settle(request: Called<SettleRequest>): Promise<AmendAnswer> {
    return this.withTenant(request, (resolved: SettleRequest) => this.node.engine.amender.settle(resolved));
  }

  /** Releases a reservation; of any other request, its permits. */
  release(request: Called<ReceiptRequest>): Promise<AmendAnswer> {
    return this.withTenant(request, (resolved: ReceiptRequest) => this.node.engine.amender.release(resolved));
  }

  /** Extends a reservation and permits by another term. */
  renew(request: Called<ReceiptRequest>): Promise<AmendAnswer> {
    return this.withTenant(request, (resolved: ReceiptRequest) => this.node.engine.amender.renew(resolved));
  }

  /** Refunds a charge, never more than is used. By description, limits on all tenants together are not refunded. */
  refund(request: Called<RefundRequest>): Promise<AmendAnswer> {
    return this.withTenant(request, (resolved: RefundRequest) => this.node.engine.amender.refund(resolved));
  }

  /** Reports the outcome of a request, once, for limits that charge by outcome. */
  reportOutcome(request: Called<ReportRequest>): Promise<AmendAnswer> {
    return this.withTenant(request, (resolved: ReportRequest) => this.node.engine.amender.report(resolved));
  }

  /** Resets the counters that would decide the described request. */
  reset(request: ResetRequest): Promise<AmendAnswer> {
    return this.node.engine.amender.reset(request);
  }

  /** Reports the load of a service to a pool. @throws TollgateError `not-ready`, `pool-unknown` */
  reportCapacity(report: CapacityReport): void {
    this.node.engine.reportCapacity(report);
  }

  /**
   * Returns the effective limits of a tenant on an API, with a summary of each, and their revision.
   * @throws TollgateError `not-ready`, `tenant-unknown`, `tenant-unavailable`
   */
  limitsOf(tenant: string, api: string): Promise<TenantLimits> {
    return this.node.engine.limitsOf(tenant, api);
  }

  /** As `limitsOf`, for the tenant of an API key. @throws TollgateError also `key-invalid`, `key-scope-missing` */
  limitsOfKey(key: string, api: string): Promise<TenantLimits> {
    return this.withTenant({ key, api }, ({ tenant }: { tenant: string; api: string }) =>
      this.node.engine.limitsOf(tenant, api),
    );
  }

  /** Sends outstanding usage and charges, refunds leases, and closes all connections. */
  close(): Promise<void> {
    return this.node.close();
  }

  private withTenant<T extends { tenant: string }, A>(
    request: Called<T>,
    run: (resolved: T) => Promise<A>,
  ): Promise<A> {
    if (!sendsKey(request)) return run(request as T);
    try {
      const resolved = this.node.callers.resolve(request);
      return resolved instanceof Promise ? resolved.then(run) : run(resolved);
    } catch (error) {
      return Promise.reject(error);
    }
  }
}

function problemOf(error: unknown, request: unknown): Problem {
  const { requestId } = (request ?? {}) as { requestId?: unknown };
  const id = typeof requestId === 'string' ? requestId : undefined;
  if (error instanceof TollgateError) return error.toProblem(id);
  return problem('internal', id === undefined ? {} : { requestId: id });
}

const KEY_PROBLEMS: ReadonlySet<string> = new Set(['key-invalid', 'key-scope-missing']);

function keyProblemOf(error: unknown): Problem {
  if (error instanceof TollgateError && KEY_PROBLEMS.has(error.code)) return error.toProblem();
  throw error;
}
