import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isStale, readNodeReports, USAGE_STREAM } from '@tollgate/decision-plane/operate';
import type { Gauge } from 'prom-client';
import { AppConfig } from '../../config/app-config.js';
import { JobsQueue, PolicyQueue } from '../jobs/queues.js';
import { Database } from '../prisma/database.js';
import { RedisConnections } from '../redis.js';
import { runInScope } from '../tenant-scope.js';
import { Metrics } from './metrics.js';

interface Backlog {
  outboxPending: number;
  outboxOldestS: number;
  webhookOldestS: number;
  mailOldestS: number;
  purchasesToReview: number;
  staleNodes: number;
  usagePosition: string;
  exportPosition: string;
  streams: { stream: string; rejects: number }[];
}

/** Gauges of the whole installation, read by each worker on each scrape: combine workers with `max`. */
@Injectable()
export class BacklogMetrics implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly database: Database,
    private readonly redis: RedisConnections,
    private readonly jobs: JobsQueue,
    private readonly policy: PolicyQueue,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    this.observeDatabase();
    this.observeNodes();
    this.observeUsageLag();
    this.observeQueues();
  }

  private observeDatabase(): void {
    const { metrics } = this;
    const gauges = {
      outboxPending: metrics.gauge('tollgate_outbox_pending', 'Changes that are not published yet'),
      outboxOldestS: metrics.gauge(
        'tollgate_outbox_oldest_age_seconds',
        'Age of the oldest unpublished change, or 0',
      ),
      webhookOldestS: metrics.gauge(
        'tollgate_webhook_oldest_pending_seconds',
        'How long the oldest due webhook delivery waits, or 0',
      ),
      mailOldestS: metrics.gauge(
        'tollgate_mail_oldest_pending_seconds',
        'How long the oldest due mail waits, or 0',
      ),
      purchasesToReview: metrics.gauge(
        'tollgate_purchases_awaiting_operator',
        'Purchases and payment events that need a review',
      ),
    };
    const rejects = metrics.counter(
      'tollgate_stream_rejects_total',
      'Unreadable entries of the streams of nodes',
      ['stream'],
    );
    metrics.beforeScrape({
      read: async () => {
        const backlog = await this.readBacklog();
        for (const [name, gauge] of Object.entries(gauges)) gauge.set(backlog[name as keyof typeof gauges]);
        rejects.reset();
        for (const { stream, rejects: count } of backlog.streams) rejects.inc({ stream }, count);
      },
      clear: () => {
        for (const gauge of Object.values(gauges)) gauge.set(Number.NaN);
      },
    });
  }

  private observeNodes(): void {
    const nodes = this.metrics.gauge(
      'tollgate_nodes',
      'Nodes by state: live, degraded (counter Redis unavailable), rejecting (policy) or stale (no report)',
      ['state'],
    );
    this.metrics.beforeScrape({
      read: async () => {
        const [reports, { staleNodes }] = await Promise.all([
          readNodeReports(this.redis.config),
          this.readBacklog(),
        ]);
        const count = { live: 0, degraded: 0, rejecting: 0, stale: staleNodes };
        for (const report of reports) {
          if (isStale(report, Date.now())) continue;
          count[report.nack !== null ? 'rejecting' : report.degraded ? 'degraded' : 'live']++;
        }
        for (const [state, value] of Object.entries(count)) nodes.set({ state }, value);
      },
      clear: () => nodes.reset(),
    });
  }

  private observeUsageLag(): void {
    const counted = this.metrics.gauge(
      'tollgate_usage_lag_seconds',
      'Age of the oldest usage frame that is not counted yet, or 0',
    );
    const exported = this.metrics.gauge(
      'tollgate_usage_export_lag_seconds',
      'Age of the oldest usage frame that is not exported yet, or 0; 0 without an export',
    );
    const observe = (lag: Gauge, positionOf: (backlog: Backlog) => string) =>
      this.metrics.beforeScrape({
        read: async () => lag.set(await this.readUsageLag(positionOf(await this.readBacklog()))),
        clear: () => lag.set(Number.NaN),
      });
    observe(counted, ({ usagePosition }) => usagePosition);
    if (this.config.usageExport !== undefined) observe(exported, ({ exportPosition }) => exportPosition);
  }

  /** Age in seconds of the first frame after `position`; 0 if there is none. */
  private async readUsageLag(position: string): Promise<number> {
    const [next] = await USAGE_STREAM.read(this.redis.config, position, { count: 1 });
    const writtenAtMs = Number(next?.id.split('-')[0]);
    return next === undefined ? 0 : Math.max(0, (Date.now() - writtenAtMs) / 1000);
  }

  /** The metric of BullMQ's own exporter, which cannot be merged into a registry. */
  private observeQueues(): void {
    const counts = this.metrics.gauge('bullmq_job_count', 'Number of jobs in the queue by state', [
      'queue',
      'state',
    ]);
    this.metrics.beforeScrape({
      read: async () => {
        for (const queue of [this.jobs, this.policy]) {
          queue.requireConnection();
          for (const [state, count] of Object.entries(await queue.getJobCounts()))
            counts.set({ queue: queue.name, state }, count);
        }
      },
      clear: () => counts.reset(),
    });
  }

  private reading: Promise<Backlog> | undefined;

  /** One statement for all gauges of a scrape. */
  private readBacklog(): Promise<Backlog> {
    this.reading ??= runInScope('all', () => this.queryBacklog()).finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  private async queryBacklog(): Promise<Backlog> {
    const [row] = await this.database.client.$queryRaw<[Backlog]>`
      SELECT "outbox"."pending"::int AS "outboxPending", "outbox"."oldest" AS "outboxOldestS",
        "webhook"."oldest" AS "webhookOldestS", "mail"."oldest" AS "mailOldestS",
        (SELECT count(*) FROM "purchase" WHERE "status" = 'NEEDS_REVIEW')::int
          + (SELECT count(*) FROM "payment_event_review" WHERE "status" = 'OPEN')::int AS "purchasesToReview",
        (SELECT count(*) FROM "decision_node" WHERE "stale_since" IS NOT NULL AND "retired_at" IS NULL)::int AS "staleNodes",
        coalesce((SELECT "last_id" FROM "stream_position" WHERE "stream" = 'usage'), '0-0') AS "usagePosition",
        coalesce((SELECT "last_id" FROM "stream_position" WHERE "stream" = 'usage-export'), '0-0') AS "exportPosition",
        coalesce((SELECT jsonb_agg(jsonb_build_object('stream', "stream", 'rejects', "set_aside")) FROM "stream_position"), '[]') AS "streams"
      FROM (
        SELECT count(*) AS "pending", coalesce(extract(epoch FROM now() - min("created_at")), 0)::float8 AS "oldest"
        FROM "outbox_event" WHERE "revision" IS NULL
      ) "outbox", (
        SELECT coalesce(extract(epoch FROM now() - min("due"."next_attempt_at")), 0)::float8 AS "oldest"
        FROM "webhook_endpoint" "e" CROSS JOIN LATERAL (
          SELECT "d"."next_attempt_at" FROM "webhook_delivery" "d"
          WHERE "d"."endpoint_id" = "e"."id" AND "d"."status" = 'PENDING' AND "d"."next_attempt_at" <= now()
          ORDER BY "d"."next_attempt_at" LIMIT 1
        ) "due" WHERE "e"."status" = 'ENABLED'
      ) "webhook", (
        SELECT coalesce(extract(epoch FROM now() - min("next_attempt_at")), 0)::float8 AS "oldest"
        FROM "mail" WHERE "status" = 'PENDING' AND "next_attempt_at" <= now()
      ) "mail"`;
    return row;
  }
}
