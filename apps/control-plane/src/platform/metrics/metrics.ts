import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { BUILD } from '@tollgate/contracts/environment';
import { createRegistry, MetricsServer, type ShedReason } from '@tollgate/logging';
import { Counter, Gauge, Histogram } from 'prom-client';
import { AppConfig } from '../../config/app-config.js';
import { Health } from '../http/health.js';
import { Log } from '../log.js';
import { Database } from '../prisma/database.js';

/** Seconds. */
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const JOB_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300];
const PROPAGATION_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** A failed read leaves its gauges without a value; Prometheus waits ten seconds. */
const REFRESH_MS = 3_000;

type Refresh = { read: () => Promise<void>; clear: () => void };

/** Metrics of this process, served at `/metrics` of METRICS_PORT, with the probes of the worker. No label identifies a tenant. */
@Injectable()
export class Metrics implements OnApplicationShutdown {
  readonly registry = createRegistry(BUILD.version);
  private readonly server = new MetricsServer(
    () => this.read(),
    () => this.health.check(),
  );
  private readonly refreshes: Refresh[] = [];

  private readonly requests = this.counter('tollgate_http_requests_total', 'HTTP requests', [
    'route',
    'method',
    'status',
  ]);
  private readonly requestDurations = this.histogram(
    'tollgate_http_request_duration_seconds',
    'Time from receiving a request to writing its response',
    ['route'],
    REQUEST_BUCKETS,
  );
  private readonly operations = this.counter(
    'tollgate_graphql_operations_total',
    'GraphQL operations by type and outcome: ok, rejected (error of the caller) or failed',
    ['type', 'outcome'],
  );
  private readonly throttled = this.counter(
    'tollgate_graphql_throttled_total',
    'GraphQL operations rejected because their caller had spent its points',
  );
  private readonly sheds = this.counter('tollgate_graphql_shed_total', 'GraphQL requests shed, by reason', [
    'reason',
  ]);
  private readonly jobRuns = this.counter('tollgate_job_runs_total', 'Runs of scheduled jobs', [
    'job',
    'outcome',
  ]);
  private readonly jobDurations = this.histogram(
    'tollgate_job_duration_seconds',
    'Duration of a run',
    ['job'],
    JOB_BUCKETS,
  );
  private readonly jobIntervals = this.gauge('tollgate_job_interval_seconds', 'Interval of a job', ['job']);
  private readonly jobSuccesses = this.gauge(
    'tollgate_job_last_success_timestamp_seconds',
    'Unix time of the last successful run in this process, at first of its start',
    ['job'],
  );
  readonly relayFailures = this.counter(
    'tollgate_relay_publish_failures_total',
    'Publications of policy that failed and are retried',
  );
  readonly propagation = this.histogram(
    'tollgate_propagation_duration_seconds',
    'Time from the publication of a revision until a node applied it; read from the reports of nodes every 5 s',
    [],
    PROPAGATION_BUCKETS,
  );
  readonly webhookDeliveries = this.counter(
    'tollgate_webhook_deliveries_total',
    'Delivery attempts by outcome: delivered, retry (another attempt follows) or dead',
    ['outcome'],
  );
  private readonly auditChain = this.gauge(
    'tollgate_audit_chain_ok',
    '0 after a verification found the audit trail altered, until a complete verification succeeds; NaN before the first in this process',
  );
  private isAuditUnknown = true;

  constructor(
    private readonly config: AppConfig,
    database: Database,
    private readonly log: Log,
    private readonly health: Health,
  ) {
    this.auditChain.set(Number.NaN);
    const help = 'Connections to Postgres: used, idle, and requests waiting for one';
    const connections = this.gauge('tollgate_db_pool_connections', help, ['state']);
    this.beforeScrape({
      read: async () => {
        for (const [state, count] of Object.entries(database.countConnections()))
          connections.set({ state }, count);
      },
      clear: () => connections.reset(),
    });
  }

  /** Not called by setup, which would use the control plane's port. Rejects if the address cannot be used. */
  async listen(): Promise<void> {
    await this.server.listen(this.config, this.log);
  }

  onApplicationShutdown(): void {
    this.server.close();
  }

  counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  gauge(name: string, help: string, labelNames: string[] = []): Gauge {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  /** Runs before each scrape; if it fails or takes too long, `clear` removes the values. */
  beforeScrape(refresh: Refresh): void {
    this.refreshes.push(refresh);
  }

  /** The Prometheus text. */
  async read(): Promise<string> {
    await Promise.all(this.refreshes.map((refresh) => this.refresh(refresh)));
    return this.registry.metrics();
  }

  responded(route: string, method: string, status: number, durationMs: number): void {
    this.requests.inc({ route, method, status });
    this.requestDurations.observe({ route }, durationMs / 1000);
  }

  shed(reason: ShedReason): void {
    this.sheds.inc({ reason });
  }

  /** @param codes of the operation's errors */
  operationEnded(type: string, codes: readonly unknown[]): void {
    const isFailed = codes.some((code) => code === 'INTERNAL' || code === 'UNAVAILABLE');
    const outcome = isFailed ? 'failed' : codes.length > 0 ? 'rejected' : 'ok';
    this.operations.inc({ type, outcome });
    if (codes.includes('THROTTLED')) this.throttled.inc();
  }

  jobScheduled(job: string, everyMs: number): void {
    this.jobIntervals.set({ job }, everyMs / 1000);
    this.jobSuccesses.set({ job }, Date.now() / 1000);
  }

  async jobRun<T>(job: string, run: () => Promise<T>): Promise<T> {
    const end = this.jobDurations.startTimer({ job });
    let outcome = 'failed';
    try {
      const result = await run();
      outcome = 'ok';
      this.jobSuccesses.set({ job }, Date.now() / 1000);
      return result;
    } finally {
      end();
      this.jobRuns.inc({ job, outcome });
    }
  }

  /** @param complete whether all entries were verified: only then an earlier break is over */
  auditVerified(isWhole: boolean, complete: boolean): void {
    if (!isWhole) this.auditChain.set(0);
    else if (complete || this.isAuditUnknown) this.auditChain.set(1);
    this.isAuditUnknown = false;
  }

  private async refresh({ read, clear }: Refresh): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error('no answer in time')), REFRESH_MS);
    try {
      await Promise.race([read(), late.promise]);
    } catch (error) {
      clear();
      this.log.debug({ error: String(error) }, 'metrics not read');
    } finally {
      clearTimeout(timer);
    }
  }

  private histogram(name: string, help: string, labelNames: string[], buckets: number[]): Histogram {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }
}
