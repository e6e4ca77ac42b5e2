import type { Socket } from 'node:net';
import { OneAtATimeClient } from './one-at-a-time-client.js';
import { noAnswer, type PostgresWatch, type WatchedConnection } from './postgres-watch.js';

/** How long it may take until a connection is there, while Postgres answers on others. */
const CONNECT_LIMIT_MS = 5000;

/** The class of connections, for a pool, that fail instead of waiting where {@link PostgresWatch} finds Postgres gone. */
export function watchedClient(watch: PostgresWatch): typeof OneAtATimeClient {
  return class WatchedClient extends OneAtATimeClient implements WatchedConnection {
    private asked = 0;
    private lost: Error | undefined;

    // biome-ignore lint/suspicious/noExplicitAny: the driver's options, as the pool passes them on.
    constructor(options: any) {
      // Not the pool's: there it would also be how long a request may wait for its turn.
      super({ ...options, connectionTimeoutMillis: CONNECT_LIMIT_MS });
      this.once('end', () => watch.closed(this));
    }

    get bytesRead(): number {
      return (this.connection.stream as Socket).bytesRead;
    }

    abandon(error: Error): void {
      this.lost = error;
      this.connection.stream.destroy(error);
    }

    // biome-ignore lint/suspicious/noExplicitAny: the driver's overloads; a pool gives a callback.
    override connect(callback?: any): any {
      const connected = this.connectWatched();
      if (callback === undefined) return connected;
      connected.then(
        () => callback(null, this),
        (error) => callback(error),
      );
    }

    // biome-ignore lint/suspicious/noExplicitAny: the driver's overloads, passed on as they come.
    override query(...args: any[]): any {
      const callback = args.at(-1);
      if (typeof callback !== 'function') return this.ask(args);
      this.ask(args.slice(0, -1)).then(
        (result) => callback(null, result),
        (error) => callback(error),
      );
    }

    private async ask(args: unknown[]): Promise<unknown> {
      if (this.lost !== undefined) throw this.lost;
      this.wait();
      try {
        return await super.query(...args);
      } catch (error) {
        throw this.lost ?? asSocketError(error);
      } finally {
        this.stopWaiting();
      }
    }

    private async connectWatched(): Promise<void> {
      await watch.admit();
      watch.opened(this);
      this.wait();
      try {
        await super.connect();
      } catch (error) {
        watch.closed(this);
        throw asSocketError(error);
      } finally {
        this.stopWaiting();
      }
    }

    private wait(): void {
      this.asked += 1;
      if (this.asked === 1) watch.asked(this);
    }

    private stopWaiting(): void {
      this.asked -= 1;
      if (this.asked === 0) watch.answered(this);
    }
  };
}

/** What the driver says in words of its own of a connection that is gone, as the socket would say it. */
function asSocketError(error: unknown): unknown {
  if (!(error instanceof Error) || 'code' in error) return error;
  if (error.message === 'timeout expired') return noAnswer();
  if (!/Connection terminated|not queryable/.test(error.message)) return error;
  return Object.assign(error, { code: 'ECONNRESET', syscall: 'read', errno: -104 });
}
