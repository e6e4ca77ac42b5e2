import { getOrAdd } from '@tollgate/contracts/maps';
import type { Redis } from 'ioredis';
import { AmendJob, ChargeJob, type Route } from '../redis/jobs.js';
import { LaneGroup } from '../redis/lane-group.js';
import { type Elsewhere, NO_ACROSS } from '../scripts/across.js';
import { keysOf, sendAmendment } from '../scripts/amend.js';
import type { CallTiming } from '../scripts/decide.js';
import { type Run, sendRun } from '../scripts/runs.js';
import { type ClockUs, eventLoop } from '../stores/clocks.js';
import type {
  Amended,
  Amendment,
  Decided,
  StoreReply,
  StoreRequest,
  Unavailable,
  UnavailableReason,
} from '../stores/decision-store.js';
import type { RedisAddress } from '../stores/redis-address.js';
import type { RedisCalls } from '../stores/redis-calls.js';
import type { ClusterCounts, Fallback } from './cluster-counts.js';
import { ClusterShards, type NodeKey } from './cluster-shards.js';
import type { OneSlotStore } from './parts.js';
import { SlotModes } from './slot-modes.js';
import { slotOf } from './slots.js';

export interface ClusterLanesOptions {
  address: RedisAddress;
  deadlineMs: number;
  onFailure: (reason: UnavailableReason, error?: unknown) => void;
  onWarning: (message: string) => void;
  /** Called before each run is sent. */
  beforeRun?: () => void;
  counts: ClusterCounts;
  measured?: RedisCalls | undefined;
  clockUs?: ClockUs | undefined;
}

/** Covers a moved slot, runs of one slot and of single keys while it migrates, and the migration target. */
const MAX_HOPS = 4;

/** For this long, requests of a slot that moved or is migrating go in runs of their own. */
const UNSETTLED_MS = 500;

/** Between attempts while keys of one request are on both sides of a migration. */
const TRY_AGAIN_MS = 4;

/** From the arrival of an amendment to its last attempt. */
const AMEND_WITHIN_MS = 1000;

/** By the code of the error: the run charged nothing, and its requests are sent again by slot. */
const FALLBACKS: ReadonlyMap<string, Fallback> = new Map([
  ['MOVED', 'redirected'],
  ['ASK', 'redirected'],
  ['TRYAGAIN', 'redirected'],
  ['CLUSTERDOWN', 'redirected'],
  ['CROSSSLOT', 'refused'],
  [NO_ACROSS, 'refused'],
]);

type Job = ChargeJob | AmendJob;

const DISCONNECTED: Unavailable = { available: false, reason: 'disconnected' };

/**
 * One lane per master: a slow or failed shard affects only its own keys. A call holds all decisions of a master in one script
 * run if its connection permits that, otherwise one run per slot. Redirected calls keep their deadline.
 */
export class ClusterLanes implements OneSlotStore {
  readonly shards: ClusterShards;
  private readonly lanes = new Map<NodeKey, LaneGroup>();
  private readonly modes: SlotModes;
  /** By slot: until when ({@link performance.now}) it gets its own runs. */
  private readonly unsettled = new Map<number, number>();

  constructor(private readonly options: ClusterLanesOptions) {
    this.shards = new ClusterShards({
      address: options.address,
      onReady: (node) => void this.modes.connected(node),
      onGone: (node) => {
        this.lanes.get(node)?.close();
        this.lanes.delete(node);
        this.modes.gone(node);
      },
      onError: (error) => options.onFailure('disconnected', error),
    });
    this.modes = new SlotModes({
      connectionOf: (node) => this.shards.readyConnection(node),
      ownerOf: (slot) => this.shards.ownerOf(slot),
      counts: options.counts,
      onWarning: options.onWarning,
    });
  }

  charge(request: StoreRequest, sinceMs = eventLoop.runningMs()): Promise<StoreReply> {
    const slot = slotOfRequest(request);
    const lane = this.laneOf(slot);
    if (lane === undefined) return Promise.resolve(DISCONNECTED);
    if (!this.isUnsettled(slot)) return lane.charge(request, sinceMs);
    return new Promise((resolve) => lane.enqueue(new ChargeJob(request, resolve, sinceMs, 'slot')));
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
    if (this.shards.readyConnection(node) === undefined) {
      this.shards.refresh();
      this.shards.suspect(node);
    }
    return this.laneTo(node);
  }

  private laneTo(node: NodeKey): LaneGroup {
    return getOrAdd(this.lanes, node, () => this.makeLane(node));
  }

  private makeLane(node: NodeKey): LaneGroup {
    return new LaneGroup({
      send: async (run, options, route) => this.send(node, run, options, route),
      sendAmendment: async (amendment, options, route) =>
        sendAmendment(this.connection(node, route), amendment, options),
      split: (jobs) => splitByRoute(jobs, this.modes.isAcross(node)),
      redirect: (jobs, error) => this.redirect(node, jobs, error.message),
      elsewhere: (job) => this.sendBySlot([job], slotOfRequest(job), 'elsewhere'),
      isConnected: () => this.shards.readyConnection(node) !== undefined,
      deadlineMs: this.options.deadlineMs,
      measured: this.options.measured,
      clockUs: this.options.clockUs,
      onFailure: (reason, error) => {
        this.shards.refresh();
        if (reason === 'deadline' || reason === 'disconnected') this.shards.suspect(node);
        this.options.onFailure(reason, error);
      },
    });
  }

