import sonicBoom from 'sonic-boom';

/** Further lines are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Delay before a failed write is retried; the next line retries it at once. */
const RETRY_FULL_PIPE_MS = 50;
const RETRY_MS = 1000;

/** Writes log lines to a file descriptor without blocking, throwing or ending the process. @see README.md */
export class LogDestination {
  droppedLines = 0;
  /** A full pipe is not a failure. */
  writeErrors = 0;
  private unreported = 0;
  private retry: NodeJS.Timeout | undefined;
  private readonly stream: sonicBoom.SonicBoom;

  constructor(
    fd: number,
    public describeDropped = (count: number) =>
      JSON.stringify({ level: 'warn', time: new Date().toISOString(), count, msg: 'log lines dropped' }),
    private readonly beforeWrite: () => void = () => undefined,
  ) {
    // Its own retry of a full pipe would keep the process alive, and wait for the reader at exit.
    this.stream = new sonicBoom.SonicBoom({
      fd,
      sync: false,
      maxLength: MAX_WAITING_BYTES,
      retryEAGAIN: () => false,
    })
      .on('drop', () => {
        this.droppedLines++;
        this.unreported++;
      })
      .on('error', (error: NodeJS.ErrnoException) => this.failed(error.code))
      .on('write', this.beforeWrite)
      .on('drain', () => this.reportDropped());
  }

  write(line: string): void {
    this.beforeWrite();
    this.stream.write(line);
  }

  /** Resolves with whether every line was written, once the writes in progress end. */
  flush(): Promise<boolean> {
    return new Promise((resolve) => this.stream.flush((error) => resolve(error === undefined)));
  }

  private failed(code: string | undefined): void {
    if (code !== 'EAGAIN') this.writeErrors++;
    this.retry ??= setTimeout(
      () => {
        this.retry = undefined;
        this.beforeWrite();
        this.stream.flush();
      },
      code === 'EAGAIN' ? RETRY_FULL_PIPE_MS : RETRY_MS,
    ).unref();
  }

  /** Readers cannot see that lines are missing. */
  private reportDropped(): void {
    if (this.unreported === 0) return;
    const count = this.unreported;
    this.unreported = 0;
    this.write(`${this.describeDropped(count)}\n`);
  }

  /** One attempt at exit; never waits, because pipes are non-blocking and a full disk fails at once. */
  writeRest(): void {
    try {
      this.beforeWrite();
      this.stream.flushSync();
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
