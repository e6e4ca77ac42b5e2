import { Injectable } from '@nestjs/common';
import { PolicySweeper, readNodeReports, takeLeftNodes } from '@tollgate/decision-plane/internals';
import { jobActor } from '../../platform/access/actor.js';
import { ChangeRunner } from '../../platform/changes/change-runner.js';
import { Clock } from '../../platform/clock/clock.js';
import { newId } from '../../platform/ids/new-id.js';
import { ScheduledJob } from '../../platform/jobs/scheduled-job.js';
import { Log } from '../../platform/logging/log.js';
import { RedisConnections } from '../../platform/redis/redis-connections.js';
import { NodesRepository } from './nodes.repository.js';
import { OutboxRepository } from './outbox.repository.js';
import { isStale, STALE_AFTER_MS } from './propagation.js';
import { RevisionsRepository } from './revisions.repository.js';

const NODE_REGISTRY = 'node-registry';

/** Keeps the registry of nodes, and tells operators once of each node that stops reporting without a word. */
@Injectable()
@ScheduledJob({ name: NODE_REGISTRY, everyMs: 5000 })
export class NodeRegistryJob {
  constructor(
    private readonly nodes: NodesRepository,
    private readonly changes: ChangeRunner,
    private readonly redis: RedisConnections,
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
      await this.nodes.seen(tx, fresh, now);
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

/** Steps of one run, of 100 records: 100,000 tenants are gone through in some minutes, and Redis hardly notices. */
const MAX_STEPS = 10;

/**
 * Goes through the records in Redis, some at a time: removes those of tenants that are not in Postgres, and has those
 * published anew that do not carry the relay's seal, and a catalogue that does not match its head.
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
    await this.healCatalogue();
    for (let step = 0; step < MAX_STEPS; step++) {
      const { cursor, records } = await this.sweeper.scanTenants(this.cursor);
      this.cursor = cursor;
      const known = new Set(await this.outbox.listExisting(records.map(({ tenant }) => tenant)));
      const strangers = records.flatMap(({ tenant }) => (known.has(tenant) ? [] : [tenant]));
      if (strangers.length > 0) await this.removeStrangers(strangers);
      const altered = records.flatMap(({ tenant, isOurs }) => (isOurs || !known.has(tenant) ? [] : [tenant]));
      if (altered.length > 0) await this.publishAnew('TENANT', altered);
      if (cursor === '0') return;
    }
  }

  private async healCatalogue(): Promise<void> {
    if (await this.sweeper.isCatalogueWhole()) return;
    const healed = await this.outbox.exclusively(async (tx) => {
      // A publication that ran meanwhile has written a whole one.
      if (await this.sweeper.isCatalogueWhole()) return false;
      const newest = await this.revisions.newest();
      const text = newest && (await this.revisions.findCatalogueText(newest.catalogueRevision, tx));
      if (text == null) return false;
      await this.sweeper.restoreCatalogue(text);
      return true;
    });
    // Nodes that have refused this revision look again when there is another.
    if (healed) await this.publishAnew('CATALOGUE', ['catalogue']);
  }

  /** Under the relay's lock: a tenant that is created at this moment is not taken for one that is no more. */
  private async removeStrangers(tenants: readonly string[]): Promise<void> {
    await this.outbox.exclusively(async (tx) => {
      const known = new Set(await this.outbox.listExisting(tenants, tx));
      const strangers = tenants.filter((tenant) => !known.has(tenant));
      if (strangers.length === 0) return;
      await this.sweeper.removeTenants(strangers);
      this.log.warn({ tenants: strangers.length }, 'records of unknown tenants removed');
    });
  }

  private async publishAnew(kind: 'CATALOGUE' | 'TENANT', entityKeys: readonly string[]): Promise<void> {
    this.log.error({ kind, records: entityKeys.length }, 'what the relay did not write is published anew');
    const caller = { actor: jobActor(POLICY_SWEEP), requestId: newId('request') };
    await this.changes.run(caller, { reason: 'found altered in Redis' }, async (change) => {
      for (const entityKey of entityKeys) await change.publish(kind, entityKey);
      return true;
    });
  }
}

const OUTBOX_MS = 7 * 86_400_000;

/** Revisions that are kept at least, and as many of those that brought a new catalogue. */
export const KEPT_REVISIONS = 1000;

/** Removes published outbox rows after a week, and revisions that are neither new nor the newest to roll back to. */
@Injectable()
@ScheduledJob({ name: 'distribution-retention', everyMs: 600_000 })
export class DistributionRetentionJob {
  constructor(
    private readonly outbox: OutboxRepository,
    private readonly revisions: RevisionsRepository,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    await this.outbox.forgetPublished(new Date(this.clock.now().getTime() - OUTBOX_MS));
    await this.revisions.forget(KEPT_REVISIONS);
  }
}
