import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Redis } from 'ioredis';
import * as z from 'zod';
import { Log } from './log.js';
import { RedisConnections } from './redis.js';
import { readJson } from './text.js';

const CHANNEL = 'tg:events';

/** Announces that something exists; subscribers read it in their own scope. */
const eventSchema = z.object({ topic: z.enum(['notice']), id: z.string() });

export type BusEvent = z.infer<typeof eventSchema>;
type Listener = (event: BusEvent) => void;

/**
 * Sends events to all processes of the control plane. Events are not stored: a stream misses a lost event, but its
 * data is in the database.
 */
@Injectable()
export class EventBus implements OnApplicationBootstrap {
  private readonly listeners = new Set<Listener>();

  constructor(
    private readonly redis: RedisConnections,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    const connection = this.redis.openBlocking('events');
    connection.on('message', (_channel, text) => this.hear(text));
    // At each connection: without an offline queue, one that is to come takes no commands.
    connection.on('ready', () => void this.listenOn(connection));
  }

  /** Never rejects. */
  async tell(event: BusEvent): Promise<void> {
    await this.redis.config.publish(CHANNEL, JSON.stringify(event)).catch((error: unknown) => {
      this.log.debug({ error: String(error) }, 'An event could not be told');
    });
  }

  /** @returns a function that unsubscribes */
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  private async listenOn(connection: Redis): Promise<void> {
    await connection.subscribe(CHANNEL).catch((error: unknown) => {
      this.log.debug({ error: String(error) }, 'Events cannot be heard');
    });
  }

  private hear(text: string): void {
    const event = eventSchema.safeParse(readJson(text));
    if (!event.success) return;
    for (const listener of this.listeners) listener(event.data);
  }
}
