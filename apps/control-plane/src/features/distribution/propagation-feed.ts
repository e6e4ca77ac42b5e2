import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { listenToNodes } from '@tollgate/decision-plane/internals';
import { Log } from '../../platform/logging/log.js';
import { RedisConnections } from '../../platform/redis/redis-connections.js';
import { type Propagation, PropagationState } from './distribution.graphql.js';
import { DistributionService } from './distribution.service.js';

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
