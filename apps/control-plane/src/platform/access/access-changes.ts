import { Global, Injectable, Module } from '@nestjs/common';
import { Log } from '../logging/log.js';
import { type BlockingConnection, RedisConnections } from '../redis/redis-connections.js';
import { CurrentActors } from './current-actors.js';

const CHANNEL = 'tg:access:changed';

/**
 * Tells every process that somebody may do less than before, so that what stays open (a live stream) is looked at again at
 * once. A word that gets lost is made up for by the streams' own heartbeats.
 */
@Injectable()
export class AccessChanges {
  private readonly listeners = new Set<() => void>();
  private subscriber: BlockingConnection | undefined;

  constructor(
    private readonly redis: RedisConnections,
    private readonly log: Log,
  ) {}

  /** Calls `listener` after each change until the returned function is called. */
  listen(listener: () => void): () => void {
    this.subscriber ??= this.subscribe();
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** Called after the change is committed. */
  async announce(): Promise<void> {
    this.dispatch();
    await this.redis.config.publish(CHANNEL, '').catch((error: unknown) => {
      this.log.warn({ error: String(error) }, 'Other processes were not told of a change of access');
    });
  }

  private subscribe(): BlockingConnection {
    const subscriber = this.redis.openBlocking('access');
    subscriber.on('message', () => this.dispatch());
    const ask = () =>
      subscriber.subscribe(CHANNEL).catch((error: unknown) => {
        this.log.debug({ error: String(error) }, 'Changes of access are not heard of');
      });
    subscriber.on('ready', () => void ask());
    return subscriber;
  }

  private dispatch(): void {
    for (const listener of this.listeners) listener();
  }
}

@Global()
@Module({ providers: [AccessChanges, CurrentActors], exports: [AccessChanges, CurrentActors] })
export class AccessChangesModule {}
