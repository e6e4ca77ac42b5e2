import { Injectable } from '@nestjs/common';
import type { NodeJournalEntry, TenantRecord, UsageFrame } from '@tollgate/contracts';
import { QuotaStore, ReplayNode } from '@tollgate/decision-plane/operate';
import type { ReplayPolicy } from '@tollgate/replay';
import { PolicyRepository, RevisionsRepository } from '../features/distribution/index.js';
import { JournalIngest, UsageIngest } from '../features/usage/index.js';
import { Database } from '../platform/prisma/database.js';
import { RedisConnections } from '../platform/redis.js';
import { DemoClock } from './demo-clock.js';
import type { DemoData } from './demo-data.js';
import { DemoTraffic, TRAFFIC_SEED } from './demo-traffic.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const FRAMES_PER_BATCH = 48;
/** Of the newest time, decisions are sampled and the usage of limits is kept in steps of five minutes. */
const RECENT_MS = DAY_MS;
/** Per five minutes. */
const SAMPLES = { allowed: 3, denied: 12 };

interface NotedPolicy {
  fromMs: number;
  policy: ReplayPolicy;
}

/**
 * Sends the demo's past requests through the engine, under the policy of their time, and stores the outcome as that of a
 * node.
 */
@Injectable()
export class DemoReplay {
  private readonly policies: NotedPolicy[] = [];
  private frames: UsageFrame[] = [];
  private entries: NodeJournalEntry[] = [];

  constructor(
    private readonly database: Database,
    private readonly revisions: RevisionsRepository,
    private readonly policyRows: PolicyRepository,
    private readonly ingest: UsageIngest,
    private readonly journal: JournalIngest,
    private readonly redis: RedisConnections,
    private readonly clock: DemoClock,
  ) {}

  /** Remembers the newest published policy of the demo's tenants as that of all requests from `fromMs` on. */
  async notePolicy(demo: DemoData, fromMs: number): Promise<void> {
    const newest = await this.revisions.findNewest();
    if (newest === null || newest.number === this.policies.at(-1)?.policy.revision) return;
    const catalogueText = await this.revisions.findCatalogueText(newest.catalogueRevision);
    if (catalogueText === null) throw new Error(`Revision ${newest.number} has no catalogue`);
    const tenants = await this.database.transaction(async (tx) => {
      const records: TenantRecord[] = [];
      // Others may have been added by the hundred thousand.
      for await (const page of this.policyRows.listTenantPages(tx, Object.keys(demo.tenants), newest.number))
        records.push(...page.flatMap(({ record }) => record ?? []));
      return records;
    });
    this.policies.push({ fromMs, policy: { revision: newest.number, catalogueText, tenants } });
  }

  /**
   * Replays from `historyDays` ago, or from the newest usage of an earlier run, to the present. Then charges the counters
   * of the nodes with the usage of windows that are still open.
   */
  async run(demo: DemoData, historyDays: number): Promise<void> {
    const { traffic, outages } = demo;
    const endMs = floorTo(this.clock.presentMs(), MINUTE_MS);
    const newestMs = (await this.ingest.findNewest())?.getTime() ?? 0;
    let atMs = Math.max(floorTo(newestMs, MINUTE_MS) + MINUTE_MS, endMs - historyDays * DAY_MS);
    const requests = new DemoTraffic(traffic, TRAFFIC_SEED, endMs);
    const gaps = outages.map(({ hoursAgo, minutes }) => {
      const fromMs = endMs - hoursAgo * HOUR_MS;
      return { fromMs, toMs: fromMs + minutes * MINUTE_MS };
    });
    const node = new ReplayNode({
      nodeId: 'demo',
      epoch: `demo${atMs.toString(36)}`,
      quotas: new QuotaStore(this.redis.config),
      samples: SAMPLES,
    });
    await this.notePolicy(demo, endMs);
    node.apply((this.policies[0] as NotedPolicy).policy);
    if (newestMs > 0) await this.adoptCounters(node, traffic, atMs);
    // The replay takes a while: the last minutes pass meanwhile.
    for (; atMs < floorTo(this.clock.presentMs(), MINUTE_MS); atMs += MINUTE_MS) {
      const isRecent = endMs - atMs < RECENT_MS;
      if (atMs % (isRecent ? 5 * MINUTE_MS : HOUR_MS) === 0) this.collect(node, isRecent);
      if (this.frames.length >= FRAMES_PER_BATCH) await this.store();
      while ((this.policies[0]?.fromMs ?? Number.POSITIVE_INFINITY) <= atMs)
        node.apply((this.policies.shift() as NotedPolicy).policy);
      for (const { atMs: requestMs, ...request } of requests.list(atMs)) {
        node.moveTo(requestMs, !gaps.some(({ fromMs, toMs }) => requestMs >= fromMs && requestMs < toMs));
        await node.engine.limit(request);
      }
    }
    node.moveTo(atMs);
    this.collect(node, true);
    await this.store();
    await node.close();
    for (const check of node.listUsed(MINUTE_MS)) {
      const reply = await this.redis.counters.amend({ op: 'charge', checks: [check] });
      if (!reply.available) throw new Error(`The counter Redis is unavailable: ${reply.reason}`);
    }
  }

  /** Continues the windows that are still open since an earlier run. */
  private async adoptCounters(node: ReplayNode, traffic: DemoData['traffic'], atMs: number): Promise<void> {
    node.moveTo(atMs);
    for (const { tenant, api, operation, users, addresses } of traffic)
      if (users === undefined && addresses === undefined) await node.engine.peek({ tenant, api, operation });
    await node.adopt(async (check) => {
      const reply = await this.redis.counters.charge({ checks: [{ ...check, cost: 0 }], peek: true });
      const remaining = reply.available ? reply.checks[0]?.remaining : undefined;
      return remaining === undefined ? 0 : check.policy.capacity - remaining;
    });
  }

  private collect(node: ReplayNode, isRecent: boolean): void {
    const frame = node.takeFrame();
    const entry = node.takeJournalEntry();
    if (frame.rows.length === 0) return;
    const { peaks = [] } = frame;
    const kept = isRecent ? peaks : peaks.filter(({ periodEndMs }) => periodEndMs !== undefined);
    this.frames.push({ ...frame, peaks: kept });
    this.entries.push(isRecent ? entry : { ...entry, samples: [] });
  }

  private async store(): Promise<void> {
    const { frames, entries } = this;
    this.frames = [];
    this.entries = [];
    await this.ingest.add(frames);
    await this.journal.add(entries);
  }
}

function floorTo(ms: number, stepMs: number): number {
  return ms - (ms % stepMs);
}
