import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type NodeReport } from '@tollgate/contracts';
import { listenToNodes, readNodeReports } from '@tollgate/decision-plane/internals';
import { kindOfId } from '../../platform/ids/new-id.js';
import { Log } from '../../platform/logging/log.js';
import { RedisConnections } from '../../platform/redis/redis-connections.js';
import {
  type NodePropagation,
  type Propagation,
  PropagationState,
  type Revision,
} from './distribution.graphql.js';
import { type ChangeEvents, OutboxRepository } from './outbox.repository.js';
import { RevisionsRepository } from './revisions.repository.js';

/** A node that has not reported for this long is taken to be gone. */
export const STALE_AFTER_MS = 15_000;

export function isStale(report: NodeReport, nowMs: number): boolean {
  return nowMs - report.seenAtMs > STALE_AFTER_MS;
}

/** How far a change has travelled, judged by what nodes report. Stale nodes are left out. */
export function computePropagation(change: ChangeEvents, reports: NodeReport[], nowMs: number): Propagation {
  const { changeId, revision, publishedAt } = change;
  const fresh = reports.filter((report) => !isStale(report, nowMs));
  const nodes = fresh.map((report) => onNode(report, revision));
  const latencies = nodes.flatMap((node) => node.latencyMs ?? []);
  return {
    changeId,
    state: stateOf(revision, nodes),
    revision,
    publishedAt,
    liveNodes: nodes.filter((node) => node.live).length,
    totalNodes: nodes.length,
    slowestMs: latencies.length === 0 ? null : Math.max(...latencies),
    nodes,
  };
}

function onNode(report: NodeReport, revision: number | null): NodePropagation {
  const live = revision !== null && report.revision >= revision;
  // A refusal of an older revision says nothing about this one.
  const nack = !live && revision !== null && report.nack !== null && report.nack.revision >= revision;
  return {
    nodeId: report.nodeId,
    live,
    latencyMs: report.revision === revision ? report.applyLatencyMs : null,
    nack: nack ? report.nack : null,
  };
}

function stateOf(revision: number | null, nodes: NodePropagation[]): PropagationState {
  if (revision === null) return PropagationState.PENDING;
  if (nodes.some((node) => node.nack !== null)) return PropagationState.REFUSED;
  const everywhere = nodes.length > 0 && nodes.every((node) => node.live);
  return everywhere ? PropagationState.LIVE : PropagationState.PUBLISHED;
}

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

/** Without any news it is looked again after this: a message may be lost, a node may fall silent. */
const LOOK_EVERY_MS = 1000;

/** News that come close together are looked at once. */
const SETTLE_MS = 20;

/** Nobody follows a change for longer: by then something is wrong that waiting does not mend. */
const MAX_FOLLOWED_MS = 300_000;

/** Follows changes on their way to the nodes. */
@Injectable()
export class PropagationFeed implements OnApplicationShutdown {
  private readonly waiting = new Set<() => void>();
  private followers = 0;
  private stopListening: (() => void) | undefined;
  private stopped = false;

  constructor(
    private readonly distribution: DistributionService,
    private readonly redis: RedisConnections,
    private readonly log: Log,
  ) {}

  /**
   * How far the change has travelled, now and whenever that has changed. Ends when every node runs it, when there is no such
   * change, and after five minutes.
   */
  async *follow(changeId: string, signal?: AbortSignal): AsyncGenerator<Propagation, void> {
    const endMs = Date.now() + MAX_FOLLOWED_MS;
    let told = '';
    this.join();
    try {
      while (!this.stopped && signal?.aborted !== true && Date.now() < endMs) {
        const news = this.nextNews(signal);
        const propagation = await this.look(changeId);
        if (propagation === null) return;
        const text = JSON.stringify(propagation);
        if (propagation !== undefined && text !== told) yield propagation;
        told = text;
        if (propagation?.state === PropagationState.LIVE) return;
        await news;
      }
    } finally {
      this.leave();
    }
  }

  onApplicationShutdown(): void {
    this.stopped = true;
    this.stopListening?.();
    this.wake();
  }

  /** Undefined: it cannot be told just now. */
  private async look(changeId: string): Promise<Propagation | null | undefined> {
    try {
      return await this.distribution.findPropagation(changeId);
    } catch (error) {
      this.log.debug({ error: String(error) }, 'A change could not be followed');
      return undefined;
    }
  }

  private join(): void {
    this.followers++;
    if (this.followers === 1) this.stopListening = listenToNodes(this.redis.config, () => this.wake());
  }

  private leave(): void {
    this.followers--;
    if (this.followers > 0) return;
    this.stopListening?.();
    this.stopListening = undefined;
  }

  /** Resolves a moment after the next report of a node, or after a second. */
  private async nextNews(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiting.add(resolve);
    const timer = setTimeout(resolve, LOOK_EVERY_MS);
    signal?.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    clearTimeout(timer);
    this.waiting.delete(resolve);
    if (!this.stopped && signal?.aborted !== true) await delay(SETTLE_MS);
  }

  private wake(): void {
    for (const resolve of this.waiting) resolve();
  }
}
