import { Injectable } from '@nestjs/common';
import {
  isStale,
  PolicySweeper,
  readNodeReports,
  STALE_AFTER_MS,
  takeLeftNodes,
} from '@tollgate/decision-plane/operate';
import { jobActor } from '../../platform/access/actor.js';
import { ChangeRunner } from '../../platform/changes/change.js';
import { Clock } from '../../platform/clock.js';
import { newId } from '../../platform/ids.js';
import { ScheduledJob } from '../../platform/jobs/jobs-runner.js';
import { Log } from '../../platform/log.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import { RedisConnections } from '../../platform/redis.js';
import { NodesRepository } from './nodes.repository.js';
import { OutboxRepository, RevisionsRepository } from './revisions.repository.js';

const NODE_REGISTRY = 'node-registry';

/** Updates the registry of nodes, and notifies operators once of each node that stops reporting. */
@Injectable()
@ScheduledJob({ name: NODE_REGISTRY, everyMs: 5000 })
export class NodeRegistryJob {
  constructor(
    private readonly nodes: NodesRepository,
    private readonly changes: ChangeRunner,
    private readonly redis: RedisConnections,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const now = this.clock.now();
    const reports = await readNodeReports(this.redis.config);
    const fresh = reports.filter((report) => !isStale(report, now.getTime()));
    const reporting = new Set(reports.map(({ nodeId }) => nodeId));
    const left = (await takeLeftNodes(this.redis.config)).filter((nodeId) => !reporting.has(nodeId));
    const caller = { actor: jobActor(NODE_REGISTRY), requestId: newId('request') };
    await this.changes.run(caller, { reason: null }, async (change) => {
      const { tx } = change;
      const applied = new Map(
        (await this.nodes.list(true)).map(({ nodeId, revision }) => [nodeId, revision]),
      );
      for (const { nodeId, revision, applyLatencyMs } of fresh)
        if (applyLatencyMs !== null && applied.get(nodeId) !== revision)
          this.metrics.propagation.observe(applyLatencyMs / 1000);
      await this.nodes.recordReports(tx, fresh, now);
      await this.nodes.retire(tx, left, now);
      const gone = await this.nodes.markStale(tx, new Date(now.getTime() - STALE_AFTER_MS), now);
      for (const { nodeId, epoch, version, revision, lastSeenAt } of gone) {
        await change.notify({
          kind: 'node.stale',
          data: { nodeId, version, revision, lastSeenAt: lastSeenAt.toISOString() },
          dedupeKey: `node.stale:${nodeId}:${epoch}:${lastSeenAt.getTime()}`,
        });
      }
      return true;
    });
  }
}

const POLICY_SWEEP = 'policy-sweep';

/** Scan steps per run, about 100 records each. */
const MAX_STEPS = 10;

/**
 * Scans the records in Redis step by step. Deletes records of unknown tenants, republishes records without a valid seal,
 * and restores the catalogue.
 */
@Injectable()
@ScheduledJob({ name: POLICY_SWEEP, everyMs: 5000 })
export class PolicySweepJob {
  private cursor = '0';

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly revisions: RevisionsRepository,
    private readonly sweeper: PolicySweeper,
    private readonly changes: ChangeRunner,
    private readonly log: Log,
  ) {}

  async run(): Promise<void> {
    await this.restoreCatalogue();
    for (let step = 0; step < MAX_STEPS; step++) {
      const { cursor, records } = await this.sweeper.scanTenants(this.cursor);
      this.cursor = cursor;
      const known = new Set(await this.outbox.listExisting(records.map(({ tenant }) => tenant)));
      const unknown = records.flatMap(({ tenant }) => (known.has(tenant) ? [] : [tenant]));
      if (unknown.length > 0) await this.deleteUnknown(unknown);
      const altered = records.flatMap(({ tenant, isOurs }) => (isOurs || !known.has(tenant) ? [] : [tenant]));
      if (altered.length > 0) await this.republish('TENANT', altered);
      if (cursor === '0') return;
    }
  }

  private async restoreCatalogue(): Promise<void> {
    if (await this.sweeper.isCatalogueWhole()) return;
    const restored = await this.outbox.exclusively(async (tx) => {
      // A concurrent publication may have written a valid one.
      if (await this.sweeper.isCatalogueWhole()) return false;
      const newest = await this.revisions.findNewest();
      const text = newest && (await this.revisions.findCatalogueText(newest.catalogueRevision, tx));
      if (text == null) return false;
      await this.sweeper.restoreCatalogue(text);
      return true;
    });
    // Nodes that rejected this revision need a new one.
    if (restored) await this.republish('CATALOGUE', ['catalogue']);
  }

  /** Holds the relay's lock, so that a tenant being created is not mistaken for a deleted one. */
  private async deleteUnknown(tenants: readonly string[]): Promise<void> {
    await this.outbox.exclusively(async (tx) => {
      const known = new Set(await this.outbox.listExisting(tenants, tx));
      const unknown = tenants.filter((tenant) => !known.has(tenant));
      if (unknown.length === 0) return;
      await this.sweeper.removeTenants(unknown);
      this.log.warn({ tenants: unknown.length }, 'records of unknown tenants deleted');
    });
  }

  private async republish(kind: 'CATALOGUE' | 'TENANT', entityKeys: readonly string[]): Promise<void> {
    this.log.error({ kind, records: entityKeys.length }, 'altered records in redis, republishing');
    const caller = { actor: jobActor(POLICY_SWEEP), requestId: newId('request') };
    await this.changes.run(caller, { reason: 'found altered in Redis' }, async (change) => {
      change.publish(kind, entityKeys);
      return true;
    });
  }
}

const OUTBOX_MS = 7 * 86_400_000;

export const KEPT_REVISIONS = 1000;

@Injectable()
@ScheduledJob({ name: 'distribution-retention', everyMs: 600_000 })
export class DistributionRetentionJob {
  constructor(
    private readonly outbox: OutboxRepository,
    private readonly revisions: RevisionsRepository,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    await this.outbox.deletePublished(new Date(this.clock.now().getTime() - OUTBOX_MS));
    await this.revisions.deleteOld(KEPT_REVISIONS);
  }
}
