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

/** What a reader that does not keep up may leave unread before it is cut off. */
const MAX_UNREAD_BYTES = 256 * 1024;

/** Each watcher holds a connection; more than this is not people looking. */
const MAX_SUBSCRIBERS = 500;

/** The live view: decisions per second, as server-sent events. */
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
    if (this.feed.subscriberCount >= MAX_SUBSCRIBERS) throw overloaded('Too many people watch already.');
    reply.hijack();
    const { raw } = reply;
    // Gone while the guard asked who it is: nothing would ever say again that this watcher left.
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

  /** Also looks whether the session still may watch: a stream outlives many changes of rights. */
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
