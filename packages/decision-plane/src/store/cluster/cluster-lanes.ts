import { amend, keysOf } from '../../scripts/amend.js';
import { decideRun } from '../../scripts/runs.js';
import { getOrAdd } from '../bounded-keys.js';
import type {
  Amended,
  Amendment,
  StoreReply,
  StoreRequest,
  Unavailable,
  UnavailableReason,
} from '../decision-store.js';
import { slotOf } from '../keys.js';
import { AmendJob, DecideJob, type Route } from '../redis/jobs.js';
import { LaneGroup } from '../redis/lane.js';
import type { RedisAddress } from '../redis/redis-address.js';
import type { RedisCalls } from '../redis-calls.js';
import { ClusterShards, type NodeKey } from './cluster-shards.js';
import type { OneSlotStore } from './split-decision.js';

export interface ClusterLanesOptions {
  address: RedisAddress;
  deadlineMs: number;
  onFailure: (reason: UnavailableReason, error?: unknown) => void;
  measured?: RedisCalls | undefined;
}

/** Covers a moved slot, a retry of single keys while a slot migrates, and the migration target. */
const MAX_HOPS = 3;

const DISCONNECTED: Unavailable = { available: false, reason: 'disconnected' };

/** One lane per master: a slow or failed shard affects only its own keys. Redirected calls keep their deadline. */
export class ClusterLanes implements OneSlotStore {
  readonly shards: ClusterShards;
  private readonly lanes = new Map<NodeKey, LaneGroup>();

  constructor(private readonly options: ClusterLanesOptions) {
    const onGone = (node: NodeKey) => {
      this.lanes.get(node)?.close();
      this.lanes.delete(node);
    };
    this.shards = new ClusterShards(options.address, onGone, (error) =>
      options.onFailure('disconnected', error),
    );
  }

  decide(request: StoreRequest, sinceMs?: number): Promise<StoreReply> {
    return this.laneOf(slotOfRequest(request))?.decide(request, sinceMs) ?? Promise.resolve(DISCONNECTED);
  }

  amend(amendment: Amendment): Promise<Amended | Unavailable> {
    return this.laneOf(slotOf(keysOf(amendment)[0] ?? ''))?.amend(amendment) ?? Promise.resolve(DISCONNECTED);
  }

  nowUs(slot: number): number {
    return this.laneOf(slot)?.serverNowUs() ?? Date.now() * 1000;
  }

  /** Time of any master that has replied; assumes that the masters' clocks agree. */
  knownNowUs(): number | undefined {
    for (const lane of this.lanes.values()) {
      const nowUs = lane.serverNowUs();
      if (nowUs !== undefined) return nowUs;
    }
    return undefined;
  }

  close(): void {
    for (const lane of this.lanes.values()) lane.close();
    this.shards.close();
  }

  private laneOf(slot: number): LaneGroup | undefined {
    const node = this.shards.ownerOf(slot);
    if (node === undefined) return undefined;
    if (this.shards.readyConnection(node) === undefined) this.shards.refresh();
    return this.laneTo(node);
  }

  private laneTo(node: NodeKey): LaneGroup {
    return getOrAdd(this.lanes, node, () => this.makeLane(node));
  }

  private makeLane(node: NodeKey): LaneGroup {
    const connection = (route: Route) => {
      const redis = this.shards.readyConnection(node);
      // ioredis would run a queued command whenever the connection returns.
      if (redis === undefined) throw new Error(`no connection to ${node}`);
      // ASKING applies to the next command only.
      if (route === 'asking') redis.asking().catch(() => undefined);
      return redis;
    };
    return new LaneGroup({
      send: async (run, options, route) => decideRun(connection(route), run, options),
      sendAmendment: async (amendment, options, route) => amend(connection(route), amendment, options),
      split: splitBySlot,
      redirect: (jobs, error) => this.redirect(node, jobs, error.message),
      isConnected: () => this.shards.readyConnection(node) !== undefined,
      deadlineMs: this.options.deadlineMs,
      measured: this.options.measured,
      onFailure: (reason, error) => {
        this.shards.refresh();
        this.options.onFailure(reason, error);
      },
    });
  }

  private redirect(node: NodeKey, jobs: readonly (DecideJob | AmendJob)[], message: string): boolean {
    const [code, slot, target] = message.split(' ', 3);
    if (jobs.some((job) => job.hops >= MAX_HOPS)) return false;
    const send = (to: NodeKey, route: Route) => {
      const lane = this.laneTo(to);
      for (const job of jobs) lane.enqueue(job.withRoute(route));
      return true;
    };
    switch (code) {
      case 'MOVED':
        if (target === undefined || !this.shards.knows(target)) {
          this.shards.refresh();
          return false;
        }
        this.shards.learn(Number(slot), target);
        return send(target, 'owner');
      // The slot is migrating. Keys that are still here must be decided here, so requests are retried separately and
      // only those whose keys have moved follow the redirect.
      case 'ASK':
        if (hasOtherKeys(jobs)) return send(node, 'alone');
        return target !== undefined && this.shards.knows(target) && send(target, 'asking');
      case 'TRYAGAIN':
        return hasOtherKeys(jobs) && send(node, 'alone');
      default:
        return false;
    }
  }
}

function slotOfRequest({ checks, receipt }: StoreRequest): number {
  return slotOf(receipt?.key ?? checks[0]?.key ?? '');
}

/** Jobs routed `alone` share a run only with jobs of the same keys. */
function splitBySlot(jobs: readonly DecideJob[]): DecideJob[][] {
  const groups = new Map<number | string, DecideJob[]>();
  for (const job of jobs) {
    const key = job.route === 'owner' ? slotOfRequest(job) : `${job.route} ${keysOfRequest(job)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [job]);
    else group.push(job);
  }
  return [...groups.values()];
}

function keysOfRequest({ checks, receipt }: StoreRequest): string {
  return [receipt?.key ?? '', ...checks.map(({ key }) => key)].join(' ');
}

function hasOtherKeys(jobs: readonly (DecideJob | AmendJob)[]): boolean {
  const [first, ...others] = jobs;
  if (!(first instanceof DecideJob)) return false;
  const keys = keysOfRequest(first);
  return others.some((job) => job instanceof DecideJob && keysOfRequest(job) !== keys);
}
