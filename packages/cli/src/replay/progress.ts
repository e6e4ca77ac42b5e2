import { formatCount, formatTookMs } from './format.js';

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 5000;
const BAR_WIDTH = 16;

/** How far a replay has come. */
export interface ProgressState {
  lines: number;
  requests: number;
  refused: number;
  /** 0–1; undefined when the end is not known. */
  share: number | undefined;
  tookMs: number;
}

interface Terminal {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/** Shows progress while it runs: one line that is redrawn on a terminal, else a line now and then. */
export class Progress {
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly terminal: Terminal,
    private readonly state: () => ProgressState,
  ) {
    this.timer = setInterval(() => this.draw(), terminal.isTTY ? REDRAW_MS : PLAIN_LINE_MS);
    this.timer.unref();
  }

  /** Takes the line off the terminal again. */
  end(): void {
    clearInterval(this.timer);
    if (this.terminal.isTTY) this.terminal.write('\r\x1b[K');
  }

  private draw(): void {
    const text = formatProgress(this.state());
    const width = (this.terminal.columns ?? 80) - 1;
    this.terminal.write(this.terminal.isTTY ? `\r${text.slice(0, width)}\x1b[K` : `${text}\n`);
  }
}

/** `[#####-----]  42 %  4,200 lines, 1,234 refused, 2,050/s, 3 s left` */
export function formatProgress({ lines, requests, refused, share, tookMs }: ProgressState): string {
  const rate = tookMs > 0 ? Math.round((requests * 1000) / tookMs) : 0;
  const counts = `${formatCount(lines)} lines, ${formatCount(refused)} refused, ${formatCount(rate)}/s`;
  if (share === undefined) return counts;
  const filled = Math.round(share * BAR_WIDTH);
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}]`;
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  const left = share > 0 ? `, ${formatTookMs((tookMs * (1 - share)) / share)} left` : '';
  return `${bar} ${percent} %  ${counts}${left}`;
}
