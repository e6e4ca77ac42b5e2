const REDRAW_MS = 100;
const PLAIN_LINE_MS = 5000;

interface Terminal {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/** Redraws one line on a terminal, else prints a line every five seconds. */
export class Progress {
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly terminal: Terminal,
    private readonly text: () => string,
  ) {
    this.timer = setInterval(() => this.draw(), terminal.isTTY ? REDRAW_MS : PLAIN_LINE_MS);
    this.timer.unref();
  }

  end(): void {
    clearInterval(this.timer);
    if (this.terminal.isTTY) this.terminal.write('\r\x1b[K');
  }

  private draw(): void {
    const text = this.text();
    const width = (this.terminal.columns ?? 80) - 1;
    this.terminal.write(this.terminal.isTTY ? `\r${text.slice(0, width)}\x1b[K` : `${text}\n`);
  }
}