  private send(
    node: NodeKey,
    run: Run<StoreRequest>,
    options: CallTiming,
    route: Route,
  ): Promise<readonly (Decided | Elsewhere | undefined)[]> {
    const count = run.requests.length;
    this.options.beforeRun?.();
    const connection = this.connection(node, route);
    // A migration target rejects commands with several keys of which one does not exist; across slots, each command has one.
    const mayCross = route === 'owner' ? count > 1 : route === 'asking';
    const isAcross = mayCross && this.modes.isAcross(node);
    this.options.counts.add(isAcross ? 'across' : 'declared', count);
    return sendRun(connection, run, options, isAcross ? 'several' : 'one');
  }

  private connection(node: NodeKey, route: Route): Redis {
    const redis = this.shards.readyConnection(node);
    // ioredis would run a queued command whenever the connection returns.
    if (redis === undefined) throw new Error(`no connection to ${node}`);
    // ASKING applies to the next command only.
    if (route === 'asking') redis.asking().catch(() => undefined);
    return redis;
  }

  private isUnsettled(slot: number): boolean {
    const untilMs = this.unsettled.get(slot);
    if (untilMs === undefined) return false;
    if (performance.now() < untilMs) return true;
    this.unsettled.delete(slot);
    return false;
  }

  /** Sends jobs of a run over several slots again, each in a run of its slot. `slot` gets such runs for a while. */
  private sendBySlot(jobs: readonly ChargeJob[], slot: number, why: Fallback): void {
    this.unsettled.set(slot, performance.now() + UNSETTLED_MS);
    this.shards.refresh();
    this.options.counts.fallbacks[why] += jobs.length;
    for (const job of jobs) {
      const lane = job.hops < MAX_HOPS ? this.laneOf(slotOfRequest(job)) : undefined;
      if (lane === undefined) job.resolve({ available: false, reason: 'failed' });
      else lane.enqueue(job.withRoute('slot'));
    }
  }

  private redirect(node: NodeKey, jobs: readonly Job[], message: string): boolean {
    const [code = '', number, target] = message.split(' ', 3);
    const isKnown = target !== undefined && this.shards.knows(target);
    if (code === 'MOVED') {
      if (isKnown) this.shards.learn(Number(number), target);
      else this.shards.refresh();
    }
    if (code === NO_ACROSS) this.modes.refused(node, message);
    if (jobs.every(isOwnerJob)) {
      // Something that this request, or any other in the run, does in the script. By slot, it fails for fewer of them.
      if (code === 'ERR' && jobs.length > 1) this.modes.refused(node, message);
      const why = FALLBACKS.get(code);
      if (why === undefined) return false;
      this.sendBySlot(jobs, slotOfRequest(jobs[0] as ChargeJob), why);
      return true;
    }
    if (jobs.some((job) => job.hops >= MAX_HOPS)) return false;
    const send = (to: NodeKey, route: Route) => {
      const lane = this.laneTo(to);
      for (const job of jobs) lane.enqueue(job.withRoute(route));
      return true;
    };
    switch (code) {
      case 'MOVED':
        return isKnown && send(target, 'slot');
      // The slot is migrating. Keys that are still here must be decided here, so requests are retried separately and
      // only those whose keys have moved follow the redirect.
      case 'ASK':
        if (hasOtherKeys(jobs)) return send(node, 'alone');
        return isKnown && send(target, 'asking');
      // Some keys have moved. No server can decide the request until the others have.
      case 'TRYAGAIN':
        return hasOtherKeys(jobs) ? send(node, 'alone') : this.tryAgain(node, jobs);
      case NO_ACROSS:
        return send(node, jobs[0]?.route ?? 'alone');
      default:
        return false;
    }
  }

  private tryAgain(node: NodeKey, jobs: readonly Job[]): boolean {
    const nextMs = eventLoop.runningMs() + TRY_AGAIN_MS;
    if (jobs.some((job) => nextMs >= this.lastAttemptMs(job))) return false;
    const send = () => {
      const lane = this.laneTo(node);
      for (const job of jobs) lane.enqueue(job.withRoute(job.route, job.hops));
    };
    setTimeout(send, TRY_AGAIN_MS).unref();
    return true;
  }

  /** {@link EventLoop.runningMs} */
  private lastAttemptMs(job: Job): number {
    const withinMs = job instanceof ChargeJob ? (job.deadlineMs ?? this.options.deadlineMs) : AMEND_WITHIN_MS;
    return job.sinceMs + withinMs;
  }
}

function isOwnerJob(job: Job): job is ChargeJob {
  return job instanceof ChargeJob && job.route === 'owner';
}

function slotOfRequest({ checks, receipt }: StoreRequest): number {
  return slotOf(receipt?.key ?? checks[0]?.key ?? '');
}

/** Jobs routed `alone` share a run only with jobs of the same keys. */
function splitByRoute(jobs: readonly ChargeJob[], isAcross: boolean): (readonly ChargeJob[])[] {
  if (isAcross && jobs.every(({ route }) => route === 'owner')) return [jobs];
  const groups = new Map<number | string, ChargeJob[]>();
  for (const job of jobs) getOrAdd(groups, runOf(job, isAcross), () => []).push(job);
  return [...groups.values()];
}

function runOf(job: ChargeJob, isAcross: boolean): number | string {
  if (job.route === 'owner' && isAcross) return 'across';
  return job.route === 'owner' || job.route === 'slot'
    ? slotOfRequest(job)
    : `${job.route} ${keysOfRequest(job)}`;
}

function keysOfRequest({ checks, receipt }: StoreRequest): string {
  return [receipt?.key ?? '', ...checks.map(({ key }) => key)].join(' ');
}

function hasOtherKeys(jobs: readonly Job[]): boolean {
  const [first, ...others] = jobs;
  if (!(first instanceof ChargeJob)) return false;
  const keys = keysOfRequest(first);
  return others.some((job) => job instanceof ChargeJob && keysOfRequest(job) !== keys);
}
