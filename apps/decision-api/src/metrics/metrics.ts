import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type LimitAnswer, REASONS, type Reason } from '@tollgate/contracts';
import type { DecisionPlane } from '@tollgate/decision-plane';
import { eventLoop } from '@tollgate/decision-plane/internals';
import { type LogDestination } from '@tollgate/logging';
import { SHED_REASONS, type ShedReason } from '../http/admission.js';
import { type Family, type Sample } from './exposition.js';

/** Upper bounds of the buckets, seconds: around the deadline of a decision, from a tenth of a millisecond to a second. */
export const LATENCY_BOUNDS_S: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1,
];

/** Counts durations in fixed buckets: to observe one allocates nothing. */
export class Histogram {
  /** One more than there are bounds: the last takes what is beyond them. */
  private readonly counts = new Float64Array(LATENCY_BOUNDS_S.length + 1);
  private sumS = 0;

  observe(durationMs: number): void {
    const seconds = durationMs / 1000;
    this.sumS += seconds;
    let bucket = 0;
    while (bucket < LATENCY_BOUNDS_S.length && seconds > (LATENCY_BOUNDS_S[bucket] as number)) bucket++;
    (this.counts[bucket] as number)++;
  }

  /** How many were at most as long as each bound, as Prometheus counts: the last is all of them. */
  read(): { cumulative: number[]; sumS: number } {
    let sum = 0;
    return { cumulative: Array.from(this.counts, (count) => (sum += count)), sumS: this.sumS };
  }
}

/** How often one route was asked, how it answered and how long that took. */
export class RouteMetrics {
  private readonly latency = new Histogram();
  private readonly statuses = new Map<string | number, number>();

  constructor(
    readonly door: string,
    readonly route: string,
  ) {}

  /** @param status what was answered: of HTTP the number, of gRPC the code's name */
  answered(status: string | number, durationMs: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.latency.observe(durationMs);
  }

  requests(): Sample[] {
    const { door, route } = this;
    return [...this.statuses].map(([status, value]) => ({
      labels: { door, route, status: String(status) },
      value,
    }));
  }

  durations(): Sample[] {
    const { door, route } = this;
    const { cumulative, sumS } = this.latency.read();
    const labels = { door, route };
    const all = cumulative.at(-1) as number;
    if (all === 0) return [];
    return [
      ...cumulative.map((value, i) => ({
        suffix: '_bucket',
        labels: { ...labels, le: i < LATENCY_BOUNDS_S.length ? String(LATENCY_BOUNDS_S[i]) : '+Inf' },
        value,
      })),
      { suffix: '_sum', labels, value: sumS },
      { suffix: '_count', labels, value: all },
    ];
  }
}

/** What the doors of one process count. No label says whose request it was: tenants are many, and their business. */
export class DoorMetrics {
  private readonly routes: RouteMetrics[] = [];
  private readonly allowed = countsBy(REASONS);
  private readonly refused = countsBy(REASONS);
  private degraded = 0;
  private readonly sheds = new Map<ShedReason, number>(SHED_REASONS.map((reason) => [reason, 0]));

  /** To be held by whoever counts: finding it again for each request would cost more than counting does. */
  route(door: string, route: string): RouteMetrics {
    const metrics = new RouteMetrics(door, route);
    this.routes.push(metrics);
    return metrics;
  }

  /** A request was decided; what only looks is none. */
  decided(answer: Pick<LimitAnswer, 'success' | 'reason' | 'degraded'>): void {
    (answer.success ? this.allowed : this.refused)[answer.reason]++;
    if (answer.degraded) this.degraded++;
  }

  /** A request was shed unread. */
  shed(reason: ShedReason): void {
    this.sheds.set(reason, (this.sheds.get(reason) ?? 0) + 1);
  }

  families(): Family[] {
    return [
      {
        name: 'tollgate_requests_total',
        help: 'Requests answered, by door, route and status',
        type: 'counter',
        samples: this.routes.flatMap((route) => route.requests()),
      },
      {
        name: 'tollgate_request_duration_seconds',
        help: 'From a request being seen to its answer being written',
        type: 'histogram',
        samples: this.routes.flatMap((route) => route.durations()),
      },
      {
        name: 'tollgate_decisions_total',
        help: 'Decisions made, by result and reason',
        type: 'counter',
        samples: [...decisions('allowed', this.allowed), ...decisions('refused', this.refused)],
      },
      {
        name: 'tollgate_decisions_degraded_total',
        help: 'Decisions made without the Redis that holds the counters',
        type: 'counter',
        samples: [{ labels: {}, value: this.degraded }],
      },
      {
        name: 'tollgate_shed_total',
        help: 'Requests shed unread, by reason',
        type: 'counter',
        samples: Array.from(this.sheds, ([reason, value]) => ({ labels: { reason }, value })),
      },
    ];
  }
}

function countsBy(reasons: readonly Reason[]): Record<Reason, number> {
  return Object.fromEntries(reasons.map((reason) => [reason, 0])) as Record<Reason, number>;
}

function decisions(result: string, counts: Record<Reason, number>): Sample[] {
  const met = Object.entries(counts).filter(([, value]) => value > 0);
  return met.map(([reason, value]) => ({ labels: { result, reason }, value }));
}

const STARTED_AT_S = Date.now() / 1000 - process.uptime();

/** Where the event loop's delay is sampled, ms. */
const LOOP_RESOLUTION_MS = 20;

/** Returns a reader of the metrics of this process, its node and its log. */
export function nodeMetrics(
  plane: DecisionPlane,
  log: Pick<LogDestination, 'droppedLines' | 'writeErrors'>,
): () => Family[] {
  const loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  loop.enable();
  return () => {
    const { user, system } = process.cpuUsage();
    // What is told is since the last time that somebody asked: a maximum over all time would say nothing of today.
    const delayS = Math.max(0, loop.max / 1e9 - LOOP_RESOLUTION_MS / 1000);
    loop.reset();
    return [
      gauge('tollgate_ready', 'Whether there is a policy to decide by', plane.ready ? 1 : 0),
      gauge('tollgate_degraded', 'Whether decisions are made without the counters', plane.degraded ? 1 : 0),
      gauge('tollgate_policy_revision', 'Policy revision in force', plane.revision),
      gauge(
        'tollgate_policy_age_seconds',
        'Since the control plane confirmed the policy',
        plane.policyAgeMs === null ? Number.NaN : plane.policyAgeMs / 1000,
      ),
      gauge('process_start_time_seconds', 'Start of the process, unix time', STARTED_AT_S),
      gauge('process_resident_memory_bytes', 'Resident memory', process.memoryUsage.rss()),
      counter('process_cpu_seconds_total', 'CPU time', (user + system) / 1e6),
      counter('tollgate_log_lines_dropped_total', 'Log lines that could not be written', log.droppedLines),
      counter('tollgate_log_write_errors_total', 'Failed writes to the log', log.writeErrors),
      gauge(
        'tollgate_event_loop_lag_seconds',
        'Average lag of the event loop; above MAX_EVENT_LOOP_LAG_MS, requests are shed',
        eventLoop.lagMs() / 1000,
      ),
      gauge('nodejs_eventloop_delay_max_seconds', 'Longest delay of the event loop since last asked', delayS),
    ];
  };
}

function gauge(name: string, help: string, value: number): Family {
  return { name, help, type: 'gauge', samples: [{ labels: {}, value }] };
}

function counter(name: string, help: string, value: number): Family {
  return { ...gauge(name, help, value), type: 'counter' };
}
