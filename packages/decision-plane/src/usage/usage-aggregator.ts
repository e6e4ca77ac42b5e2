import {
  type KeyUse,
  type LimitCrossing,
  type Offender,
  type Outcome,
  outcomeSchema,
  type UsageFrame,
  type UsageRow,
} from '@tollgate/contracts';
import { LRUCache } from 'lru-cache';

const OUTCOMES = outcomeSchema.options;
const INDEX_OF = Object.fromEntries(OUTCOMES.map((outcome, i) => [outcome, i])) as Record<Outcome, number>;

const MINUTE_US = 60_000_000;

/** Rows a frame holds; what is counted beyond that goes under {@link OTHERS}. */
const MAX_ROWS = 5000;

/** Tallies found by name at least; at most twice as many. One that is held elsewhere goes on counting all the same. */
const TALLIES_PER_GENERATION = 20_000;

/** Stands for what one frame has no room for. */
const OTHERS = '*';

interface Names {
  readonly tenant: string;
  readonly api: string;
  readonly operation: string;
  readonly limit: string | null;
}

/** Counts what ended by one limit of one operation of one tenant; hold on to it instead of asking for it again. */
export class UsageTally {
  /** Of what is counted here now; undefined: nothing is. */
  private minute: number | undefined;
  private readonly counts: number[] = OUTCOMES.map(() => 0);
  private readonly units: number[] = OUTCOMES.map(() => 0);

  constructor(
    private readonly names: Names,
    private readonly rows: UsageRows,
  ) {}

  /**
   * @param cost whole, 0 or more
   * @param nowUs the store's time of the decision, microseconds since the Unix epoch; this node's, where it was not asked
   */
  record(outcome: Outcome, cost: number, nowUs: number): void {
    const i = INDEX_OF[outcome];
    // Back in time only by another clock: within one frame, such a decision counts in the minute that has begun.
    if (this.minute === undefined || nowUs >= (this.minute + 1) * MINUTE_US) {
      this.begin(Math.floor(nowUs / MINUTE_US));
    }
    const count = this.counts[i] as number;
    if (count === 0 && !this.rows.claimRow(this)) {
      this.rows.others.record(outcome, cost, nowUs);
      return;
    }
    this.counts[i] = count + 1;
    this.units[i] = (this.units[i] as number) + cost;
  }

  /** Moves what is counted here to `rows`. */
  drain(rows: UsageRow[]): void {
    const { minute } = this;
    this.minute = undefined;
    if (minute === undefined) return;
    for (const [i, outcome] of OUTCOMES.entries()) {
      const count = this.counts[i] ?? 0;
      const units = this.units[i] ?? 0;
      if (count === 0) continue;
      this.counts[i] = 0;
      this.units[i] = 0;
      rows.push({ ...this.names, outcome, minute, count, units });
    }
  }

  private begin(minute: number): void {
    if (this.minute === undefined) this.rows.enlist(this);
    else this.rows.drainNow(this);
    this.minute = minute;
  }
}

/** The rows of one frame as they gather. */
export class UsageRows {
  /** What finds no room is counted here: there is always a row for it. */
  readonly others = new UsageTally({ tenant: OTHERS, api: OTHERS, operation: OTHERS, limit: null }, this);
  private recent = new Map<string, TenantTallies>();
  private older = new Map<string, TenantTallies>();
  private kept = 0;
  private active: UsageTally[] = [];
  private drained: UsageRow[] = [];
  private claimed = 0;

  constructor(private readonly maxRows = MAX_ROWS) {}

  /** The tally of these names. */
  tally(tenant: string, api: string, operation: string, limit: string | null): UsageTally {
    return (
      this.recent.get(tenant)?.find(api, operation, limit) ?? this.keep({ tenant, api, operation, limit })
    );
  }

  /** All rows, each holding one decision or more; begins anew. */
  take(): UsageRow[] {
    const rows = this.drained;
    for (const tally of this.active) tally.drain(rows);
    this.active = [];
    this.drained = [];
    this.claimed = 0;
    return rows;
  }

  /** @internal of {@link UsageTally}: it has something to tell with the next frame. */
  enlist(tally: UsageTally): void {
    this.active.push(tally);
  }

  /** @internal of {@link UsageTally}: its minute is over. */
  drainNow(tally: UsageTally): void {
    tally.drain(this.drained);
  }

  /** @internal of {@link UsageTally}: whether there is room for one more row. */
  claimRow(tally: UsageTally): boolean {
    if (this.claimed >= this.maxRows && tally !== this.others) return false;
    this.claimed++;
    return true;
  }

  /** Takes over one of the older generation, or makes one: tally by tally, lest a tenant's names gather for ever. */
  private keep(names: Names): UsageTally {
    const { tenant, api, operation, limit } = names;
    const tally = this.older.get(tenant)?.find(api, operation, limit) ?? new UsageTally(names, this);
    const tallies = this.recent.get(tenant) ?? new TenantTallies();
    this.recent.set(tenant, tallies);
    tallies.add(names, tally);
    this.kept++;
    if (this.kept >= TALLIES_PER_GENERATION) {
      this.older = this.recent;
      this.recent = new Map();
      this.kept = 0;
    }
    return tally;
  }
}

// Maps in maps: their keys are names whose hashes are known, where one key made of four names would be hashed each time.
class TenantTallies {
  private readonly apis = new Map<string, Map<string, Map<string | null, UsageTally>>>();

  find(api: string, operation: string, limit: string | null): UsageTally | undefined {
    return this.apis.get(api)?.get(operation)?.get(limit);
  }

  add({ api, operation, limit }: Names, tally: UsageTally): void {
    const operations = this.apis.get(api) ?? new Map<string, Map<string | null, UsageTally>>();
    const limits = operations.get(operation) ?? new Map<string | null, UsageTally>();
    this.apis.set(api, operations.set(operation, limits.set(limit, tally)));
  }
}

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
