import type { Peppers } from '@tollgate/contracts/service-token';
import type { ClusterCounts, CounterMemoryCounts, RedisCalls } from '@tollgate/limiter/stores';
import type { PolicyKeys } from '@tollgate/policy';
import type { OnStale, UnknownApis } from '../decide/requests.js';
import type { SampleSizes } from '../usage/decision-log.js';

/** An event of a node, emitted once per change, not per request. */
export type DecisionPlaneEvent =
  | { kind: 'degraded'; cause: string }
  | { kind: 'recovered'; decisions: number }
  | { kind: 'revision'; revision: number; applyLatencyMs: number | null }
  | { kind: 'revision-rejected'; revision: number; reason: string }
  /** The control plane has not confirmed the policy within `maxStaleMs`, or has confirmed it again. */
  | { kind: 'policy-stale' | 'policy-fresh'; ageMs: number }
  /** A tenant exceeded its budget of counters; further ones share a counter for the rest of the hour, or until memory is free. */
  | { kind: 'key-budget-spent'; tenant: string; cause: string }
  /** The counter Redis answered for the first time since the start. */
  | { kind: 'counters-reached' }
  /** Since then, quota usage that the counters may have lost can be found; or the wait for it is over. Once per start. */
  | { kind: 'quotas-known' }
  /** The configuration of a Redis may lose counters or cause failures, or counters were evicted. */
  | { kind: 'warning'; message: string }
  | { kind: 'error'; message: string; error: unknown };

/** The state of the counter Redis; `unavailable`: it was reached before. */
export type CountersState = 'never-reached' | 'available' | 'unavailable';

export interface NodeCounts {
  readonly redisCalls: Readonly<Record<'counters' | 'config', RedisCalls>>;
  readonly counterMemory: CounterMemoryCounts;
  /** Zero unless the counters are in a cluster. */
  readonly cluster: ClusterCounts;
  readonly policyRejections: Readonly<Record<'seal' | 'content' | 'tenant', number>>;
  /** Frames with usage, of a second to a minute each, that were lost because Redis did not accept them for about an hour. */
  readonly usageFramesDropped: number;
  /** Recorded decisions that were lost because Redis did not accept them; 0 if traffic is not recorded. */
  readonly trafficDropped: number;
}

export interface DecisionPlaneOptions {
  /** Redis that stores the counters: `redis://host:port`, or `redis-cluster://host:port,host:port`. */
  countersUrl: string;
  /** Redis that stores policy and receives usage. */
  configUrl: string;
  /** Trusted public keys of policy seals; `unsigned`: seals are not verified. */
  policyKeys: PolicyKeys;
  /** Longest time without a confirmation of the policy by the control plane, ms; default: a day. */
  maxStaleMs?: number;
  /** Default: `keep`. */
  onStale?: OnStale;
  /** Default: `deny`. Set it to the same value on all nodes. */
  unknownApis?: UnknownApis;
  /** Unique among live nodes. */
  nodeId: string;
  /** Shown with the node in the console. */
  version: string;
  /** Folder for the last good policy; default: none is kept. */
  dataDir?: string;
  /** Longest wait for the counters, ms; default: 25. */
  deadlineMs?: number;
  /** Distinct counters that a tenant may use on this node within an hour; default: 100,000. */
  keysPerTenant?: number;
  /** Usage of a limit that is reported, percent; default: 80 and 100. */
  thresholds?: readonly number[];
  /** Sampled decisions per second; default: 50 allowed and 100 denied; 0: none. */
  samples?: Partial<SampleSizes>;
  /** Whether to record every decision, for replays of past traffic; default: true. */
  recordTraffic?: boolean;
  /** Peppers of API keys by version; default: API keys are rejected and requests must name their tenant. */
  keyPeppers?: Peppers;
  /**
   * Answered requests per bucket of `LATENCY_BOUNDS_MS` since the last call; called once a second, for the latency in the
   * console. Default: no latency is reported.
   */
  takeDurations?: () => number[];
  onEvent?: (event: DecisionPlaneEvent) => void;
  /** Unix ms, for tests; default: the time of the counter Redis, or of the config Redis until the counter Redis answers. */
  nowMs?: () => number;
}
