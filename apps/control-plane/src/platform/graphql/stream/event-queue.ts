/** When full, the oldest event is dropped. */
const MAX_BUFFERED = 100;

/** Buffered source of a subscription. Unlike a generator it can be ended while a `next()` is pending. */
export class EventQueue<T> implements AsyncIterableIterator<T> {
  private readonly buffer: T[] = [];
  private reader: ((result: IteratorResult<T>) => void) | undefined;
  private isEnded = false;

  /** @param onEnd stops the producer; called once */
  constructor(private readonly onEnd: () => void) {}

  push(value: T): void {
    if (this.isEnded) return;
    if (this.reader !== undefined) {
      this.reader({ done: false, value });
      this.reader = undefined;
      return;
    }
    this.buffer.push(value);
    if (this.buffer.length > MAX_BUFFERED) this.buffer.shift();
  }

  /** Ends the stream after the buffered events. */
  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.reader?.({ done: true, value: undefined });
    this.reader = undefined;
    this.onEnd();
  }

  next(): Promise<IteratorResult<T>> {
    const value = this.buffer.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.isEnded) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      this.reader = resolve;
    });
  }

  /** Ends the stream and drops buffered events. */
  return(): Promise<IteratorResult<T>> {
    this.buffer.length = 0;
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
