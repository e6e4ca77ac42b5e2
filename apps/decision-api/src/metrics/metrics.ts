import { monitorEventLoopDelay } from 'node:perf_hooks';
import { LATENCY_BOUNDS_MS, type LimitAnswer, REASONS, type Reason } from '@tollgate/contracts';
import type { DecisionPlane } from '@tollgate/decision-plane';
import { eventLoop } from '@tollgate/decision-plane/internals';
import type { LogDestination } from '@tollgate/logging';
import { Counter, Gauge, type Metric, type Registry } from 'prom-client';
import { SHED_REASONS, type ShedReason } from '../http/admission.js';

/** Upper bounds of the buckets, seconds. */
const LATENCY_BOUNDS_S = LATENCY_BOUNDS_MS.map((bound) => bound / 1000);

/** Plain numbers, collected on each scrape: counters of prom-client would hash their labels on every request. */
export class RouteMetrics {
  readonly statuses = new Map<string | number, number>();
  readonly buckets = new Float64Array(LATENCY_BOUNDS_S.length + 1);
  private sumS = 0;

  constructor(
    readonly transport: string,
    readonly route: string,
    /** Whether its durations are reported to the control plane. */
    readonly decides: boolean,
  ) {}

  /** @param status HTTP status code or gRPC status name */
  answered(status: string | number, durationMs: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    const seconds = durationMs / 1000;
    this.sumS += seconds;
    let bucket = 0;
    while (bucket < LATENCY_BOUNDS_S.length && seconds > (LATENCY_BOUNDS_S[bucket] as number)) bucket++;
    (this.buckets[bucket] as number)++;
  }

  /** Histogram samples for prom-client; empty before the first request. */
  durations(name: string) {
    const labels = { transport: this.transport, route: this.route };
    let count = 0;
    const buckets = Array.from(this.buckets, (value, i) => {
      count += value;
      return {
        metricName: `${name}_bucket`,
        labels: { ...labels, le: LATENCY_BOUNDS_S[i] ?? '+Inf' },
        value: count,
      };
    });
    if (count === 0) return [];
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.sumS },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

/** Counts of the HTTP and gRPC servers of a process. No label identifies a tenant. */
export class ServerMetrics {
  private readonly routes: RouteMetrics[] = [];
  private readonly allowed = countsBy(REASONS);
  private readonly denied = countsBy(REASONS);
  private degraded = 0;
  private readonly reported = new Float64Array(LATENCY_BOUNDS_S.length + 1);
  private readonly sheds = countsBy(SHED_REASONS);

  /** Callers keep the result: a lookup per request would cost more than counting. */
  route(transport: string, route: string, decides = false): RouteMetrics {
    const metrics = new RouteMetrics(transport, route, decides);
    this.routes.push(metrics);
    return metrics;
  }

  decided(answer: Pick<LimitAnswer, 'success' | 'reason' | 'degraded'>): void {
    (answer.success ? this.allowed : this.denied)[answer.reason]++;
    if (answer.degraded) this.degraded++;
  }

  shed(reason: ShedReason): void {
    this.sheds[reason]++;
  }

  /** Decision requests per bucket of `LATENCY_BOUNDS_MS` since the last call. */
  takeDurations(): number[] {
    const deciding = this.routes.filter(({ decides }) => decides);
    return Array.from(this.reported, (before, i) => {
      const now = deciding.reduce((sum, { buckets }) => sum + (buckets[i] as number), 0);
      this.reported[i] = now;
      return now - before;
    });
  }

  register(registry: Registry): void {
    const { routes, allowed, denied, sheds } = this;
    counter(registry, 'tollgate_requests_total', 'Requests by transport, route and status', () =>
      routes.flatMap(({ transport, route, statuses }) =>
        Array.from(statuses, ([status, value]) => ({ labels: { transport, route, status }, value })),
      ),
    );
    const name = 'tollgate_request_duration_seconds';
    const help = 'Time from receiving a request to writing its response';
    registry.registerMetric({
      name,
      get: async () => ({
        ...{ name, help, type: 'histogram', aggregator: 'sum' },
        values: routes.flatMap((route) => route.durations(name)),
      }),
    } as unknown as Metric);
    counter(registry, 'tollgate_decisions_total', 'Decisions by result and reason', () =>
      Object.entries({ allowed, denied }).flatMap(([result, counts]) =>
        Object.entries(counts)
          .filter(([, value]) => value > 0)
          .map(([reason, value]) => ({ labels: { result, reason }, value })),
      ),
    );
    const degradedHelp = 'Decisions made while the counter Redis was unavailable';
    counter(registry, 'tollgate_decisions_degraded_total', degradedHelp, () => [{ value: this.degraded }]);
    counter(registry, 'tollgate_shed_total', 'Requests shed, by reason', () =>
      Object.entries(sheds).map(([reason, value]) => ({ labels: { reason }, value })),
    );
  }
}

function countsBy<K extends Reason | ShedReason>(keys: readonly K[]): Record<K, number> {
  return Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;
}

const STARTED_AT_S = Date.now() / 1000 - process.uptime();

const LOOP_RESOLUTION_MS = 20;

export function registerNodeMetrics(
  registry: Registry,
  plane: DecisionPlane,
  log: Pick<LogDestination, 'droppedLines' | 'writeErrors'>,
): void {
  const loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  loop.enable();
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  const count = (name: string, help: string, read: () => number) =>
    counter(registry, name, help, () => [{ value: read() }]);
  gauge('tollgate_ready', '1 if the node has a policy', () => (plane.ready ? 1 : 0));
  gauge('tollgate_degraded', '1 while the counter Redis is unavailable', () => (plane.degraded ? 1 : 0));
  gauge('tollgate_policy_revision', 'Active policy revision', () => plane.revision);
  gauge('tollgate_policy_age_seconds', 'Time since the control plane confirmed the policy', () =>
    plane.policyAgeMs === null ? Number.NaN : plane.policyAgeMs / 1000,
  );
  gauge('process_start_time_seconds', 'Start time of the process, unix time', () => STARTED_AT_S);
  gauge('process_resident_memory_bytes', 'Resident memory', () => process.memoryUsage.rss());
  count('process_cpu_seconds_total', 'CPU time', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  count('tollgate_log_lines_dropped_total', 'Log lines dropped', () => log.droppedLines);
  count('tollgate_log_write_errors_total', 'Failed writes to the log', () => log.writeErrors);
  const lagHelp = 'Average event loop lag; above MAX_EVENT_LOOP_LAG_MS, requests are shed';
  gauge('tollgate_event_loop_lag_seconds', lagHelp, () => eventLoop.lagMs() / 1000);
  const delayHelp = 'Maximum event loop delay since the previous scrape';
  gauge('nodejs_eventloop_delay_max_seconds', delayHelp, () => {
    const delayS = Math.max(0, loop.max / 1e9 - LOOP_RESOLUTION_MS / 1000);
    loop.reset();
    return delayS;
  });
}

interface Sample {
  readonly labels?: Record<string, string | number>;
  readonly value: number;
}

function counter(registry: Registry, name: string, help: string, read: () => readonly Sample[]): void {
  new Counter({
    name,
    help,
    labelNames: ['transport', 'route', 'status', 'result', 'reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels = {}, value } of read()) this.inc(labels, value);
    },
  });
}
