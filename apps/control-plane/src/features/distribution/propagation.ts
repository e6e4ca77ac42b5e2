import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { NodeReport } from '@tollgate/contracts';
import { isStale, listenToNodes, readNodeReports } from '@tollgate/decision-plane/operate';
import { kindOfId } from '../../platform/ids.js';
import { Log } from '../../platform/log.js';
import { RedisConnections } from '../../platform/redis.js';
import {
  type NodePropagation,
  type Propagation,
  PropagationState,
  type Revision,
} from './distribution.graphql.js';
import { type ChangeEvents, OutboxRepository, RevisionsRepository } from './revisions.repository.js';

/** Ignores stale nodes. */
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
  // A rejection of an older revision does not concern this one.
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
  if (nodes.some((node) => node.nack !== null)) return PropagationState.REJECTED;
  const everywhere = nodes.length > 0 && nodes.every((node) => node.live);
  return everywhere ? PropagationState.LIVE : PropagationState.PUBLISHED;
}

@Injectable()
export class PropagationService {
  constructor(
    private readonly outbox: OutboxRepository,
    private readonly revisions: RevisionsRepository,
    private readonly redis: RedisConnections,
  ) {}

  /** Null if there is no such change or it published nothing. */
  async findPropagation(changeId: string): Promise<Propagation | null> {
    if (kindOfId(changeId) !== 'change') return null;
    const change = (await this.outbox.findChange(changeId)) ?? (await this.findPublished(changeId));
    if (change === null) return null;
    return computePropagation(change, await readNodeReports(this.redis.config), Date.now());
  }

  /** Null before the first publication. */
  async findCurrentRevision(): Promise<Revision | null> {
    const newest = await this.revisions.findNewest();
    if (newest === null) return null;
    return { number: newest.number, publishedAt: newest.publishedAt, hash: newest.catalogueHash };
  }

  /** Outbox rows are deleted after a week; their revision is kept longer. */
  private async findPublished(changeId: string): Promise<ChangeEvents | null> {
    const revision = await this.revisions.findOfChange(changeId);
    return revision && { changeId, revision: revision.number, publishedAt: revision.publishedAt };
  }
}

/** Poll interval, because messages may be lost and nodes may stop. */
const POLL_MS = 1000;

const DEBOUNCE_MS = 20;

const MAX_FOLLOW_MS = 300_000;

@Injectable()
export class PropagationFeed implements OnApplicationShutdown {
  private readonly waiting = new Set<() => void>();
  private followers = 0;
  private stopListening: (() => void) | undefined;
  private stopped = false;

  constructor(
    private readonly distribution: PropagationService,
    private readonly redis: RedisConnections,
    private readonly log: Log,
  ) {}

  /**
   * Yields the propagation after each change of it, until every node has applied the change, and for five minutes at
   * most.
   */
  async *follow(changeId: string, signal?: AbortSignal): AsyncGenerator<Propagation, void> {
    const endMs = Date.now() + MAX_FOLLOW_MS;
    let last = '';
    this.join();
    try {
      while (!this.stopped && signal?.aborted !== true && Date.now() < endMs) {
        const report = this.nextReport(signal);
        const propagation = await this.read(changeId);
        if (propagation === null) return;
        const text = JSON.stringify(propagation);
        if (propagation !== undefined && text !== last) yield propagation;
        last = text;
        if (propagation?.state === PropagationState.LIVE) return;
        await report;
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

  /** Undefined if reading fails. */
  private async read(changeId: string): Promise<Propagation | null | undefined> {
    try {
      return await this.distribution.findPropagation(changeId);
    } catch (error) {
      this.log.debug({ error: String(error) }, 'propagation read failed');
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

  private async nextReport(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiting.add(resolve);
    const timer = setTimeout(resolve, POLL_MS);
    signal?.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    clearTimeout(timer);
    this.waiting.delete(resolve);
    if (!this.stopped && signal?.aborted !== true) await delay(DEBOUNCE_MS);
  }

  private wake(): void {
    for (const resolve of this.waiting) resolve();
  }
}
