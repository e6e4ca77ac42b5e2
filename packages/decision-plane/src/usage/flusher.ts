const FLUSH_EVERY_MS = 1000;

/** Writes once a second, and at the end; one write at a time. */
export abstract class Flusher {
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();

  start(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  /** After a failure, the rest is written next time. Never rejects. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.write());
    return this.flushing;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  /** Must not reject. */
  protected abstract write(): Promise<void>;
}
