import { Injectable } from '@nestjs/common';
import { readNodeReports, takeLeftNodes } from '@tollgate/decision-plane/internals';
import { jobActor } from '../../platform/access/actor.js';
import { ChangeRunner } from '../../platform/changes/change-runner.js';
import { Clock } from '../../platform/clock/clock.js';
import { newId } from '../../platform/ids/new-id.js';
import { ScheduledJob } from '../../platform/jobs/scheduled-job.js';
import { RedisConnections } from '../../platform/redis/redis-connections.js';
import { NodesRepository } from './nodes.repository.js';
import { isStale, STALE_AFTER_MS } from './propagation.js';

const JOB = 'node-registry';

/** Keeps the registry of nodes, and tells operators once of each node that stops reporting without a word. */
@Injectable()
@ScheduledJob({ name: JOB, everyMs: 5000 })
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
    const caller = { actor: jobActor(JOB), requestId: newId('request') };
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
