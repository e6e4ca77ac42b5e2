import type { Prisma } from '@tollgate/database';
import type { Scope } from '../tenant-scope.js';

type Tx = Prisma.TransactionClient;

/** Longest wait for a read of the same request. After that, the waiting read opens another transaction. */
const MAX_TURN_MS = 250;

/** Runs `work` in a read-only transaction of `scope`. */
type Begin = (scope: Scope, work: (tx: Tx) => Promise<void>) => Promise<void>;

/**
 * Reads of a request that follow each other share a transaction, because opening one costs more than a read. It ends as soon as no
 * other read follows, so it does not hold a connection while the request waits for something else, and after a read that failed.
 */
export class SharedReads {
  private readonly transactions = new WeakMap<object, Set<ReadTransaction>>();

  constructor(private readonly begin: Begin) {}

  /** Runs `read` in an open transaction of `request` with this scope, else in a new one. */
  async run<T>(request: object, scope: Scope, read: (tx: Tx) => Promise<T>): Promise<T> {
    const open = this.transactions.get(request) ?? new Set();
    this.transactions.set(request, open);
    const shared = [...open].filter((transaction) => transaction.isOpenIn(scope));
    const transaction = shared.find(({ isBusy }) => !isBusy) ?? shared[0];
    if (transaction !== undefined && (await transaction.takeTurn())) return transaction.run(read);
    return this.open(open, scope, read);
  }

  private open<T>(open: Set<ReadTransaction>, scope: Scope, read: (tx: Tx) => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const transaction = new ReadTransaction(scope);
    open.add(transaction);
    const work = (tx: Tx) => {
      transaction.start(tx);
      transaction.run(read).then(resolve, reject);
      return transaction.ended;
    };
    // An error of the commit changes no result of a read.
    void this.begin(scope, work)
      .catch(reject)
      .finally(() => {
        open.delete(transaction);
        transaction.end();
      });
    return promise;
  }
}

export function isSameScope(one: Scope, other: Scope): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

class ReadTransaction {
  /** The first read has the first turn. */
  isBusy = true;
  private isOpen = true;
  private tx: Tx | undefined;
  private readonly waiting: ((isItsTurn: boolean) => void)[] = [];
  private readonly starting = Promise.withResolvers<void>();
  private readonly ending = Promise.withResolvers<void>();

  constructor(private readonly scope: Scope) {}

  /** Rejects with the error of a read that failed. */
  get ended(): Promise<void> {
    return this.ending.promise;
  }

  isOpenIn(scope: Scope): boolean {
    return this.isOpen && isSameScope(this.scope, scope);
  }

  start(tx: Tx): void {
    this.tx = tx;
    this.starting.resolve();
  }

  /** False: the transaction has ended, or another read takes too long. */
  async takeTurn(): Promise<boolean> {
    await this.starting.promise;
    if (!this.isOpen) return false;
    if (this.isBusy) return this.waitForTurn();
    this.isBusy = true;
    return true;
  }

  /** Requires the turn, and ends it. */
  async run<T>(read: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await read(this.tx as Tx);
    } catch (error) {
      this.end(error);
      throw error;
    } finally {
      this.passTurn();
    }
  }

  end(error?: unknown): void {
    this.isOpen = false;
    this.starting.resolve();
    if (error === undefined) this.ending.resolve();
    else this.ending.reject(error);
    for (const enter of this.waiting.splice(0)) enter(false);
  }

  private passTurn(): void {
    const next = this.waiting.shift();
    next?.(true);
    this.isBusy = next !== undefined;
    if (this.isBusy) return;
    // Reads that follow begin before the event loop goes on.
    setImmediate(() => {
      if (!this.isBusy) this.end();
    });
  }

  private waitForTurn(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const enter = (isItsTurn: boolean) => {
      clearTimeout(timer);
      resolve(isItsTurn);
    };
    const timer = setTimeout(() => {
      this.waiting.splice(this.waiting.indexOf(enter), 1);
      resolve(false);
    }, MAX_TURN_MS);
    this.waiting.push(enter);
    return promise;
  }
}
