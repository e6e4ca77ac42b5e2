/** What a reader that is slow may leave unread; what comes beyond it pushes out the oldest. */
const MAX_WAITING = 100;

/**
 * What a subscription's source hands out: pushed from anywhere, read one by one, ended from either side at once. Unlike a
 * generator it can be ended while somebody waits for its next event.
 */
export class EventQueue<T> implements AsyncIterableIterator<T> {
  private readonly waiting: T[] = [];
  private reader: ((result: IteratorResult<T>) => void) | undefined;
  private isEnded = false;

  /** @param onEnd stops whatever pushes; called once */
  constructor(private readonly onEnd: () => void) {}

  push(value: T): void {
    if (this.isEnded) return;
    if (this.reader !== undefined) {
      this.reader({ done: false, value });
      this.reader = undefined;
      return;
    }
    this.waiting.push(value);
    if (this.waiting.length > MAX_WAITING) this.waiting.shift();
  }

  /** No more will come; what waits is still read. */
  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.reader?.({ done: true, value: undefined });
    this.reader = undefined;
    this.onEnd();
  }

  next(): Promise<IteratorResult<T>> {
    const value = this.waiting.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.isEnded) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      this.reader = resolve;
    });
  }

  /** The reader leaves. */
  return(): Promise<IteratorResult<T>> {
    this.waiting.length = 0;
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
