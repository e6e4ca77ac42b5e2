import { write, writeSync } from 'node:fs';

/** Further lines are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;
const MAX_WRITE_BYTES = 64 * 1024;

/** Delay before a failed write is retried, ms; other errors lose the lines. */
const RETRY_AFTER_MS: Readonly<Record<string, number>> = {
  EAGAIN: 50,
  EBUSY: 50,
  EINTR: 0,
  ENOSPC: 1000,
  EDQUOT: 1000,
};

/** Writes log lines to a file descriptor without blocking, throwing or ending the process. @see README.md */
export class LogDestination {
  droppedLines = 0;
  /** A full pipe is not a failure. */
  writeErrors = 0;
  /** Whether the outcome of a write is unknown: its lines may be written. */
  isWriting = false;
  private unreported = 0;
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  /** Bytes of the current write or its retry. */
  private current: Buffer | undefined;

  constructor(
    private readonly fd: number,
    public describeDropped = (count: number) =>
      JSON.stringify({ level: 'warn', time: new Date().toISOString(), count, msg: 'log lines dropped' }),
    private readonly beforeWrite: () => void = () => undefined,
  ) {}

  /** Whether every line was written or dropped. */
  get isIdle(): boolean {
    return this.current === undefined;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.waitingBytes + bytes.length > MAX_WAITING_BYTES) {
      this.drop(bytes);
      return;
    }
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    if (this.current === undefined) this.writeNext();
  }

  private drop(bytes: Buffer): void {
    const lines = countLines(bytes);
    this.droppedLines += lines;
    this.unreported += lines;
  }

  private writeNext(): void {
    this.current = this.takeWaiting();
    if (this.current !== undefined) this.writeCurrent(this.current);
  }

  private takeWaiting(): Buffer | undefined {
    if (this.waiting.length === 0) return undefined;
    let count = 0;
    let bytes = 0;
    for (const { length } of this.waiting) {
      if (count > 0 && bytes + length > MAX_WRITE_BYTES) break;
      bytes += length;
      count++;
    }
    this.waitingBytes -= bytes;
    return Buffer.concat(this.waiting.splice(0, count));
  }

  private writeCurrent(bytes: Buffer): void {
    this.beforeWrite();
    this.isWriting = true;
    write(this.fd, bytes, 0, bytes.length, null, (error, written) => {
      this.isWriting = false;
      if (error === null) this.written(bytes, written);
      else this.failed(bytes, error.code ?? '');
    });
  }

  private written(bytes: Buffer, count: number): void {
    if (count < bytes.length) {
      this.current = bytes.subarray(count);
      this.writeCurrent(this.current);
      return;
    }
    this.reportDropped();
    this.writeNext();
  }

  /** Readers cannot see that lines are missing. */
  private reportDropped(): void {
    if (this.unreported === 0) return;
    const count = this.unreported;
    this.unreported = 0;
    const line = Buffer.from(`${this.describeDropped(count)}\n`);
    this.waiting.push(line);
    this.waitingBytes += line.length;
  }

  private failed(bytes: Buffer, code: string): void {
    if (code !== 'EAGAIN') this.writeErrors++;
    const retryMs = RETRY_AFTER_MS[code];
    if (retryMs === undefined) {
      this.drop(bytes);
      // The next line triggers the next attempt: a closed reader may never return.
      this.current = undefined;
      return;
    }
    setTimeout(() => this.writeCurrent(bytes), retryMs).unref();
  }

  /** One attempt at exit; never waits, because pipes are non-blocking and a full disk fails at once. */
  writeRest(): void {
    const rest = Buffer.concat([...(this.current === undefined ? [] : [this.current]), ...this.waiting]);
    try {
      this.beforeWrite();
      for (let at = 0; at < rest.length; ) at += writeSync(this.fd, rest, at);
    } catch {
      // There is no destination left for this error.
    }
  }
}

let standard: LogDestination | undefined;

/** Standard output, written in the background; the last `describeDropped` counts. Errors of the standard streams no longer end the process. */
export function standardOutput(describeDropped?: (count: number) => string): LogDestination {
  if (standard !== undefined && describeDropped !== undefined) standard.describeDropped = describeDropped;
  if (standard === undefined) {
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
    const destination = new LogDestination(1, describeDropped, makeNonBlocking);
    process.once('exit', () => destination.writeRest());
    standard = destination;
  }
  return standard;
}

/**
 * Makes a pipe or socket non-blocking. Repeated for each write, because the mode is shared: starting or ending another
 * process (a cluster worker) resets it.
 */
function makeNonBlocking(): void {
  if (process.stdout.isTTY) return; // a terminal belongs to the shell too
  const { _handle } = process.stdout as { _handle?: { setBlocking?(isBlocking: boolean): number } };
  _handle?.setBlocking?.(false);
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++;
  return Math.max(1, lines);
}
