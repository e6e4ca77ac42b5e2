import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Redis } from 'ioredis';
import * as z from 'zod';
import { Log } from './log.js';
import { RedisConnections } from './redis.js';
import { readJson } from './text.js';

const CHANNEL = 'tg:events';

/** Subscribers read the object in their own scope. */
const eventSchema = z.object({ topic: z.enum(['notice', 'simulation']), id: z.string() });

export type BusEvent = z.infer<typeof eventSchema>;
type Listener = (event: BusEvent) => void;

/** Broadcasts events to all processes. Events are not stored: a stream may miss one, but its data is in the database. */
@Injectable()
export class EventBus implements OnApplicationBootstrap {
  private readonly listeners = new Set<Listener>();

  constructor(
    private readonly redis: RedisConnections,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    const connection = this.redis.openBlocking('events');
    connection.on('message', (_channel, text) => this.receive(text));
    // On every connection, because there is no offline queue.
    connection.on('ready', () => void this.listenOn(connection));
  }

  async publish(event: BusEvent): Promise<void> {
    await this.redis.config.publish(CHANNEL, JSON.stringify(event)).catch((error: unknown) => {
      this.log.debug({ error: String(error) }, 'event not published');
    });
  }

  /** Returns a function that unsubscribes. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  private async listenOn(connection: Redis): Promise<void> {
    await connection.subscribe(CHANNEL).catch((error: unknown) => {
      this.log.debug({ error: String(error) }, 'event subscription failed');
    });
  }

  private receive(text: string): void {
    const event = eventSchema.safeParse(readJson(text));
    if (!event.success) return;
    for (const listener of this.listeners) listener(event.data);
  }
}
