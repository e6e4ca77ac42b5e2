import {
  type AmendAnswer,
  type Called,
  type CapacityReport,
  DEFAULT_HEADER_STYLES,
  type HeaderStyle,
  type LimitAnswer,
  type LimitRequest,
  type Problem,
  type ReceiptRequest,
  type RefundRequest,
  type ReportRequest,
  type ReserveRequest,
  type ResetRequest,
  type ServiceTokenRecord,
  type SettleRequest,
  type TenantLimits,
} from '@tollgate/contracts';
import type { TogetherOptions, TogetherRequest } from '../decide/requests.js';
import { parseCountersUrl } from '../store/counters.js';
import { DecisionNode } from './decision-node.js';
import type { CountersState, DecisionPlaneOptions } from './options.js';

/** The decision plane of one process: policy in, requests decided, usage out. */
export class DecisionPlane {
  private constructor(private readonly node: DecisionNode) {}

  /**
   * Connects, takes the newest policy, and reports itself; where Redis is away, starts from disk and goes on trying.
   * @throws Error, with nothing left open, for an address of the counters that cannot be read
   */
  static async start(options: DecisionPlaneOptions): Promise<DecisionPlane> {
    // Before anything is connected: a connection that nobody can close keeps the process from ending.
    parseCountersUrl(options.countersUrl);
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

  /** Revision in force; 0: none yet. */
  get revision(): number {
    return this.node.feed.revision;
  }

  /** Whether decisions are, or were just now, made without the counters' Redis. */
  get degraded(): boolean {
    return this.node.degraded;
  }

  /** Whether the counters' Redis answered since the start, and whether it is connected now. */
  get counters(): CountersState {
    return this.node.countersState;
  }

  /** Whether the node started from the policy on its disk. */
  get startedFromDisk(): boolean {
    return this.node.startedFromDisk;
  }

  /** Since the control plane last said that the policy in force is the newest, ms; null before the first policy. */
  get policyAgeMs(): number | null {
    return this.node.feed.freshness.ageMs;
  }

  /** Whether the policy is older than is allowed. */
  get policyStale(): boolean {
    return this.node.feed.freshness.isStale;
  }

  /** The service token of this public id, while it is in the policy. */
  serviceToken(publicId: string): ServiceTokenRecord | undefined {
    return this.node.feed.catalogue?.serviceTokens.get(publicId);
  }

  /** How an API wants its limits to be told in headers. */
  headerStyles(api: string): readonly HeaderStyle[] {
    return this.node.feed.catalogue?.headerStyles(api) ?? DEFAULT_HEADER_STYLES;
  }

  /**
   * Decides and charges. Answers within the deadline whatever the counters' Redis does. A `requestId` that comes again is
   * answered as the first time, and charged once.
   * @throws TollgateError `not-ready`, `tenant-unknown`, `tenant-unavailable`, `key-invalid`, `key-scope-missing`,
   * `dimension-missing`, `dimension-invalid`, `request-id-reused`
   */
  limit(request: Called<LimitRequest>): Promise<LimitAnswer> {
    return this.node.callers.run(request, (named) => this.node.engine.limit(named));
  }

  /** Decides each request by itself, in order; what `limit` would throw is its answer, anything unexpected `internal`. */
  limitMany(requests: readonly Called<LimitRequest>[]): Promise<(LimitAnswer | Problem)[]> {
    return this.node.callers.runMany(requests, (named) => this.node.engine.limitMany(named));
  }

  /**
   * Decides several requests as one, in one step: all are charged, or none. Each has its own answer, in order; one of a
   * tenant or key that is not known has a problem for an answer.
   * @throws TollgateError as `limit`, but for `tenant-unknown`, `key-invalid` and `key-scope-missing`
   */
  limitTogether(
    requests: readonly Called<TogetherRequest>[],
    options: TogetherOptions,
  ): Promise<(LimitAnswer | Problem)[]> {
    return this.node.callers.runTogether(requests, (named) => this.node.engine.limitTogether(named, options));
  }

  /** Tells what `limit` would answer now, and charges nothing; `remaining` is before the charge. Throws as it does. */
  peek(request: Called<LimitRequest>): Promise<LimitAnswer> {
    return this.node.callers.run(request, (named) => this.node.engine.peek(named));
  }

  /**
   * As `limit`, but what is charged is only held: settle or release it by `requestId`, else it comes back at `expiresAt`
   * (unix ms) or a little later. Null where nothing is held now: refused, unlimited, or held since the id came first.
   */
  reserve(request: Called<ReserveRequest>): Promise<LimitAnswer & { expiresAt: number | null }> {
    return this.node.callers.run(request, (named) => this.node.engine.reserve(named));
  }

  /** Puts what a reservation really cost in the place of what was held. Once. */
  settle(request: Called<SettleRequest>): Promise<AmendAnswer> {
    return this.node.callers.run(request, (named) => this.node.engine.amender.settle(named));
  }

  /** Gives a reservation back; of any other request, frees the slots that it holds. */
  release(request: Called<ReceiptRequest>): Promise<AmendAnswer> {
    return this.node.callers.run(request, (named) => this.node.engine.amender.release(named));
  }

  /** Holds slots and reservation for another term. */
  renew(request: Called<ReceiptRequest>): Promise<AmendAnswer> {
    return this.node.callers.run(request, (named) => this.node.engine.amender.renew(named));
  }

  /** Gives back what was charged, never more than is used; by description, nothing of what counts all tenants together. */
  refund(request: Called<RefundRequest>): Promise<AmendAnswer> {
    return this.node.callers.run(request, (named) => this.node.engine.amender.refund(named));
  }

  /** Says how a request turned out, for limits that charge by it. Once. */
  reportOutcome(request: Called<ReportRequest>): Promise<AmendAnswer> {
    return this.node.callers.run(request, (named) => this.node.engine.amender.report(named));
  }

  /** Forgets the counters that a request would be decided by. */
  reset(request: ResetRequest): Promise<AmendAnswer> {
    return this.node.engine.amender.reset(request);
  }

  /** Tells a pool how loaded a service is. @throws TollgateError `not-ready`, `pool-unknown` */
  reportCapacity(report: CapacityReport): void {
    this.node.engine.reportCapacity(report);
  }

  /**
   * The limits that apply to a tenant on an API, with a sentence for each, and the revision that they are of.
   * @throws TollgateError `not-ready`, `tenant-unknown`, `tenant-unavailable`
   */
  limitsOf(tenant: string, api: string): Promise<TenantLimits> {
    return this.node.engine.limitsOf(tenant, api);
  }

  /** As `limitsOf`, for the tenant of an API key. @throws TollgateError also `key-invalid`, `key-scope-missing` */
  limitsOfKey(key: string, api: string): Promise<TenantLimits> {
    return this.node.callers.run<{ tenant: string; api: string }, TenantLimits>({ key, api }, ({ tenant }) =>
      this.node.engine.limitsOf(tenant, api),
    );
  }

  /** Hands on what is still to be told, gives back what is leased, and lets go of all connections. */
  close(): Promise<void> {
    return this.node.close();
  }
}
