import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { UsageFrame } from '@tollgate/contracts';
import { isStale, readNodeReports, readUsageFrames } from '@tollgate/decision-plane/operate';
import { Log } from '../../../platform/log.js';
import { type BlockingConnection, RedisConnections } from '../../../platform/redis.js';
import { type LiveFrame, LiveWindow, SeenFrames, WINDOW_SECONDS } from './live-window.js';

const BLOCK_MS = 1000;
const RETRY_AFTER_MS = 500;
const TICK_MS = 1000;

/** Reads the usage stream once per process and distributes it to all viewers. */
@Injectable()
export class LiveFeed implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly subscribers = new Set<(frame: LiveFrame) => void>();
  private readonly frameListeners = new Set<(frame: UsageFrame) => void>();
  private readonly seen = new SeenFrames();
  private readonly window = new LiveWindow(Math.floor(Date.now() / 1000) - WINDOW_SECONDS);
  private readonly stopping = new AbortController();
  private reader: BlockingConnection | undefined;
  private reading: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private nodes = 0;

  constructor(
    private readonly redis: RedisConnections,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.reader = this.redis.openBlocking('usage');
    this.reading = this.read(this.reader);
    this.timer = setInterval(() => void this.tick(), TICK_MS);
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.timer);
    this.subscribers.clear();
    this.reader?.disconnect();
    await this.reading;
  }

  get subscriberCount(): number {
    return this.subscribers.size;
  }

  /** Returns the last minute and a function that ends the subscription. */
  subscribe(subscriber: (frame: LiveFrame) => void): { history: LiveFrame[]; unsubscribe: () => void } {
    this.subscribers.add(subscriber);
    return {
      history: this.window.history(),
      unsubscribe: () => {
        this.subscribers.delete(subscriber);
      },
    };
  }

  /** Calls the listener with each frame once. @returns a function that removes the listener */
  onFrame(listener: (frame: UsageFrame) => void): () => void {
    this.frameListeners.add(listener);
    return () => {
      this.frameListeners.delete(listener);
    };
  }

  private async read(redis: BlockingConnection): Promise<void> {
    const { signal } = this.stopping;
    let lastId = `${Date.now() - WINDOW_SECONDS * 1000}-0`;
    while (!signal.aborted) {
      try {
        const read = await readUsageFrames(redis, lastId, BLOCK_MS);
        lastId = read.lastId;
        for (const frame of read.frames) if (this.seen.take(frame)) this.take(frame);
      } catch (error) {
        if (signal.aborted) return;
        this.log.debug({ error: String(error) }, 'usage stream not read');
        await delay(RETRY_AFTER_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private take(frame: UsageFrame): void {
    this.window.add(frame, Date.now());
    for (const listener of this.frameListeners) listener(frame);
  }

  private async tick(): Promise<void> {
    if (this.subscribers.size > 0) {
      this.nodes = await this.countNodes().catch(() => this.nodes);
    }
    for (const frame of this.window.take(Date.now(), this.nodes)) {
      for (const subscriber of this.subscribers) subscriber(frame);
    }
  }

  private async countNodes(): Promise<number> {
    const nowMs = Date.now();
    const reports = await readNodeReports(this.redis.config);
    return reports.filter((report) => !isStale(report, nowMs)).length;
  }
}
