import type { AmendAnswer, LimitRequest } from '@tollgate/contracts';
import type { DecisionPlaneEvent } from '../../../packages/decision-plane/src/api/options.js';

/** Outcome of one request. */
export interface Outcome {
  readonly node: string;
  /** Sequence number of the request of a node's client. */
  readonly n: number;
  /** Operation and user: identifies the counter of a limit by user. */
  readonly key: string;
  /**
   * Time of the decision, µs since the Unix epoch: the store's clock if it decided, otherwise the node's (of a degraded
   * decision, or of a request denied from the cache).
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
  /** For a peek: the remaining units of each limit. */
  readonly left?: Readonly<Record<string, number>>;
  /** Error code. */
  readonly thrown?: string;
}

export type AskVerb = 'limit' | 'peek' | 'reserve';

/** Open loop: requests are sent on schedule, regardless of outcomes. */
export interface Load {
  readonly seed: number;
  readonly perSecond: number;
  readonly ms: number;
  readonly tenant: string;
  /** Operations by weight, with users `u0` to `u<users - 1>`. */
  readonly mix: readonly { readonly operation: string; readonly users: number; readonly weight: number }[];
  /** Which outcomes are returned individually. */
  readonly outcomes: 'all' | 'admitted' | 'store and admitted' | 'none';
}

export interface LoadReport {
  readonly asked: number;
  readonly degraded: number;
  readonly thrown: number;
  /** Admitted by neither the store nor degraded mode, excluding cached denials. */
  readonly unmarked: number;
  readonly admitted: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
  readonly outcomes: Outcome[];
}

/** Distinct users, one request each. */
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

/** Memory of a process, bytes: resident, and in use. */
export interface NodeMemory {
  readonly rss: number;
  readonly held: number;
}

export type Amending =
  | { readonly verb: 'release'; readonly tenant: string; readonly requestId: string }
  | { readonly verb: 'settle'; readonly tenant: string; readonly requestId: string; readonly cost: number };

/** Options of a node. */
export interface NodeSetup {
  readonly id: string;
  readonly countersUrl: string;
  readonly configUrl: string;
  /** Decision planes, each with its own connections. */
  readonly clients: number;
  readonly deadlineMs?: number;
  readonly keysPerTenant?: number;
  /** Offset of its clock to the machine's, ms. */
  readonly clockAheadMs?: number;
}

/** A process that decides. */
export interface TestbedNode {
  readonly id: string;
  /** Undefined: it runs in this process. */
  readonly pid: number | undefined;
  /** Sends all requests concurrently, distributed over its clients; returns outcomes in order. */
  ask(requests: readonly LimitRequest[], verb?: AskVerb): Promise<Outcome[]>;
  load(load: Load): Promise<LoadReport>;
  flood(flood: Flood): Promise<FloodReport>;
  amend(amendments: readonly Amending[]): Promise<AmendAnswer[]>;
  /** Live nodes by its own count. */
  liveNodes(): Promise<number>;
  /** Events since the start, without error details. */
  events(): Promise<DecisionPlaneEvent['kind'][]>;
  /** Crashes it. */
  kill(): Promise<void>;
  close(): Promise<void>;
}
