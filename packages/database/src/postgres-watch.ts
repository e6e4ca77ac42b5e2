import { type Socket } from 'node:net';
import pg from 'pg';

/** Time goes by in ticks: one that is late because this process stood still counts once. */
const TICK_MS = 250;

/** Ticks without a word from Postgres on any connection, while one waits, until it is asked whether it is there. */
const SILENT_TICKS = 8;

/** Ticks that it has for an answer. */
const PROBE_TICKS = 10;

/** How long it is taken to be away without being asked again. */
const PAUSE_MS = 500;

/** A connection to Postgres, as far as it is watched. */
export interface WatchedConnection {
  /** Bytes that came from Postgres so far. */
  readonly bytesRead: number;
  /** Fails what is under way on it, and whatever is asked of it later. */
  abandon(error: Error): void;
}

/**
 * Tells a Postgres that is slow from one that is gone without a word: frozen, or behind a network that swallows everything.
 *
 * A long statement is none of its business. Only where nothing at all comes back for two seconds, Postgres is asked on a
 * connection of its own; where that gets no answer either, whatever waits fails, and new connections are refused at once
 * until one gets an answer. Asked for again, it is asked again: nothing runs while nobody waits.
 */
export class PostgresWatch {
  private readonly open = new Set<WatchedConnection>();
  /** Connections that wait for an answer, with what they had heard when they were last looked at. */
  private readonly waiting = new Map<WatchedConnection, number>();
  private ticking: NodeJS.Timeout | undefined;
  private silentTicks = 0;
  private hasAnswered = false;
  private isAway = false;
  private probing: Promise<void> | undefined;
  private probedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly connectionString: string) {}

  /** @throws Error `ETIMEDOUT` while Postgres is away, after asking it once more where that is due */
  async admit(): Promise<void> {
    if (!this.isAway) return;
    if (this.probing !== undefined || performance.now() - this.probedAtMs >= PAUSE_MS) await this.probe();
    if (this.isAway) throw noAnswer();
  }

  opened(connection: WatchedConnection): void {
    this.open.add(connection);
  }

  closed(connection: WatchedConnection): void {
    this.open.delete(connection);
    this.waiting.delete(connection);
  }

  /** Something was asked on `connection`. */
  asked(connection: WatchedConnection): void {
    this.waiting.set(connection, connection.bytesRead);
    this.ticking ??= setInterval(() => setImmediate(() => this.look()), TICK_MS).unref();
  }

  /** Nothing is asked on `connection` any more. */
  answered(connection: WatchedConnection): void {
    this.hasAnswered = true;
    this.waiting.delete(connection);
  }

  /** Comes after what the sockets had to say: a process that stood still does not take that for Postgres' silence. */
  private look(): void {
    let isHeard = this.hasAnswered;
    this.hasAnswered = false;
    for (const [connection, before] of this.waiting) {
      if (connection.bytesRead === before) continue;
      this.waiting.set(connection, connection.bytesRead);
      isHeard = true;
    }
    if (this.waiting.size === 0) {
      clearInterval(this.ticking);
      this.ticking = undefined;
    }
    this.silentTicks = isHeard || this.waiting.size === 0 ? 0 : this.silentTicks + 1;
    if (this.silentTicks >= SILENT_TICKS) void this.probe();
  }

  private probe(): Promise<void> {
    this.probing ??= isThere(this.connectionString).then((answers) => {
      this.probing = undefined;
      this.probedAtMs = performance.now();
      this.silentTicks = 0;
      this.isAway = !answers;
      if (answers) return;
      for (const connection of this.open) connection.abandon(noAnswer());
    });
    return this.probing;
  }
}

/** As the socket would say it, which is how the driver's callers know it. */
export function noAnswer(): Error {
  const facts = { code: 'ETIMEDOUT', syscall: 'read', errno: -110 };
  return Object.assign(new Error('Postgres gives no answer'), facts);
}

/** Whether Postgres says anything at all: that it has no room for one more connection is an answer too. */
async function isThere(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, application_name: 'tollgate-watch' });
  let ticks = 0;
  const ticking = setInterval(() => {
    if (++ticks === PROBE_TICKS) client.connection.stream.destroy(noAnswer());
  }, TICK_MS);
  try {
    await client.connect();
    void client.end().catch(() => undefined);
    return true;
  } catch (error) {
    return error instanceof pg.DatabaseError;
  } finally {
    clearInterval(ticking);
  }
}

/**
 * A connection that is given one statement at a time, in the order in which they were asked for.
 *
 * Prisma reads several relations of a record side by side, in a transaction all on its one connection. The driver puts them
 * in a queue of its own today and warns that it will refuse them (pg 9).
 */
export class OneAtATimeClient extends pg.Client {
  private turn: Promise<unknown> = Promise.resolve();

  // biome-ignore lint/suspicious/noExplicitAny: the driver's overloads, passed on as they come.
  override query(...args: any[]): any {
    const ask = () => (super.query as (...all: unknown[]) => unknown).apply(this, args);
    // The pool's own queries: one to a connection, and answered by a callback.
    if (typeof args.at(-1) === 'function') return ask();
    const result = this.turn.then(ask);
    this.turn = result.catch(() => undefined);
    return result;
  }
}

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
