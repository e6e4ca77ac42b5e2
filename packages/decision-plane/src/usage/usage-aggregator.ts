import {
  type KeyUse,
  type LimitCrossing,
  type LimitPeak,
  type Offender,
  type Outcome,
  outcomeSchema,
  type UsageFrame,
  type UsageRow,
} from '@tollgate/contracts';
import { LRUCache } from 'lru-cache';
import { Flusher } from './flusher.js';

const OUTCOMES = outcomeSchema.options;
const INDEX_OF = Object.fromEntries(OUTCOMES.map((outcome, i) => [outcome, i])) as Record<Outcome, number>;
const MINUTE_US = 60_000_000;

/** Further decisions are counted as {@link OTHERS}. */
const MAX_ROWS = 5000;

/** A forgotten tally still counts. */
const TALLIES_PER_GENERATION = 20_000;

/** All names of the row for decisions that have no row. */
const OTHERS = '*';

interface Names {
  readonly tenant: string;
  readonly api: string;
  readonly operation: string;
  readonly limit: string | null;
}

/** Outcomes of a limit beside its candidate. */
export type CandidateOutcome = Extract<Outcome, 'allowed' | 'denied' | 'shadow_denied'>;

interface CandidateCounts {
  count: number;
  denied: number;
  deniedUnits: number;
}

/** The fields of a row; none without a candidate. */
function candidateFields(counts: CandidateCounts | undefined): Partial<UsageRow> {
  if (counts === undefined) return {};
  const { count, denied, deniedUnits } = counts;
  return {
    candidateCount: count,
    ...(denied === 0 ? {} : { candidateDenied: denied, candidateDeniedUnits: deniedUnits }),
  };
}

/** Decisions by one limit of one operation of one tenant. Keep it: finding it costs more than recording. */
export class UsageTally {
  /** Minute of the current counts; undefined: there are none. */
  private minute: number | undefined;
  private readonly counts: number[] = OUTCOMES.map(() => 0);
  private readonly units: number[] = OUTCOMES.map(() => 0);
  /** By outcome; empty without a candidate. */
  private readonly candidates: CandidateCounts[] = [];

  constructor(
    private readonly names: Names,
    private readonly rows: UsageRows,
  ) {}

  /** @param nowUs by the store's clock, or this node's if it was degraded */
  record(outcome: Outcome, cost: number, nowUs: number): void {
    const i = INDEX_OF[outcome];
    // An earlier time is due to another clock: within a frame, it counts in the current minute.
    if (this.minute === undefined || nowUs >= (this.minute + 1) * MINUTE_US) {
      this.begin(Math.floor(nowUs / MINUTE_US));
    }
    const count = this.counts[i] as number;
    if (count === 0 && !this.hasRow(i)) {
      this.rows.others.record(outcome, cost, nowUs);
      return;
    }
    this.counts[i] = count + 1;
    this.units[i] = (this.units[i] as number) + cost;
  }

  /**
   * Counts a decision that checked the limit's candidate. Decisions beyond the frame's rows are not counted.
   * @param outcome of the limit itself
   */
  recordCandidate(outcome: CandidateOutcome, isDenied: boolean, cost: number, nowUs: number): void {
    const i = INDEX_OF[outcome];
    if (this.minute === undefined || nowUs >= (this.minute + 1) * MINUTE_US) {
      this.begin(Math.floor(nowUs / MINUTE_US));
    }
    if (this.counts[i] === 0 && !this.hasRow(i)) return;
    const counts = this.candidates[i] ?? { count: 0, denied: 0, deniedUnits: 0 };
    this.candidates[i] = counts;
    counts.count++;
    if (!isDenied) return;
    counts.denied++;
    counts.deniedUnits += cost;
  }

  drain(rows: UsageRow[]): void {
    const { minute } = this;
    this.minute = undefined;
    if (minute === undefined) return;
    for (const [i, outcome] of OUTCOMES.entries()) {
      const count = this.counts[i] ?? 0;
      const units = this.units[i] ?? 0;
      const candidate = this.candidates[i];
      if (count === 0 && candidate === undefined) continue;
      this.counts[i] = 0;
      this.units[i] = 0;
      rows.push({ ...this.names, outcome, minute, count, units, ...candidateFields(candidate) });
    }
    this.candidates.length = 0;
  }

  /** Claims the row of an outcome without a decision, unless a candidate has claimed it; false: there is no more room. */
  private hasRow(i: number): boolean {
    return this.candidates[i] !== undefined || this.rows.claimRow(this);
  }

  private begin(minute: number): void {
    if (this.minute === undefined) this.rows.enlist(this);
    else this.rows.drainNow(this);
    this.minute = minute;
  }
}

