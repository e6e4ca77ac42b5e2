import type { Outcome, UsageFrame, UsageRow } from '@tollgate/contracts';

const FLUSH_EVERY_MS = 1000;

/** Rows a frame holds; what is counted beyond that goes under {@link OTHERS}. */
const MAX_ROWS = 5000;

/** Frames kept while they cannot be written; the oldest is dropped first: usage may be low, never high. */
const MAX_UNSENT_FRAMES = 60;

/** Stands for the tenants that one frame has no room for. */
const OTHERS = '*';

export interface UsageAggregatorOptions {
  nodeId: string;
  /** New at each start of the process. */
  epoch: string;
  write: (frame: UsageFrame) => Promise<void>;
  onError: (message: string, error: unknown) => void;
}

/** Adds decisions up in memory and hands them on once a second, each frame under a number of its own. */
export class UsageAggregator {
  private rows = new Map<string, UsageRow>();
  private unsent: UsageFrame[] = [];
  private sequence = 0;
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();

  constructor(private readonly options: UsageAggregatorOptions) {}

  start(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_EVERY_MS);
    this.timer.unref();
  }

  record(tenant: string, api: string, operation: string, limit: string | null, outcome: Outcome): void {
    const key = `${tenant}\n${api}\n${operation}\n${limit}\n${outcome}`;
    const row = this.rows.get(key);
    if (row !== undefined) {
      row.count++;
    } else if (this.rows.size < MAX_ROWS || tenant === OTHERS) {
      this.rows.set(key, { tenant, api, operation, limit, outcome, count: 1 });
    } else {
      this.record(OTHERS, OTHERS, OTHERS, null, outcome);
    }
  }

  /** Writes what has gathered; keeps it for the next time when that fails. */
  flush(): Promise<void> {
    if (this.rows.size > 0) {
      const { nodeId, epoch } = this.options;
      this.unsent.push({
        nodeId,
        epoch,
        sequence: ++this.sequence,
        atMs: Date.now(),
        rows: [...this.rows.values()],
      });
      this.rows = new Map();
      if (this.unsent.length > MAX_UNSENT_FRAMES) this.unsent.shift();
    }
    this.flushing = this.flushing.then(() => this.writeUnsent());
    return this.flushing;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
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
