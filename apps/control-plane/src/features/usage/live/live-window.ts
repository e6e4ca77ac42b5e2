import type { Outcome, UsageFrame } from '@tollgate/contracts';

/** Nodes whose last frame is remembered; the one that was silent longest goes first. */
const MAX_NODES = 1000;

/**
 * Tells a frame from its repeats. A node that does not know whether a frame was written writes it again under the same
 * number, and no later one before it: the last number of each node and epoch is all there is to remember.
 */
export class SeenFrames {
  private readonly last = new Map<string, number>();

  /** Whether the frame is a new one; from then on it is not. */
  take({ nodeId, epoch, sequence }: Pick<UsageFrame, 'nodeId' | 'epoch' | 'sequence'>): boolean {
    const node = JSON.stringify([nodeId, epoch]);
    if (sequence <= (this.last.get(node) ?? 0)) return false;
    // Anew, so that the order of the map is that of the last words.
    this.last.delete(node);
    this.last.set(node, sequence);
    if (this.last.size > MAX_NODES) this.last.delete(this.last.keys().next().value ?? '');
    return true;
  }
}

/** How far back a newcomer to the live view sees, and over which time the most refused tenants are found. */
export const WINDOW_SECONDS = 60;

const TOP_TENANTS = 10;

/** What happened in one second, as the live view shows it. */
export interface LiveFrame {
  /** End of the second, unix ms. */
  atMs: number;
  apis: { api: string; allowed: number; refused: number }[];
  /** Over the last {@link WINDOW_SECONDS}, worst first. */
  refusedMost: { tenant: string; refused: number }[];
  /** Nodes that are up. */
  nodes: number;
}

interface Second {
  apis: Map<string, { api: string; allowed: number; refused: number }>;
  refused: Map<string, number>;
}

const REFUSALS: ReadonlySet<Outcome> = new Set(['refused', 'pool_refused', 'degraded_refused']);

/** Whether a request of this outcome did not pass. */
export function isRefused(outcome: Outcome): boolean {
  return REFUSALS.has(outcome);
}

/**
 * Sums usage frames by second and keeps the last minute. Every row is shown at most once: one that arrives after its
 * second was shown counts in the next, one of a node whose clock is ahead counts now. Knows no clock: the caller says
 * what time it is.
 */
export class LiveWindow {
  private readonly open = new Map<number, Second>();
  private readonly closed: { second: Second; frame: LiveFrame }[] = [];
  private readonly refusedTotals = new Map<string, number>();

  /** @param nextSecond the first second to show, unix seconds. */
  constructor(private nextSecond: number) {}

  add(frame: UsageFrame, nowMs: number): void {
    const number = Math.max(Math.floor(Math.min(frame.atMs, nowMs) / 1000), this.nextSecond);
    const second = this.open.get(number) ?? { apis: new Map(), refused: new Map() };
    this.open.set(number, second);
    for (const { api, tenant, outcome, count } of frame.rows) {
      const sums = second.apis.get(api) ?? { api, allowed: 0, refused: 0 };
      second.apis.set(api, sums);
      if (isRefused(outcome)) {
        sums.refused += count;
        second.refused.set(tenant, (second.refused.get(tenant) ?? 0) + count);
      } else {
        sums.allowed += count;
      }
    }
  }

  /** Frames of all seconds before the one that `nowMs` lies in that were not taken yet; quiet seconds have one too. */
  take(nowMs: number, nodes: number): LiveFrame[] {
    const current = Math.floor(nowMs / 1000);
    // After a long pause of the process only the last minute is of interest; what is older is not kept for ever.
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
    const second = this.open.get(number) ?? { apis: new Map(), refused: new Map() };
    this.open.delete(number);
    for (const [tenant, refused] of second.refused) this.addRefused(tenant, refused);
    if (this.closed.length === WINDOW_SECONDS) {
      const oldest = this.closed.shift();
      for (const [tenant, refused] of oldest?.second.refused ?? []) this.addRefused(tenant, -refused);
    }
    const apis = [...second.apis.values()].sort((a, b) => a.api.localeCompare(b.api));
    const frame = { atMs: (number + 1) * 1000, apis, refusedMost: this.refusedMost(), nodes };
    this.closed.push({ second, frame });
    return frame;
  }

  private addRefused(tenant: string, refused: number): void {
    const total = (this.refusedTotals.get(tenant) ?? 0) + refused;
    if (total === 0) this.refusedTotals.delete(tenant);
    else this.refusedTotals.set(tenant, total);
  }

  private refusedMost(): LiveFrame['refusedMost'] {
    return [...this.refusedTotals]
      .sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]))
      .slice(0, TOP_TENANTS)
      .map(([tenant, refused]) => ({ tenant, refused }));
  }
}