export class UsageRows {
  readonly others = new UsageTally({ tenant: OTHERS, api: OTHERS, operation: OTHERS, limit: null }, this);
  private recent = new Map<string, TenantTallies>();
  private older = new Map<string, TenantTallies>();
  private kept = 0;
  private active: UsageTally[] = [];
  private drained: UsageRow[] = [];
  private claimed = 0;

  constructor(private readonly maxRows = MAX_ROWS) {}

  tally(tenant: string, api: string, operation: string, limit: string | null): UsageTally {
    return (
      this.recent.get(tenant)?.find(api, operation, limit) ?? this.keep({ tenant, api, operation, limit })
    );
  }

  take(): UsageRow[] {
    const rows = this.drained;
    for (const tally of this.active) tally.drain(rows);
    this.active = [];
    this.drained = [];
    this.claimed = 0;
    return rows;
  }

  enlist(tally: UsageTally): void {
    this.active.push(tally);
  }

  drainNow(tally: UsageTally): void {
    tally.drain(this.drained);
  }

  claimRow(tally: UsageTally): boolean {
    if (this.claimed >= this.maxRows && tally !== this.others) return false;
    this.claimed++;
    return true;
  }

  // One by one, so that unused names are forgotten.
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

// Nested maps: the hashes of the names are cached, while a key built from four names would be hashed each time.
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

/** Frames kept while they cannot be written; the oldest is dropped first, so usage may be too low, never too high. */
const MAX_UNSENT_FRAMES = 60;

const MAX_CROSSINGS = 5000;
const MAX_KEYS = 5000;
const MAX_KEYS_REMEMBERED = 100_000;
const REPORT_KEY_EVERY_MS = 60_000;
const MAX_OFFENDERS = 50;
const MAX_PEAKS = 2000;

export interface UsageAggregatorOptions {
  nodeId: string;
  /** New at each start of the process. */
  epoch: string;
  write: (frame: UsageFrame) => Promise<void>;
  takeOffenders: (max: number) => Offender[];
  /** Requests per bucket of `LATENCY_BOUNDS_MS` since the last call. */
  takeDurations?: (() => number[]) | undefined;
  takePeaks: (max: number) => LimitPeak[];
  onError: (message: string, error: unknown) => void;
}

/** Written once a second, in numbered frames. */
export class UsageAggregator extends Flusher {
  private readonly rows = new UsageRows();
  private crossings: LimitCrossing[] = [];
  private crossingsDropped = 0;
  private keys: KeyUse[] = [];
  private readonly keysReportedAt = new LRUCache<string, number>({ max: MAX_KEYS_REMEMBERED });
  private unsent: UsageFrame[] = [];
  private sequence = 0;
  /** Since the start. */
  framesDropped = 0;

  constructor(private readonly options: UsageAggregatorOptions) {
    super();
  }

  /** @param limit null: none */
  tally(tenant: string, api: string, operation: string, limit: string | null): UsageTally {
    return this.rows.tally(tenant, api, operation, limit);
  }

  addCrossings(crossings: readonly LimitCrossing[]): void {
    for (const crossing of crossings) {
      if (this.crossings.length < MAX_CROSSINGS) this.crossings.push(crossing);
      else this.crossingsDropped++;
    }
  }

  /** At most once a minute. */
  addKeyUse(publicId: string, atMs: number): void {
    if (atMs - (this.keysReportedAt.get(publicId) ?? 0) < REPORT_KEY_EVERY_MS || this.keys.length >= MAX_KEYS)
      return;
    this.keysReportedAt.set(publicId, atMs);
    this.keys.push({ publicId, atMs: Math.floor(atMs) });
  }

  /** After a failure, the frame is written next time. Never rejects. */
  override flush(): Promise<void> {
    const frame = this.takeFrame();
    if (frame !== undefined) this.unsent.push(frame);
    if (this.unsent.length > MAX_UNSENT_FRAMES) {
      this.unsent.shift();
      this.framesDropped++;
    }
    return super.flush();
  }

  private takeFrame(): UsageFrame | undefined {
    const rows = this.rows.take();
    const offenders = this.options.takeOffenders(MAX_OFFENDERS);
    const peaks = this.options.takePeaks(MAX_PEAKS);
    const durations = this.options.takeDurations?.() ?? [];
    const { crossings, crossingsDropped, keys } = this;
    const hasDurations = durations.some((requests) => requests > 0);
    const entries = rows.length + offenders.length + peaks.length + crossings.length + keys.length;
    if (!hasDurations && entries === 0) return undefined;
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
      ...(peaks.length === 0 ? {} : { peaks }),
      ...(keys.length === 0 ? {} : { keys }),
      ...(hasDurations ? { durations } : {}),
    };
  }

  protected async write(): Promise<void> {
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
