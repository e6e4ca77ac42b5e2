import type { DecisionPlane } from '@tollgate/decision-plane';
import { type ClusterCounts, eventLoop, SLOT_MODES, type SlotMode } from '@tollgate/limiter/stores';
import {
  AggregatorRegistry,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from 'prom-client';
import { counter, histogram } from './metrics.js';

export interface NodeMetricsParts {
  readonly plane: DecisionPlane;
  /** End of the certificate of the gRPC port, Unix seconds; undefined: it has none. */
  readonly certificateExpiresAtS: () => number | undefined;
}

/** Metrics of the decision plane in this process. */
export function registerNodeMetrics(registry: Registry, parts: NodeMetricsParts): void {
  const { plane, certificateExpiresAtS } = parts;
  const gauge = (name: string, help: string, read: () => number | null | undefined) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read() ?? Number.NaN);
      },
    });
  const count = (name: string, help: string, read: () => number) =>
    counter(registry, name, help, [], () => [{ value: read() }]);

  gauge('tollgate_degraded', '1 while the counter Redis is unavailable', () => (plane.degraded ? 1 : 0));
  gauge('tollgate_policy_revision', 'Active policy revision; 0 before the first', () => plane.revision);
  gauge('tollgate_policy_age_seconds', 'Time since the control plane confirmed the policy', () =>
    seconds(plane.policyAgeMs),
  );
  gauge(
    'tollgate_counters_last_answer_timestamp_seconds',
    'Unix time of the last answer of the counter Redis; 0 before the first',
    () => seconds(plane.counts.redisCalls.counters.lastAnswerAtMs ?? 0),
  );
  const memoryHelp = 'Memory of the counter Redis; in a cluster, of the server with the smallest free part';
  gauge(
    'tollgate_counters_memory_used_bytes',
    memoryHelp,
    () => plane.counts.counterMemory.fullest?.usedBytes,
  );
  gauge(
    'tollgate_counters_memory_max_bytes',
    'maxmemory of the same server',
    () => plane.counts.counterMemory.fullest?.maxBytes,
  );
  count(
    'tollgate_counters_evicted_keys_total',
    'Keys that the counter Redis evicted because its memory was full; their limits started again',
    () => plane.counts.counterMemory.evictedKeys,
  );
  histogram(
    registry,
    'tollgate_redis_call_duration_seconds',
    'Calls to Redis by role (counters, config) and result; a late call was answered after the deadline',
    () =>
      Object.entries(plane.counts.redisCalls).flatMap(([role, calls]) =>
        Object.entries(calls.durations).map(([result, durations]) => ({
          labels: { role, result },
          durations,
        })),
      ),
  );
  registerClusterMetrics(registry, plane.counts.cluster);
  const refusedHelp = 'Rejected policy, by reason: seal, content or record of a tenant';
  counter(registry, 'tollgate_policy_refused_total', refusedHelp, ['reason'], () =>
    Object.entries(plane.counts.policyRejections).map(([reason, value]) => ({ labels: { reason }, value })),
  );
  count(
    'tollgate_usage_frames_dropped_total',
    'Frames of usage, of a second to a minute each, lost because Redis did not accept them for about an hour',
    () => plane.counts.usageFramesDropped,
  );
  count(
    'tollgate_traffic_decisions_dropped_total',
    'Recorded decisions lost because Redis did not accept them in time',
    () => plane.counts.trafficDropped,
  );
  const lagHelp = 'Average event loop lag; above MAX_EVENT_LOOP_LAG_MS, requests are shed';
  gauge('tollgate_event_loop_lag_seconds', lagHelp, () => seconds(eventLoop.lagMs()));
  if (certificateExpiresAtS() !== undefined)
    gauge(
      'tollgate_tls_certificate_expiry_timestamp_seconds',
      'End of the certificate of the gRPC port, unix time',
      certificateExpiresAtS,
    );
}

/** Zero unless the counters are in a cluster. */
function registerClusterMetrics(registry: Registry, cluster: ClusterCounts): void {
  const byMode = (read: (mode: SlotMode) => number) => () =>
    SLOT_MODES.map((mode) => ({ labels: { mode }, value: read(mode) }));
  const connections = byMode((mode) => cluster.connections[mode]);
  new Gauge({
    name: 'tollgate_cluster_connections',
    help: 'Connections to masters in use, by mode: across (several slots in one script run) or declared (one)',
    labelNames: ['mode'],
    registers: [registry],
    collect() {
      for (const { labels, value } of connections()) this.set(labels, value);
    },
  });
  const runsHelp = 'Script runs of decisions in a cluster, by mode';
  counter(
    registry,
    'tollgate_cluster_runs_total',
    runsHelp,
    ['mode'],
    byMode((mode) => cluster.runs[mode].runs),
  );
  const requestsHelp = 'Requests in these runs; divided by the runs, the batch size';
  counter(
    registry,
    'tollgate_cluster_run_requests_total',
    requestsHelp,
    ['mode'],
    byMode((mode) => cluster.runs[mode].requests),
  );
  const fallbacksHelp =
    'Requests sent again in a run of their slot, by reason: elsewhere, redirected, refused';
  counter(registry, 'tollgate_cluster_fallbacks_total', fallbacksHelp, ['reason'], () =>
    Object.entries(cluster.fallbacks).map(([reason, value]) => ({ labels: { reason }, value })),
  );
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}

export type ProcessMetrics = MetricObjectWithValues<MetricValue<string>>[];

/** Adds the label `process` to every sample. */
export function mergeMetrics(metricsByProcess: ReadonlyMap<number, ProcessMetrics>): Promise<string> {
  const labeled = [...metricsByProcess].map(([process, metrics]) =>
    metrics.map((metric) => ({
      ...metric,
      values: metric.values.map((one) => ({ ...one, labels: { ...one.labels, process: String(process) } })),
    })),
  );
  return AggregatorRegistry.aggregate(labeled).metrics();
}
