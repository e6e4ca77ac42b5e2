import { groupBy } from '@tollgate/contracts/older-node';
import type { Cluster, Redis } from 'ioredis';
import { type CounterStoreOptions, DEFAULT_DEADLINE_MS } from '../redis/redis-store.js';
import { Reservations, SHARDED_LISTS } from '../redis/reservations.js';
import { keysOf } from '../scripts/amend.js';
import { within } from '../stores/clocks.js';
import type {
  Amended,
  Amendment,
  CounterStore,
  StoreReply,
  StoreRequest,
  Unavailable,
} from '../stores/decision-store.js';
import { parseRedisUrl, type RedisAddress } from '../stores/redis-address.js';
import { ClusterCounts } from './cluster-counts.js';
import { ClusterLanes } from './cluster-lanes.js';
import { ClusterPendingParts } from './pending-parts.js';
import { slotOf } from './slots.js';
import { isInOneSlot, partReceiptKey, SplitCharges } from './split-charge.js';

type ReceiptAmendment = Extract<Amendment, { receiptKey: string }>;

export interface ClusterStoreOptions extends CounterStoreOptions {
  /** Receives findings about the servers that cost CPU. */
  onWarning?: (message: string) => void;
  counts?: ClusterCounts;
}

/** Counters in a Redis Cluster. A request with keys in several slots is charged in each; see split-charge.ts. */
export class ClusterStore implements CounterStore {
  readonly address: RedisAddress;
  readonly redis: Cluster;
  private readonly lanes: ClusterLanes;
  private readonly pending: ClusterPendingParts;
  private readonly split: SplitCharges;
  private readonly reservations: Reservations;
  private readonly deadlineMs: number;

  constructor({
    url,
    deadlineMs = DEFAULT_DEADLINE_MS,
    onFailure = () => undefined,
    measured,
    clockUs,
    onWarning = () => undefined,
    counts = new ClusterCounts(),
  }: ClusterStoreOptions) {
    const address = parseRedisUrl(url);
    this.address = address;
    this.deadlineMs = deadlineMs;
    this.lanes = new ClusterLanes({
      address,
      deadlineMs,
      onFailure,
      measured,
      clockUs,
      onWarning,
      counts,
      // A pending part is recorded before it is charged.
      beforeRun: () => this.pending.writeAdded(),
    });
    const { shards } = this.lanes;
    this.redis = shards.cluster;
    this.pending = new ClusterPendingParts({
      cluster: shards.cluster,
      amend: (amendment) => this.amendInSlot(amendment),
      connectionOf: (key) => shards.readyConnection(shards.ownerOf(slotOf(key)) ?? ''),
      nowUs: (key) => this.lanes.nowUs(slotOf(key)),
    });
    this.split = new SplitCharges(
      { charge: (...of) => this.chargeInSlot(...of), amend: (of) => this.amendInSlot(of) },
      this.pending,
      deadlineMs,
    );
    this.reservations = new Reservations({
      lists: SHARDED_LISTS,
      redis: shards.cluster,
      serverOf: (list) => this.clientFor(list),
      amend: (amendment) => this.lanes.amend(amendment),
      nowUs: (key) => this.lanes.nowUs(slotOf(key)),
    });
    this.pending.start();
    this.reservations.start();
  }

  nowUs(): number | undefined {
    return this.lanes.knownNowUs();
  }

  get connections(): number {
    return this.lanes.shards.connections;
  }

  connected(timeoutMs: number): Promise<void> {
    return this.lanes.shards.connected(timeoutMs);
  }

  clientFor(key: string): Redis {
    return this.lanes.shards.clientOf(slotOf(key));
  }

  servers(): readonly Redis[] {
    return this.redis.nodes('master');
  }

  charge(request: StoreRequest): Promise<StoreReply> {
    return isInOneSlot(request) ? this.chargeInSlot(request) : this.split.charge(request);
  }

  /** Applies an amendment; if its keys are in several slots, separately in each. */
  async amend(amendment: Amendment): Promise<Amended | Unavailable> {
    if ('receiptKey' in amendment) return await this.amendReceipt(amendment);
    const slots = groupBy(keysOf(amendment), slotOf);
    const parts = slots.size > 1 ? [...slots.values()].map((keys) => partOf(amendment, keys)) : [amendment];
    return largest(await Promise.all(parts.map((part) => this.lanes.amend(part))));
  }

  async close(): Promise<void> {
    this.pending.close();
    this.reservations.close();
    await this.split.finished();
    this.lanes.close();
  }

  private async amendReceipt(amendment: ReceiptAmendment): Promise<Amended | Unavailable> {
    // Without the tags of other slots, the charges there would not be amended.
    if (!(await within(this.deadlineMs, this.pending.loadTags())))
      return { available: false, reason: 'deadline' };
    const home = await this.amendInSlot(amendment);
    if (!home.available || home.status === 'rejected' || this.pending.tags.size === 0) return home;
    // Parts of an expired reservation expire by themselves.
    if (home.status === 'not_found' && amendment.op !== 'refundReceipt') return home;
    const { receiptKey } = amendment;
    const parts = [...this.pending.tags].map((tag) =>
      this.amendInSlot({ ...amendment, receiptKey: partReceiptKey(tag, receiptKey) }),
    );
    const replies = await Promise.all(parts);
    return largest([home, ...replies.filter((reply) => !reply.available || reply.status === 'applied')]);
  }

  private async amendInSlot(amendment: Amendment): Promise<Amended | Unavailable> {
    const reply = await this.lanes.amend(amendment);
    this.reservations.afterAmend(amendment, reply);
    return reply;
  }

  private chargeInSlot(request: StoreRequest, sinceMs?: number): Promise<StoreReply> {
    const { receipt } = request;
    if (receipt === undefined || receipt.expiresAfterMs === 0) return this.lanes.charge(request, sinceMs);
    return this.reservations.reserve(receipt, () => this.lanes.charge(request, sinceMs));
  }
}

/** Restricts an amendment of several keys to `keys`. */
function partOf(amendment: Amendment, keys: readonly string[]): Amendment {
  if (amendment.op === 'reset') return { ...amendment, keys };
  if (amendment.op !== 'refund' && amendment.op !== 'charge') return amendment;
  return { ...amendment, checks: amendment.checks.filter(({ key }) => keys.includes(key)) };
}

function largest(replies: readonly (Amended | Unavailable)[]): Amended | Unavailable {
  const nothing: Unavailable = { available: false, reason: 'failed' };
  return replies.reduce((most, reply) => {
    if (!most.available) return most;
    return !reply.available || Math.abs(reply.units) > Math.abs(most.units) ? reply : most;
  }, replies[0] ?? nothing);
}
