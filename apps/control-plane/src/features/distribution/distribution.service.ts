import { Injectable } from '@nestjs/common';
import { readNodeReports } from '@tollgate/decision-plane/internals';
import { kindOfId } from '../../platform/ids/new-id.js';
import { RedisConnections } from '../../platform/redis/redis-connections.js';
import type { Propagation, Revision } from './distribution.graphql.js';
import { type ChangeEvents, OutboxRepository } from './outbox.repository.js';
import { computePropagation } from './propagation.js';
import { RevisionsRepository } from './revisions.repository.js';

/** How far policy has travelled. */
@Injectable()
export class DistributionService {
  constructor(
    private readonly outbox: OutboxRepository,
    private readonly revisions: RevisionsRepository,
    private readonly redis: RedisConnections,
  ) {}

  /** Null when there is no such change, or it had nothing to publish. */
  async findPropagation(changeId: string): Promise<Propagation | null> {
    if (kindOfId(changeId) !== 'change') return null;
    const change = (await this.outbox.findChange(changeId)) ?? (await this.findPublished(changeId));
    if (change === null) return null;
    return computePropagation(change, await readNodeReports(this.redis.config), Date.now());
  }

  /** Null before the first publication. */
  async findCurrentRevision(): Promise<Revision | null> {
    const newest = await this.revisions.newest();
    if (newest === null) return null;
    return { number: newest.number, publishedAt: newest.publishedAt, hash: newest.catalogueHash };
  }

  /** Outbox rows are removed after a week; the revision that carried them is kept for longer. */
  private async findPublished(changeId: string): Promise<ChangeEvents | null> {
    const revision = await this.revisions.findOfChange(changeId);
    return revision && { changeId, revision: revision.number, publishedAt: revision.publishedAt };
  }
}
