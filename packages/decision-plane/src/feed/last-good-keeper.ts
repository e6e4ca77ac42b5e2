import type { LastGood, LastGoodFile } from './last-good-file.js';

/** Changes that come close together are written to disk once. */
const SAVE_AFTER_MS = 1000;

/** Of its time, a node spends one part in so many on writing, however much there is to write. */
const REST_FACTOR = 20;

export interface LastGoodKeeperOptions {
  file: LastGoodFile;
  /** What is in force; undefined before the first policy. */
  content: () => LastGood | undefined;
  onError: (message: string, error: unknown) => void;
}

/** Writes the last good policy to disk when there is something new to it. */
export class LastGoodKeeper {
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private restMs = SAVE_AFTER_MS;
  private closed = false;

  constructor(private readonly options: LastGoodKeeperOptions) {}

  /** Within a second; the longer the last write took, the later. */
  saveSoon(): void {
    if (this.timer !== undefined || this.closed) return;
    this.timer = setTimeout(() => void this.save(), this.restMs);
    this.timer.unref();
  }

  /** Writes what is still to be written. */
  async close(): Promise<void> {
    this.closed = true;
    if (this.timer === undefined) return this.writing;
    clearTimeout(this.timer);
    await this.save();
  }

  private save(): Promise<void> {
    this.timer = undefined;
    this.writing = this.writing.then(async () => {
      const content = this.options.content();
      if (content === undefined) return;
      const startMs = performance.now();
      try {
        await this.options.file.write(content);
      } catch (error) {
        this.options.onError('cannot save the last good policy', error);
      }
      this.restMs = Math.max(SAVE_AFTER_MS, (performance.now() - startMs) * REST_FACTOR);
    });
    return this.writing;
  }
}
