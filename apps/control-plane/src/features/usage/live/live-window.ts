import type { UsageFrame } from '@tollgate/contracts';
import { isDenied } from '../ingest/usage-fold.rules.js';

/** Nodes whose last frame is remembered; the least recent is dropped. */
const MAX_NODES = 1000;

/**
 * Detects repeated frames. A node rewrites a frame under the same number if it does not know whether it was written,
 * and never an earlier one, so the last number per node and epoch suffices.
 */
export class SeenFrames {
  private readonly last = new Map<string, number>();

  /** Returns whether the frame is new, and marks it as seen. */
  take({ nodeId, epoch, sequence }: Pick<UsageFrame, 'nodeId' | 'epoch' | 'sequence'>): boolean {
    const node = JSON.stringify([nodeId, epoch]);
    if (sequence <= (this.last.get(node) ?? 0)) return false;
    // Reinserted to keep the map ordered by last use.
    this.last.delete(node);
    this.last.set(node, sequence);
    if (this.last.size > MAX_NODES) this.last.delete(this.last.keys().next().value ?? '');
    return true;
  }
}

/** Length of the history for new viewers, and of the window of most denied tenants. */
export const WINDOW_SECONDS = 60;

const TOP_TENANTS = 10;

/** The decisions of one second. */
export interface LiveFrame {
  /** End of the second, Unix milliseconds. */
  atMs: number;
  apis: { api: string; allowed: number; denied: number }[];
  /** Over the last {@link WINDOW_SECONDS}, in descending order. */
  mostDenied: { tenant: string; denied: number }[];
  nodes: number;
}

interface Second {
  apis: Map<string, { api: string; allowed: number; denied: number }>;
  denied: Map<string, number>;
}

/**
 * Sums usage frames by second and keeps the last minute. Every row is counted once: late rows count in the next second,
 * rows with a future time in the current one. The caller passes the time.
 */
export class LiveWindow {
  private readonly open = new Map<number, Second>();
  private readonly closed: { second: Second; frame: LiveFrame }[] = [];
  private readonly deniedTotals = new Map<string, number>();

  /** @param nextSecond the first second to return, Unix seconds */
  constructor(private nextSecond: number) {}

  add(frame: UsageFrame, nowMs: number): void {
    const number = Math.max(Math.floor(Math.min(frame.atMs, nowMs) / 1000), this.nextSecond);
    const second = this.open.get(number) ?? { apis: new Map(), denied: new Map() };
    this.open.set(number, second);
    for (const { api, tenant, outcome, count } of frame.rows) {
      const sums = second.apis.get(api) ?? { api, allowed: 0, denied: 0 };
      second.apis.set(api, sums);
      if (isDenied(outcome)) {
        sums.denied += count;
        second.denied.set(tenant, (second.denied.get(tenant) ?? 0) + count);
      } else {
        sums.allowed += count;
      }
    }
  }

  /** Frames of all completed seconds not returned yet, including idle ones. */
  take(nowMs: number, nodes: number): LiveFrame[] {
    const current = Math.floor(nowMs / 1000);
    // After a long pause of the process only the last minute matters; older seconds are dropped.
    this.nextSecond = Math.max(this.nextSecond, current - WINDOW_SECONDS);
    for (const number of this.open.keys()) if (number < this.nextSecond) this.open.delete(number);
    const frames: LiveFrame[] = [];
    for (; this.nextSecond < current; this.nextSecond += 1) frames.push(this.close(this.nextSecond, nodes));
    return frames;
  }

  /** Frames of the last minute, oldest first. */
  history(): LiveFrame[] {
    return this.closed.map((entry) => entry.frame);
  }

  private close(number: number, nodes: number): LiveFrame {
    const second = this.open.get(number) ?? { apis: new Map(), denied: new Map() };
    this.open.delete(number);
    for (const [tenant, denied] of second.denied) this.addDenied(tenant, denied);
    if (this.closed.length === WINDOW_SECONDS) {
      const oldest = this.closed.shift();
      for (const [tenant, denied] of oldest?.second.denied ?? []) this.addDenied(tenant, -denied);
    }
    const apis = [...second.apis.values()].sort((a, b) => a.api.localeCompare(b.api));
    const frame = { atMs: (number + 1) * 1000, apis, mostDenied: this.mostDenied(), nodes };
    this.closed.push({ second, frame });
    return frame;
  }

  private addDenied(tenant: string, denied: number): void {
    const total = (this.deniedTotals.get(tenant) ?? 0) + denied;
    if (total === 0) this.deniedTotals.delete(tenant);
    else this.deniedTotals.set(tenant, total);
  }

  private mostDenied(): LiveFrame['mostDenied'] {
    return [...this.deniedTotals]
      .sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]))
      .slice(0, TOP_TENANTS)
      .map(([tenant, denied]) => ({ tenant, denied }));
  }
}
