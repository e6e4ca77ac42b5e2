import type { AmendAnswer, LimitRequest } from '@tollgate/contracts';
import type { DecisionPlaneEvent } from '@tollgate/decision-plane';

/** What became of one request. */
export interface Outcome {
  readonly node: string;
  /** Counts what a client of the node asked, in order. */
  readonly n: number;
  /** Operation and user: names the counter where a limit counts by user. */
  readonly key: string;
  /**
   * By the store's clock where it decided, else by the node's: when it answered in degraded mode, when it was asked where
   * a refusal of the store still held. µs since the Unix epoch.
   */
  readonly atUs: number;
  readonly fromStore: boolean;
  readonly success: boolean;
  readonly degraded: boolean;
  readonly reason: string;
  readonly used: number;
  readonly remaining: number;
  readonly delayMs: number;
  /** Seconds; null: never. */
  readonly retryAfter: number | null;
  readonly latencyUs: number;
  /** Of a look: what is left of each limit. */
  readonly left?: Readonly<Record<string, number>>;
  /** Code of what was thrown. */
  readonly thrown?: string;
}

export type AskVerb = 'limit' | 'peek' | 'reserve';

/** Open loop: what is due is asked, whatever became of what was asked before. */
export interface Load {
  readonly seed: number;
  readonly perSecond: number;
  readonly ms: number;
  readonly tenant: string;
  /** Each asked as often as its weight says, by users `u0` to `u<users - 1>`. */
  readonly mix: readonly { readonly operation: string; readonly users: number; readonly weight: number }[];
  /** Which outcomes come back one by one. */
  readonly tell: 'all' | 'admitted' | 'store and admitted' | 'none';
}

export interface LoadReport {
  readonly asked: number;
  readonly degraded: number;
  readonly thrown: number;
  /** Admitted by neither the store nor degraded mode. (What the store has refused for a while may be refused without it.) */
  readonly unmarked: number;
  readonly admitted: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
  readonly outcomes: Outcome[];
}

/** Distinct users, each asking once. */
export interface Flood {
  readonly tenant: string;
  readonly operation: string;
  readonly from: number;
  readonly ids: number;
  readonly inFlight: number;
}

export interface FloodReport {
  readonly admitted: number;
  readonly degraded: number;
  readonly before: NodeMemory;
  readonly after: NodeMemory;
  readonly ms: number;
}

/** Bytes of a process: all that the system counts, and what is still in use. */
export interface NodeMemory {
  readonly rss: number;
  readonly held: number;
}

export type Amending =
  | { readonly verb: 'release'; readonly tenant: string; readonly requestId: string }
  | { readonly verb: 'settle'; readonly tenant: string; readonly requestId: string; readonly cost: number };

/** What a node is started with. */
export interface NodeSetup {
  readonly id: string;
  readonly countersUrl: string;
  readonly configUrl: string;
  /** Decision planes, each with connections of its own. */
  readonly clients: number;
  readonly deadlineMs?: number;
  readonly keysPerTenant?: number;
  /** How far its clock is ahead of the machine's, ms. */
  readonly clockAheadMs?: number;
}

/** One process that decides. */
export interface YardNode {
  readonly id: string;
  /** Asks everything at once, spread over its clients; outcomes in order. */
  ask(requests: readonly LimitRequest[], verb?: AskVerb): Promise<Outcome[]>;
  load(load: Load): Promise<LoadReport>;
  flood(flood: Flood): Promise<FloodReport>;
  amend(amendments: readonly Amending[]): Promise<AmendAnswer[]>;
  /** Live nodes as it counts them. */
  liveNodes(): Promise<number>;
  /** Events since the start, without what errors carry. */
  events(): Promise<DecisionPlaneEvent['kind'][]>;
  /** Crashes it. */
  kill(): Promise<void>;
  close(): Promise<void>;
}
