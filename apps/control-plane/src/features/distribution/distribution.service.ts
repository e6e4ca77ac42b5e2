import { Injectable } from '@nestjs/common';
import { readNodeReports } from '@tollgate/decision-plane';
import { kindOfId } from '../../platform/ids/new-id.js';
import { RedisConnections } from '../../platform/redis/redis-connections.js';
import type { DecisionNode, Propagation, Revision } from './distribution.graphql.js';
import { OutboxRepository } from './outbox.repository.js';
import { computePropagation, isStale } from './propagation.js';

/** What is known about nodes and how far policy has travelled. */
@Injectable()
export class DistributionService {
  constructor(
    private readonly outbox: OutboxRepository,
    private readonly redis: RedisConnections,
  ) {}

  async listNodes(): Promise<DecisionNode[]> {
    const nowMs = Date.now();
    const reports = await readNodeReports(this.redis.config);
    return reports.map((report) => ({
      ...report,
      startedAt: new Date(report.startedAtMs),
      seenAt: new Date(report.seenAtMs),
      stale: isStale(report, nowMs),
    }));
  }

  /** Null when there is no such change, or it had nothing to publish. */
  async findPropagation(changeId: string): Promise<Propagation | null> {
    if (kindOfId(changeId) !== 'change') return null;
    const change = await this.outbox.findChange(changeId);
    if (change === null) return null;
    return computePropagation(change, await readNodeReports(this.redis.config), Date.now());
  }

  /** Null before the first publication. */
  async findCurrentRevision(): Promise<Revision | null> {
    const newest = await this.outbox.newestRevision();
    if (newest === null) return null;
    return { number: newest.number, publishedAt: newest.publishedAt, hash: newest.catalogueHash };
  }
}
