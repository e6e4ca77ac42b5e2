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
