import { AsyncLocalStorage } from 'node:async_hooks';
import { outOfTime } from '../api-error.js';

interface Operation {
  used: number;
  /** Waiting for a connection, oldest first. */
  readonly waiting: (() => void)[];
}

/**
 * Bounds the connections of one operation: when its statements wait, such as for a locked table, the others of the pool still serve
 * other operations.
 */
export class OperationSlots {
  private readonly operations = new Map<string, Operation>();
  /** Whether the caller holds a connection: waiting for a second one could wait for itself. */
  private readonly holds = new AsyncLocalStorage<boolean>();

  constructor(private readonly maxPerOperation: number) {}

  /**
   * Runs `work`, which uses one connection, when the operation may have a further one.
   * @param name undefined: without a bound
   * @throws ApiError UNAVAILABLE if it had to wait longer than `maxWaitMs`
   */
  async run<T>(name: string | undefined, maxWaitMs: number, work: () => Promise<T>): Promise<T> {
    if (name === undefined || this.holds.getStore() === true) return work();
    const operation = this.operations.get(name) ?? { used: 0, waiting: [] };
    this.operations.set(name, operation);
    if (operation.used < this.maxPerOperation) operation.used += 1;
    else await waitIn(operation, maxWaitMs);
    try {
      return await this.holds.run(true, work);
    } finally {
      const next = operation.waiting.shift();
      if (next !== undefined) next();
      else operation.used -= 1;
      if (operation.used === 0) this.operations.delete(name);
    }
  }
}

function waitIn({ waiting }: Operation, maxWaitMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const enter = () => {
    clearTimeout(timer);
    resolve();
  };
  const timer = setTimeout(() => {
    waiting.splice(waiting.indexOf(enter), 1);
    reject(outOfTime());
  }, maxWaitMs);
  waiting.push(enter);
  return promise;
}
