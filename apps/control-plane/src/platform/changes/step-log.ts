import type { Tx } from '../prisma/database.js';
import type { Done } from './outcome.js';

/**
 * What the changes of one request did, written down in their own transactions: a request that is sent again after a crash
 * meets its own steps instead of making them once more.
 */
export interface StepLog {
  /** The next change of this request; its place among the others is its name. */
  next(): Step;
}

export interface Step {
  /**
   * Claims the step for this transaction; another one that has it is waited for.
   * @returns what it did, when it is done already
   */
  begin<T>(tx: Tx): Promise<Done<T> | undefined>;
  /** Writes down what it did; commits with it. */
  finish<T>(tx: Tx, done: Done<T>): Promise<void>;
}
