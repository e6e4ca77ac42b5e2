import { type LimitAnswer, REASONS, type Reason } from '@tollgate/contracts';
import { SHED_REASONS, type ShedReason } from '../http/admission.js';
import type { Family, Sample } from './exposition.js';
import { Histogram, LATENCY_BOUNDS_S } from './histogram.js';

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
