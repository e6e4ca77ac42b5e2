import pg from 'pg';

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
