import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import {
  Controller,
  Get,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  Req,
  Res,
} from '@nestjs/common';
import type { UsageFrame } from '@tollgate/contracts';
import { isStale, readNodeReports, readUsageFrames } from '@tollgate/decision-plane/internals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '../../../config/app-config.js';
import { ActorSource, isPermitted } from '../../../platform/access/actor.js';
import { AccessChanges } from '../../../platform/access/current-actors.js';
import { RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { foreignOrigin, overloaded } from '../../../platform/api-error.js';
import { allowedOrigins, isForeign } from '../../../platform/http/http-server.js';
import { Log } from '../../../platform/log.js';
import { type BlockingConnection, RedisConnections } from '../../../platform/redis.js';
import { runInScope } from '../../../platform/tenant-scope.js';
import { type LiveFrame, LiveWindow, SeenFrames, WINDOW_SECONDS } from './live-window.js';

const BLOCK_MS = 1000;
const RETRY_AFTER_MS = 500;
const TICK_MS = 1000;

export interface LiveSubscriber {
  next(frame: LiveFrame): void;
  /** Called when the process stops. */
  end(): void;
}

/** Reads the usage stream once per process and distributes it to all viewers. */
@Injectable()
export class LiveFeed implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly subscribers = new Set<LiveSubscriber>();
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
    for (const subscriber of this.subscribers) subscriber.end();
    this.subscribers.clear();
    this.reader?.disconnect();
    await this.reading;
  }

  get subscriberCount(): number {
    return this.subscribers.size;
  }

  /** Returns the last minute and a function that ends the subscription. */
  subscribe(subscriber: LiveSubscriber): { history: LiveFrame[]; unsubscribe: () => void } {
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
      for (const subscriber of this.subscribers) subscriber.next(frame);
    }
  }

  private async countNodes(): Promise<number> {
    const nowMs = Date.now();
    const reports = await readNodeReports(this.redis.config);
    return reports.filter((report) => !isStale(report, nowMs)).length;
  }
}

const HEARTBEAT_MS = 15_000;

/** Unread bytes at which a slow viewer is disconnected. */
const MAX_UNREAD_BYTES = 256 * 1024;

/** Open connections per process. */
const MAX_SUBSCRIBERS = 500;

/** Decisions per second as server-sent events. */
@Controller('live')
export class LiveController {
  private readonly allowed: string[];

  constructor(
    private readonly feed: LiveFeed,
    private readonly actors: ActorSource,
    private readonly access: AccessChanges,
    config: AppConfig,
  ) {
    this.allowed = allowedOrigins(config);
  }

  @RequirePermission('live:read')
  @Get('decisions')
  stream(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    if (isForeign(request, this.allowed)) throw foreignOrigin();
    if (this.feed.subscriberCount >= MAX_SUBSCRIBERS) throw overloaded('Too many viewers. Try again later.');
    reply.hijack();
    const { raw } = reply;
    // The viewer disconnected during authentication; no further event would report it.
    if (raw.destroyed) return;
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
    });
    const { history, unsubscribe } = this.feed.subscribe({
      next: (frame) => send(raw, `data: ${JSON.stringify(frame)}\n\n`),
      end: () => raw.end(),
    });
    send(raw, `event: history\ndata: ${JSON.stringify(history)}\n\n`);
    const look = () => void this.keepAlive(request, raw);
    const heartbeat = setInterval(look, HEARTBEAT_MS);
    const deafen = this.access.listen(look);
    raw.on('close', () => {
      clearInterval(heartbeat);
      deafen();
      unsubscribe();
    });
  }

  /** Also checks that the session may still view the feed. */
  private async keepAlive(request: FastifyRequest, raw: ServerResponse): Promise<void> {
    const actor = await runInScope('accounts', () => this.actors.findActor(request.headers)).catch(
      () => undefined,
    );
    if (actor !== undefined && isPermitted(actor, 'live:read')) send(raw, ': alive\n\n');
    else raw.end();
  }
}

function send(raw: ServerResponse, text: string): void {
  if (raw.writableEnded || raw.destroyed) return;
  raw.write(text);
  if (raw.writableLength > MAX_UNREAD_BYTES) raw.destroy();
}
