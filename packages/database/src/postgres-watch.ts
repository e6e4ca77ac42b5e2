import { type Socket } from 'node:net';
import pg from 'pg';

/** A late tick counts once: a stall of this process does not count as silence of Postgres. */
const TICK_MS = 250;

/** Ticks without data from Postgres, while a connection waits, before it is probed. */
const SILENT_TICKS = 8;

/** Ticks that a probe may take. */
const PROBE_TICKS = 10;

/** Minimum time between probes while Postgres is unavailable. */
const PAUSE_MS = 500;

export interface WatchedConnection {
  readonly bytesRead: number;
  /** Fails current and later queries. */
  abandon(error: Error): void;
}

/**
 * Distinguishes a slow Postgres from an unreachable one (frozen, or behind a network that drops packets). If no
 * connection receives data for two seconds while one waits, a separate connection probes Postgres. Without an answer,
 * all waiting queries fail and new connections are rejected until a probe succeeds. Probes run only on demand.
 */
export class PostgresWatch {
  private readonly open = new Set<WatchedConnection>();
  /** Waiting connections with `bytesRead` at the last tick. */
  private readonly waiting = new Map<WatchedConnection, number>();
  private ticking: NodeJS.Timeout | undefined;
  private silentTicks = 0;
  private hasAnswered = false;
  private isAway = false;
  private probing: Promise<void> | undefined;
  private probedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly connectionString: string) {}

  /** @throws Error `ETIMEDOUT` while Postgres is unavailable, after a probe if one is due */
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

  asked(connection: WatchedConnection): void {
    this.waiting.set(connection, connection.bytesRead);
    this.ticking ??= setInterval(() => setImmediate(() => this.look()), TICK_MS).unref();
  }

  answered(connection: WatchedConnection): void {
    this.hasAnswered = true;
    this.waiting.delete(connection);
  }

  /** Runs after pending socket events, so that a stall of this process does not count as silence. */
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

/** Same error as from the socket, which callers of the driver know. */
export function noAnswer(): Error {
  const facts = { code: 'ETIMEDOUT', syscall: 'read', errno: -110 };
  return Object.assign(new Error('Postgres gives no answer'), facts);
}

/**
 * An error of Postgres, such as too many connections, is an answer too; one of class 08 is from a pooler without Postgres.
 * A pooler completes the connection itself, so only a statement reaches Postgres.
 */
async function isThere(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, application_name: 'tollgate-watch' });
  client.on('error', ignoreEnd);
  let ticks = 0;
  const ticking = setInterval(() => {
    if (++ticks === PROBE_TICKS) client.connection.stream.destroy(noAnswer());
  }, TICK_MS);
  try {
    await client.connect();
    await client.query('SELECT 1');
    void client.end().catch(() => undefined);
    return true;
  } catch (error) {
    return error instanceof pg.DatabaseError && error.code?.startsWith('08') !== true;
  } finally {
    clearInterval(ticking);
  }
}

/** A session may end in the packet that opens it, before its user can listen. Its statements then fail. */
const ignoreEnd = () => undefined;

/** Maximum time to connect while Postgres answers on other connections. */
const CONNECT_LIMIT_MS = 5000;

/** Connections for a pool that fail instead of waiting while {@link PostgresWatch} finds Postgres unavailable. */
export function watchedClient(watch: PostgresWatch): typeof pg.Client {
  return class WatchedClient extends pg.Client implements WatchedConnection {
    private asked = 0;
    private lost: Error | undefined;

    // biome-ignore lint/suspicious/noExplicitAny: the driver's options, as the pool passes them on.
    constructor(options: any) {
      // As an option of the pool, it would also limit the wait for a connection.
      // Prisma reads relations concurrently in a transaction: pg allows that in a pipeline only.
      super({ ...options, connectionTimeoutMillis: CONNECT_LIMIT_MS, pipeline: true });
      this.on('error', ignoreEnd);
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
        const query = super.query as (...all: unknown[]) => Promise<unknown>;
        return await query.apply(this, asSingleStatement(args));
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

/**
 * Postgres then rejects a second statement in the same text, so injected SQL cannot add one, such as `LOCK TABLE`. The
 * driver would otherwise use the simple protocol, which runs all of them, for texts without parameters.
 */
function asSingleStatement([query, ...rest]: unknown[]): unknown[] {
  return typeof query === 'object' ? [{ ...query, queryMode: 'extended' }, ...rest] : [query, ...rest];
}

/** Maps the driver's errors of a lost connection to those of the socket. */
function asSocketError(error: unknown): unknown {
  if (!(error instanceof Error) || 'code' in error) return error;
  if (error.message === 'timeout expired') return noAnswer();
  if (!/Connection terminated|not queryable/.test(error.message)) return error;
  return Object.assign(error, { code: 'ECONNRESET', syscall: 'read', errno: -104 });
}
