import type { Cluster, Redis } from 'ioredis';
import { keysOf } from '../../scripts/amend.js';
import { within } from '../clocks.js';
import type {
  Amended,
  Amendment,
  DecisionStore,
  StoreReply,
  StoreRequest,
  Unavailable,
  UnavailableReason,
} from '../decision-store.js';
import { DEFAULT_DEADLINE_MS } from '../redis/redis-store.js';
import { Reservations, SHARDED_LISTS } from '../reservations.js';
import { ClusterLanes } from './cluster-lanes.js';
import type { ClusterAddress } from './cluster-shards.js';
import { ClusterPartNotes } from './part-notes.js';
import { slotOf } from './slots.js';
import { isInOneSlot, partReceiptKey, SplitDecisions } from './split-decision.js';

export interface ClusterStoreOptions {
  address: ClusterAddress;
  /** Milliseconds; {@link DEFAULT_DEADLINE_MS} unless given. */
  deadlineMs?: number;
  /** Told of each call that was late or failed. */
  onFailure?: (reason: UnavailableReason, error?: unknown) => void;
}

type ReceiptAmendment = Extract<Amendment, { receiptKey: string }>;

/**
 * Counters in a Redis Cluster. A request whose keys are in one slot, as those of one tenant are, takes one script run on
 * that slot's master; one with keys elsewhere too is charged there first (split-decision.ts).
 */
export class ClusterStore implements DecisionStore {
  /** For what is neither a decision nor a change of counters; follows redirects. */
  readonly redis: Cluster;
  private readonly lanes: ClusterLanes;
  private readonly notes: ClusterPartNotes;
  private readonly split: SplitDecisions;
  private readonly reservations: Reservations;
  private readonly deadlineMs: number;

  constructor({
    address,
    deadlineMs = DEFAULT_DEADLINE_MS,
    onFailure = () => undefined,
  }: ClusterStoreOptions) {
    this.deadlineMs = deadlineMs;
    this.lanes = new ClusterLanes({ address, deadlineMs, onFailure });
    const { shards } = this.lanes;
    this.redis = shards.cluster;
    this.notes = new ClusterPartNotes({
      cluster: shards.cluster,
      amend: (amendment) => this.amendInSlot(amendment),
      connectionOf: (key) => shards.readyConnection(shards.ownerOf(slotOf(key)) ?? ''),
      nowUs: (key) => this.lanes.nowUs(slotOf(key)),
    });
    this.split = new SplitDecisions(
      { decide: (...of) => this.decideInSlot(...of), amend: (of) => this.amendInSlot(of) },
      this.notes,
      deadlineMs,
    );
    this.reservations = new Reservations({
      lists: SHARDED_LISTS,
      redis: shards.cluster,
      serverOf: (list) => this.clientFor(list),
      amend: (amendment) => this.lanes.amend(amendment),
      nowUs: (key) => this.lanes.nowUs(slotOf(key)),
    });
    this.notes.start();
    this.reservations.start();
  }

  /** The time of a master that has replied, microseconds since the Unix epoch; undefined before any has. */
  nowUs(): number | undefined {
    return this.lanes.knownNowUs();
  }

  /** Resolves once every slot's master can be asked; rejects after `timeoutMs`. */
  connected(timeoutMs: number): Promise<void> {
    return this.lanes.shards.connected(timeoutMs);
  }

  /** The server that holds `key`, for what is neither a decision nor a change of counters. @throws Error when none is known */
  clientFor(key: string): Redis {
    return this.lanes.shards.clientOf(slotOf(key));
  }

  /** Every master, to look at. */
  masters(): Redis[] {
    return this.redis.nodes('master');
  }

  decide(request: StoreRequest): Promise<StoreReply> {
    return isInOneSlot(request) ? this.decideInSlot(request) : this.split.decide(request);
  }

  /** Applies a change; one of several slots, in each of them by itself. */
  async amend(amendment: Amendment): Promise<Amended | Unavailable> {
    if ('receiptKey' in amendment) return await this.amendReceipt(amendment);
    const slots = Map.groupBy(keysOf(amendment), slotOf);
    const parts = slots.size > 1 ? [...slots.values()].map((keys) => partOf(amendment, keys)) : [amendment];
    return largest(await Promise.all(parts.map((part) => this.lanes.amend(part))));
  }

  async close(): Promise<void> {
    this.notes.close();
    this.reservations.close();
    await this.split.finished();
    this.lanes.close();
  }

  /** Does to what was charged in other slots what it does to the request's receipt. */
  private async amendReceipt(amendment: ReceiptAmendment): Promise<Amended | Unavailable> {
    // By a node that knows of no other slots yet, what is charged there would stay.
    if (!(await within(this.deadlineMs, this.notes.knowTags())))
      return { available: false, reason: 'deadline' };
    const home = await this.amendInSlot(amendment);
    if (!home.available || home.status === 'rejected' || this.notes.tags.size === 0) return home;
    const { receiptKey } = amendment;
    const parts = [...this.notes.tags].map((tag) =>
      this.amendInSlot({ ...amendment, receiptKey: partReceiptKey(tag, receiptKey) }),
    );
    const replies = await Promise.all(parts);
    return largest([home, ...replies.filter((reply) => !reply.available || reply.status === 'applied')]);
  }

  private async amendInSlot(amendment: Amendment): Promise<Amended | Unavailable> {
    const reply = await this.lanes.amend(amendment);
    this.reservations.amended(amendment, reply);
    return reply;
  }

  private decideInSlot(request: StoreRequest, sinceMs?: number): Promise<StoreReply> {
    const { receipt } = request;
    if (receipt === undefined || receipt.expiresAfterMs === 0) return this.lanes.decide(request, sinceMs);
    return this.reservations.reserve(receipt, () => this.lanes.decide(request, sinceMs));
  }
}

/** What of a change of several keys concerns `keys`. */
function partOf(amendment: Amendment, keys: readonly string[]): Amendment {
  if (amendment.op === 'reset') return { ...amendment, keys };
  if (amendment.op !== 'give' && amendment.op !== 'charge') return amendment;
  return { ...amendment, checks: amendment.checks.filter(({ key }) => keys.includes(key)) };
}

/** The reply that moved most units; one without an answer before all others. */
function largest(replies: readonly (Amended | Unavailable)[]): Amended | Unavailable {
  const nothing: Unavailable = { available: false, reason: 'failed' };
  return replies.reduce((most, reply) => {
    if (!most.available) return most;
    return !reply.available || Math.abs(reply.units) > Math.abs(most.units) ? reply : most;
  }, replies[0] ?? nothing);
}
