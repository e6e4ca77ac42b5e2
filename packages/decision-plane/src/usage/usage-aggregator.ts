import type {
  KeyUse,
  LimitCrossing,
  LimitPeak,
  Offender,
  Outcome,
  UsageFrame,
  UsageRow,
} from '@tollgate/contracts';
import { getOrAdd } from '@tollgate/contracts/maps';
import { LRUCache } from 'lru-cache';
import { Flusher } from './flusher.js';
import { mergeFrames, type UnsentFrame } from './merge-frames.js';

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

/** Decisions with one outcome in the current minute. */
interface Counts {
  count: number;
  units: number;
  candidate: CandidateCounts | undefined;
}

/**
 * Decisions by one limit of one operation of one tenant. Keep it: finding it costs more than recording. Most tallies see one
 * outcome, which is counted in the tally itself, so that recording reads a single object.
 */
export class UsageTally implements Counts {
  /** Minute of the current counts; undefined: there are none. */
  private minute: number | undefined;
  private outcome: Outcome | undefined;
  count = 0;
  units = 0;
  candidate: CandidateCounts | undefined;
  private further: Map<Outcome, Counts> | undefined;

  constructor(
    private readonly rows: UsageRows,
    private readonly names: Names,
  ) {}

  /** @param nowUs by the store's clock, or this node's if it was degraded */
  record(outcome: Outcome, cost: number, nowUs: number): void {
    const counts = this.countsOf(outcome, nowUs);
    if (counts.count === 0 && !this.hasRow(counts)) {
      this.rows.others.record(outcome, cost, nowUs);
      return;
    }
    counts.count++;
    counts.units += cost;
  }

  /**
   * Counts a decision that checked the limit's candidate. Decisions beyond the frame's rows are not counted.
   * @param outcome of the limit itself
   */
  recordCandidate(outcome: CandidateOutcome, isDenied: boolean, cost: number, nowUs: number): void {
    const counts = this.countsOf(outcome, nowUs);
    if (counts.count === 0 && !this.hasRow(counts)) return;
    counts.candidate ??= { count: 0, denied: 0, deniedUnits: 0 };
    counts.candidate.count++;
    if (!isDenied) return;
    counts.candidate.denied++;
    counts.candidate.deniedUnits += cost;
  }

  drain(rows: UsageRow[]): void {
    const { minute, outcome, names, count, units, candidate, further } = this;
    this.minute = undefined;
    if (minute === undefined || outcome === undefined) return;
    this.count = 0;
    this.units = 0;
    this.candidate = undefined;
    this.further = undefined;
    const all: Iterable<[Outcome, Counts]> = [[outcome, { count, units, candidate }], ...(further ?? [])];
    for (const [of, counts] of all) {
      if (counts.count === 0 && counts.candidate === undefined) continue;
      rows.push({
        ...{ ...names, outcome: of, minute, count: counts.count, units: counts.units },
        ...candidateFields(counts.candidate),
      });
    }
  }

  /** Claims the row of an outcome without a decision, unless a candidate has claimed it; false: there is no more room. */
  private hasRow({ candidate }: Counts): boolean {
    return candidate !== undefined || this.rows.claimRow(this);
  }

  private countsOf(outcome: Outcome, nowUs: number): Counts {
    // An earlier time is due to another clock: within a frame, it counts in the current minute.
    if (this.minute === undefined || nowUs >= (this.minute + 1) * MINUTE_US) {
      this.begin(outcome, Math.floor(nowUs / MINUTE_US));
    }
    if (outcome === this.outcome) return this;
    this.further ??= new Map();
    return getOrAdd(this.further, outcome, () => ({ count: 0, units: 0, candidate: undefined }));
  }

  private begin(outcome: Outcome, minute: number): void {
    if (this.minute === undefined) this.rows.enlist(this);
    else this.rows.drainNow(this);
    this.minute = minute;
    this.outcome = outcome;
  }
}

export class UsageRows {
  readonly others = new UsageTally(this, { tenant: OTHERS, api: OTHERS, operation: OTHERS, limit: null });
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
    const tally = this.older.get(tenant)?.find(api, operation, limit) ?? new UsageTally(this, names);
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

/**
 * Frames kept while they cannot be written. Further ones are merged by minute, so that they last for about an hour; then the
 * oldest is dropped: usage may be too low, never too high.
 */
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
  /** Its write may have succeeded although it failed here: it keeps its number and content. */
  private attempted: UsageFrame | undefined;
  private readonly unsent: UnsentFrame[] = [];
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
    if (this.unsent.length > MAX_UNSENT_FRAMES) this.makeRoom();
    return super.flush();
  }

  private makeRoom(): void {
    for (let i = 0; i + 1 < this.unsent.length; i++) {
      const merged = mergeFrames(this.unsent[i] as UnsentFrame, this.unsent[i + 1] as UnsentFrame);
      if (merged === undefined) continue;
      this.unsent.splice(i, 2, merged);
      return;
    }
    this.unsent.shift();
    this.framesDropped++;
    // The gap shows that usage is missing.
    this.sequence++;
  }

  private takeFrame(): UnsentFrame | undefined {
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

  private nextFrame(): UsageFrame | undefined {
    const frame = this.unsent.shift();
    return frame && { ...frame, sequence: ++this.sequence };
  }

  protected async write(): Promise<void> {
    try {
      for (;;) {
        const frame = this.attempted ?? this.nextFrame();
        if (frame === undefined) break;
        this.attempted = frame;
        await this.options.write(frame);
        this.attempted = undefined;
      }
    } catch (error) {
      this.options.onError('cannot write usage', error);
    }
  }
}
