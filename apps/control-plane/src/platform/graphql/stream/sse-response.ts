import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** Below what proxies take for a dead connection. */
const HEARTBEAT_MS = 12_000;

/** A reader that takes nothing for so long is gone. */
const STALLED_AFTER_MS = 30_000;

/**
 * A response in the protocol of graphql-sse, one operation to a connection: `next` events with results, then `complete`.
 * https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
 */
export class SseResponse {
  private readonly raw: ServerResponse;
  private readonly closing = new AbortController();
  private readonly heartbeat: NodeJS.Timeout;

  constructor(reply: FastifyReply) {
    reply.hijack();
    this.raw = reply.raw;
    this.heartbeat = setInterval(() => this.beat(), HEARTBEAT_MS);
    this.raw.on('close', () => this.stop());
    if (this.raw.destroyed) {
      this.stop();
      return;
    }
    this.raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
    });
    // Some browsers show a response only once something of it has come.
    this.raw.write(':\n\n');
  }

  /** Aborted when either side ends it. */
  get closed(): AbortSignal {
    return this.closing.signal;
  }

  /** Resolves once the reader has room for more. */
  async next(result: object): Promise<void> {
    if (this.closed.aborted) return;
    if (this.raw.write(`event: next\ndata: ${JSON.stringify(result)}\n\n`)) return;
    const signal = AbortSignal.any([this.closed, AbortSignal.timeout(STALLED_AFTER_MS)]);
    await once(this.raw, 'drain', { signal }).catch(() => this.raw.destroy());
  }

  complete(): void {
    if (!this.closed.aborted) this.raw.end('event: complete\ndata: null\n\n');
    this.stop();
  }

  /** Cuts the connection, after which the reader connects again; after `complete` it would not. */
  abort(): void {
    this.raw.destroy();
    this.stop();
  }

  private beat(): void {
    if (!this.raw.writableNeedDrain) this.raw.write(':\n\n');
  }

  private stop(): void {
    clearInterval(this.heartbeat);
    this.closing.abort();
  }
}
