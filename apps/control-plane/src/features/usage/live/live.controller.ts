import type { ServerResponse } from 'node:http';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '../../../config/app-config.js';
import { ActorSource, isPermitted } from '../../../platform/access/actor.js';
import { AccessChanges } from '../../../platform/access/current-actors.js';
import { RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { forbidden, overloaded } from '../../../platform/api-error.js';
import { allowedOrigins, isForeign } from '../../../platform/http/http-server.js';
import { runInScope } from '../../../platform/tenant-scope.js';
import { LiveFeed } from './live-feed.js';

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
    if (isForeign(request, this.allowed)) throw forbidden();
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
