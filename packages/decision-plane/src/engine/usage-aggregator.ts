import type { KeyUse, LimitCrossing, Offender, UsageFrame } from '@tollgate/contracts';
import { LRUCache } from 'lru-cache';
import { UsageRows, type UsageTally } from './usage-rows.js';

const FLUSH_EVERY_MS = 1000;

/** Frames kept while they cannot be written; the oldest is dropped first: usage may be low, never high. */
const MAX_UNSENT_FRAMES = 60;

/** Crossings that a frame holds: as many as rows. */
const MAX_CROSSINGS = 5000;

/** API keys that a frame names, and those of which it is known when they were named last. */
const MAX_KEYS = 5000;
const MAX_KEYS_REMEMBERED = 100_000;

/** A key in use is named once within this. */
const NAME_KEY_EVERY_MS = 60_000;

/** Offenders that a frame names. */
const MAX_OFFENDERS = 50;

export interface UsageAggregatorOptions {
  nodeId: string;
  /** New at each start of the process. */
  epoch: string;
  write: (frame: UsageFrame) => Promise<void>;
  /** The worst offenders since it was last asked, `max` at most. */
  takeOffenders: (max: number) => Offender[];
  onError: (message: string, error: unknown) => void;
}

/** Adds decisions up in memory and hands them on once a second, each frame under a number of its own. */
export class UsageAggregator {
  private readonly rows = new UsageRows();
  private crossings: LimitCrossing[] = [];
  private crossingsDropped = 0;
  private keys: KeyUse[] = [];
  private readonly keysNamedAt = new LRUCache<string, number>({ max: MAX_KEYS_REMEMBERED });
  private unsent: UsageFrame[] = [];
  private sequence = 0;
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();

  constructor(private readonly options: UsageAggregatorOptions) {}

  start(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_EVERY_MS);
    this.timer.unref();
  }

  /**
   * Where to count what is decided by `limit`; null: by none. Stays good for as long as the process runs: finding it costs
   * more than recording does.
   */
  tally(tenant: string, api: string, operation: string, limit: string | null): UsageTally {
    return this.rows.tally(tenant, api, operation, limit);
  }

  /** Tells crossings with the next frame; of those that it has no room for, how many. */
  addCrossings(crossings: readonly LimitCrossing[]): void {
    for (const crossing of crossings) {
      if (this.crossings.length < MAX_CROSSINGS) this.crossings.push(crossing);
      else this.crossingsDropped++;
    }
  }

  /** Tells of an API key in use with the next frame, unless it did so within a minute. */
  addKeyUse(publicId: string, atMs: number): void {
    if (atMs - (this.keysNamedAt.get(publicId) ?? 0) < NAME_KEY_EVERY_MS || this.keys.length >= MAX_KEYS)
      return;
    this.keysNamedAt.set(publicId, atMs);
    this.keys.push({ publicId, atMs: Math.floor(atMs) });
  }

  /** Writes what has gathered; keeps it for the next time when that fails. Never rejects. */
  flush(): Promise<void> {
    const frame = this.takeFrame();
    if (frame !== undefined) this.unsent.push(frame);
    if (this.unsent.length > MAX_UNSENT_FRAMES) this.unsent.shift();
    this.flushing = this.flushing.then(() => this.writeUnsent());
    return this.flushing;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private takeFrame(): UsageFrame | undefined {
    const rows = this.rows.take();
    const offenders = this.options.takeOffenders(MAX_OFFENDERS);
    const { crossings, crossingsDropped, keys } = this;
    if (rows.length + offenders.length + crossings.length + keys.length === 0) return undefined;
    this.crossings = [];
    this.keys = [];
    this.crossingsDropped = 0;
    const { nodeId, epoch } = this.options;
    return {
      nodeId,
      epoch,
      sequence: ++this.sequence,
      atMs: Date.now(),
      rows,
      ...(crossings.length === 0 ? {} : { crossings }),
      ...(crossingsDropped === 0 ? {} : { crossingsDropped }),
      ...(offenders.length === 0 ? {} : { offenders }),
      ...(keys.length === 0 ? {} : { keys }),
    };
  }

  private async writeUnsent(): Promise<void> {
    try {
      for (let frame = this.unsent[0]; frame !== undefined; frame = this.unsent[0]) {
        await this.options.write(frame);
        if (this.unsent[0] === frame) this.unsent.shift();
      }
    } catch (error) {
      this.options.onError('cannot write usage', error);
    }
  }
}
