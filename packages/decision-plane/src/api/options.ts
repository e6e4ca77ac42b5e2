import type { Peppers } from '@tollgate/contracts/service-token';
import type { OnStale, UnknownApis } from '../decide/requests.js';
import type { PolicyKeys } from '../seal/policy-seal.js';
import type { SampleSizes } from '../usage/decision-log.js';

/** What a node has to say about itself: once for each change, not for each request. */
export type DecisionPlaneEvent =
  | { kind: 'degraded'; cause: string }
  | { kind: 'recovered'; decisions: number }
  | { kind: 'revision'; revision: number; applyLatencyMs: number | null }
  | { kind: 'revision-refused'; revision: number; reason: string }
  /** The control plane has not confirmed the policy for longer than is allowed, or has again. */
  | { kind: 'policy-stale' | 'policy-fresh'; ageMs: number }
  /** A tenant has more counters than its budget; what comes beyond is counted together for the rest of the hour. */
  | { kind: 'key-budget-spent'; tenant: string; cause: string }
  /** The counters' Redis answered for the first time since the start. */
  | { kind: 'counters-reached' }
  /** The counters' Redis is set up in a way that may lose counters or fail. */
  | { kind: 'warning'; message: string }
  | { kind: 'error'; message: string; error: unknown };

/**
 * The connection to the counters: `never-reached` since the start, `available`, or `unavailable` after it was reached.
 */
export type CountersState = 'never-reached' | 'available' | 'unavailable';

export interface DecisionPlaneOptions {
  /** Redis that holds the counters: `redis://host:port`, or `redis-cluster://host:port,host:port`. */
  countersUrl: string;
  /** Redis that holds policy and takes usage. */
  configUrl: string;
  /** Public keys that policy may be sealed with; `unsigned`: seals are not asked for. */
  policyKeys: PolicyKeys;
  /** How long the policy may go unconfirmed by the control plane, ms; a day unless given. */
  maxStaleMs?: number;
  /** What requests get after that; `keep` unless given. */
  onStale?: OnStale;
  /** Response to a request for an API that is not in the policy; `refuse` unless given. The same on all nodes. */
  unknownApis?: UnknownApis;
  /** Unique among live nodes. */
  nodeId: string;
  /** Shown beside the node in the console. */
  version: string;
  /** Folder for the last good policy; left out: nothing is kept on disk. */
  dataDir?: string;
  /** Longest wait for the counters, milliseconds; 25 unless given. */
  deadlineMs?: number;
  /** Distinct counters that one tenant may have on this node within an hour; 100,000 unless given. */
  keysPerTenant?: number;
  /** Parts of a limit, percent, that are told when use reaches them; 80 and 100 unless given. */
  thresholds?: readonly number[];
  /** Decisions a second that are kept as they were made, 50 allowed and 100 refused unless given; 0: none. */
  samples?: Partial<SampleSizes>;
  /**
   * Peppers of the control plane by version, under which API keys are verified; left out: requests name their tenant, and a
   * key is refused.
   */
  keyPeppers?: Peppers;
  onEvent?: (event: DecisionPlaneEvent) => void;
  /** Unix ms, for tests; left out: the time of the counters' Redis, or of the policy's before the counters have replied. */
  nowMs?: () => number;
}
