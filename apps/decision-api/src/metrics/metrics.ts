import { LATENCY_BOUNDS_MS, type LimitAnswer, type Problem, REASONS, type Reason } from '@tollgate/contracts';
import { DurationCounts } from '@tollgate/limiter/stores';
import { SHED_REASONS, type ShedReason } from '@tollgate/logging';
import { Counter, type Metric, type Registry } from 'prom-client';

/** `ok`: answered without a decision; `rejected`: the request is invalid; `failed`: it should have been answered. */
type Result = 'allowed' | 'denied' | 'ok' | 'rejected' | 'failed';

/** Value of the label `api` of decisions on an API that is not in the policy: callers must not create series. */
const UNKNOWN_API = 'unknown';

/** Decisions on one API by result and reason. */
class ApiDecisions {
  readonly allowed = countsBy(REASONS);
  readonly denied = countsBy(REASONS);
}

/** Plain numbers, collected on each scrape: counters of prom-client would hash their labels on every request. */
export class RouteMetrics {
  readonly durations = new DurationCounts();
  private readonly decisions = new Map<string, ApiDecisions>();
  private readonly others = new Map<string, { result: Result; reason: string; value: number }>();

  constructor(
    readonly route: string,
    /** Whether it answers by decisions, which are counted instead of its successful responses. */
    readonly decides: boolean,
    private readonly hasApi: (api: string) => boolean,
  ) {}

  decided(api: string, answer: Pick<LimitAnswer, 'success' | 'reason'>): void {
    const decisions = this.decisions.get(api) ?? this.decisionsOn(api);
    (answer.success ? decisions.allowed : decisions.denied)[answer.reason]++;
  }

  /** Counts an item of a batch that has no decision. */
  undecided({ status, code }: Pick<Problem, 'status' | 'code'>): void {
    this.count(resultOf(status), code);
  }

  /** @param reason code of the error; default: none */
  answered(result: Result | undefined, durationMs: number, reason = ''): void {
    this.durations.add(durationMs);
    if (result !== undefined) this.count(result, reason);
  }

  /** Counts a response, unless its decisions are counted. @param code of the problem, if it is one */
  responded(status: number, durationMs: number, code?: string): void {
    this.answered(code === undefined && this.decides ? undefined : resultOf(status), durationMs, code);
  }

  count(result: Result, reason: string): void {
    const key = `${result} ${reason}`;
    const known = this.others.get(key);
    if (known === undefined) this.others.set(key, { result, reason, value: 1 });
    else known.value++;
  }

  requests(): Sample[] {
    const { route } = this;
    const decided = [...this.decisions].flatMap(([api, { allowed, denied }]) =>
      Object.entries({ allowed, denied }).flatMap(([result, counts]) =>
        Object.entries(counts)
          .filter(([, value]) => value > 0)
          .map(([reason, value]) => ({ labels: { route, api, result, reason }, value })),
      ),
    );
    const others = [...this.others.values()].map(({ result, reason, value }) => ({
      labels: { route, api: '', result, reason },
      value,
    }));
    return [...decided, ...others];
  }

  private decisionsOn(api: string): ApiDecisions {
    const label = this.hasApi(api) ? api : UNKNOWN_API;
    let decisions = this.decisions.get(label);
    if (decisions === undefined) {
      decisions = new ApiDecisions();
      this.decisions.set(label, decisions);
    }
    return decisions;
  }
}

/** Counts of the HTTP and gRPC servers of a process. No label identifies a tenant. */
export class ServerMetrics {
  private readonly routes: RouteMetrics[] = [];
  private readonly reported = new Float64Array(LATENCY_BOUNDS_MS.length + 1);
  private readonly sheds = countsBy(SHED_REASONS);

  /** @param hasApi whether the policy has an API */
  constructor(private readonly hasApi: (api: string) => boolean = () => true) {}

  /** Callers keep the result: a lookup per request would cost more than counting. */
  route(route: string, decides = false): RouteMetrics {
    const metrics = new RouteMetrics(route, decides, this.hasApi);
    this.routes.push(metrics);
    return metrics;
  }

  shed(reason: ShedReason): void {
    this.sheds[reason]++;
  }

  /** Decision requests per bucket of `LATENCY_BOUNDS_MS` since the last call. */
  takeDurations(): number[] {
    const deciding = this.routes.filter(({ decides }) => decides);
    return Array.from(this.reported, (before, i) => {
      const now = deciding.reduce((sum, { durations }) => sum + (durations.buckets[i] as number), 0);
      this.reported[i] = now;
      return now - before;
    });
  }

  register(registry: Registry): void {
    const { routes, sheds } = this;
    const requestsHelp =
      'Decisions by API, result and reason; requests without a decision by result and reason';
    counter(registry, 'tollgate_requests_total', requestsHelp, ['route', 'api', 'result', 'reason'], () =>
      routes.flatMap((route) => route.requests()),
    );
    const durationHelp = 'Time from receiving a request to writing its response';
    histogram(registry, 'tollgate_request_duration_seconds', durationHelp, () =>
      routes.map(({ route, durations }) => ({ labels: { route }, durations })),
    );
    counter(registry, 'tollgate_shed_total', 'Requests shed, by reason', ['reason'], () =>
      Object.entries(sheds).map(([reason, value]) => ({ labels: { reason }, value })),
    );
  }
}

function resultOf(status: number): Result {
  if (status < 400) return 'ok';
  return status < 500 ? 'rejected' : 'failed';
}

function countsBy<K extends Reason | ShedReason>(keys: readonly K[]): Record<K, number> {
  return Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;
}

interface Sample {
  readonly labels?: Record<string, string>;
  readonly value: number;
}

/** A counter that is read on each scrape. */
export function counter(
  registry: Registry,
  name: string,
  help: string,
  labelNames: string[],
  read: () => readonly Sample[],
): void {
  new Counter({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels = {}, value } of read()) this.inc(labels, value);
    },
  });
}

/** Histograms of durations that are read on each scrape; series without observations are omitted. */
export function histogram(
  registry: Registry,
  name: string,
  help: string,
  read: () => readonly { labels: Record<string, string>; durations: DurationCounts }[],
): void {
  const valuesOf = ({ labels, durations }: ReturnType<typeof read>[number]) => {
    let count = 0;
    const buckets = Array.from(durations.buckets, (value, i) => {
      count += value;
      const bound = LATENCY_BOUNDS_MS[i];
      const le = bound === undefined ? '+Inf' : bound / 1000;
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
    });
    if (count === 0) return [];
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: durations.sumMs / 1000 },
      { metricName: `${name}_count`, labels, value: count },
    ];
  };
  registry.registerMetric({
    name,
    get: async () => ({
      ...{ name, help, type: 'histogram', aggregator: 'sum' },
      values: read().flatMap(valuesOf),
    }),
  } as unknown as Metric);
}
