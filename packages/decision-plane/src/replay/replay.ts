import type { Outcome } from '@tollgate/contracts';
import type { ReplayPolicy } from '../api/replay-node.js';
import { getOrAdd } from '../store/bounded-keys.js';
import { TRAFFIC_FLAGS, type TrafficBlock, type TrafficSubject, type Verdict } from '../traffic/block.js';
import { type ReplayOperation, ReplayOperations, type ReplaySubject, type Uncovered } from './operations.js';
import type { ReplayResult } from './result.js';
import { visitRows } from './rows.js';
import { ReplaySide, type StartUsage } from './side.js';
import { type Baseline, ReplayTally } from './tally.js';

export interface ReplayOptions {
  readonly draft: ReplayPolicy;
  /** Revisions of the live policy, ascending. Default: the draft is compared with recorded outcomes. */
  readonly live?: readonly ReplayPolicy[];
  /** Decisions within this time from the start only charge counters, ms; default 0 (`warmUpOf` computes it). */
  readonly warmUpMs?: number;
  /** Usage of quotas when the recording begins; default: none. */
  readonly startUsage?: readonly StartUsage[];
  /** Whether dimension values are keyed hashes; default false. */
  readonly isHashed?: boolean;
  /** Spreads requests of one tick of a coarse clock over the tick; default: all at its start. */
  readonly isSpread?: boolean;
  /** Bounds the memory of each side; default 2,000,000. */
  readonly maxCounters?: number;
  /** Tenants in the result; default 100. */
  readonly maxTenants?: number;
  /** Called with the number of decisions so far when a block is opened; may throw to cancel. */
  readonly onProgress?: (decisions: number) => void;
}

const MAX_COUNTERS = 2_000_000;
const MAX_TENANTS = 100;

/**
 * Decides recorded requests by the live policy and by a draft, and counts how they differ (docs/adr/0055-traffic-replay.md).
 * @param blocks in the order of their first decision
 * @throws Error that names what cannot be compiled; RangeError if `blocks` are not in order or need too many counters
 */
export function replayTraffic(blocks: Iterable<TrafficBlock>, options: ReplayOptions): ReplayResult {
  const replay = new TrafficReplay(options);
  visitRows(
    blocks,
    (block) => replay.open(block),
    (opened, row, atUs) => replay.decide(opened, row, atUs),
    options.isSpread,
  );
  return replay.result();
}

/** A block, with its dictionaries resolved. */
interface OpenBlock {
  readonly block: TrafficBlock;
  readonly subjects: readonly ReplaySubject[];
  readonly operations: readonly ReplayOperation[];
  readonly verdicts: readonly ReplayVerdict[];
}

interface ReplayVerdict {
  readonly isAllowed: boolean;
  readonly limit: string | null;
  readonly hasOwnCost: boolean;
  readonly isImported: boolean;
  readonly uncovered: Uncovered | undefined;
  /** Revision of the live policy. */
  readonly livePolicy: number;
}

class TrafficReplay {
  private readonly live: ReplaySide | undefined;
  private readonly draft: ReplaySide;
  private readonly tally = new ReplayTally();
  private readonly subjects = new Map<string, ReplaySubject>();
  private readonly tenants = new Map<string, number>();
  private readonly operations = new Map<string, ReplayOperation>();
  private readonly maxCounters: number;
  private readonly baseline: Baseline = { allowed: true, limit: null };
  private fromUs: number | undefined;
  private decisions = 0;
  private hasOutcomes = false;

  constructor(private readonly options: ReplayOptions) {
    const { draft, live, startUsage = [], isHashed = false, maxCounters = MAX_COUNTERS } = options;
    this.maxCounters = maxCounters;
    const sideOf = (policies: readonly ReplayPolicy[]) =>
      new ReplaySide(new ReplayOperations(policies, isHashed), { maxCounters, startUsage });
    this.draft = sideOf([draft]);
    this.live = live === undefined ? undefined : sideOf(live);
  }

  open(block: TrafficBlock): OpenBlock {
    this.options.onProgress?.(this.decisions);
    this.tally.open(block);
    this.fromUs ??= (block.atUs[0] as number) + (this.options.warmUpMs ?? 0) * 1000;
    return {
      block,
      subjects: block.subjects.map((subject) => this.subjectOf(subject)),
      operations: block.operations.map(({ api, name }) =>
        getOrAdd(this.operations, `${api}/${name}`, () => ({ api, name, index: this.operations.size })),
      ),
      verdicts: block.verdicts.map((verdict) => this.verdictOf(verdict)),
    };
  }

  decide({ block, subjects, operations, verdicts }: OpenBlock, row: number, nowUs: number): void {
    const subject = subjects[block.subject[row] as number] as ReplaySubject;
    const operation = operations[block.operation[row] as number] as ReplayOperation;
    const verdict = verdicts[block.verdict[row] as number] as ReplayVerdict;
    const ownCost = verdict.hasOwnCost ? (block.cost[row] as number) : 0;
    const { live, draft, tally, baseline } = this;
    this.decisions++;
    live?.decide(subject, operation, verdict.livePolicy, ownCost, nowUs);
    draft.decide(subject, operation, 0, ownCost, nowUs);
    if (nowUs < (this.fromUs as number)) {
      tally.warmUp++;
      return;
    }
    const uncovered = verdict.uncovered ?? live?.uncovered;
    if (live === undefined) {
      baseline.allowed = verdict.isAllowed;
      baseline.limit = verdict.limit;
    } else {
      baseline.allowed = live.allowed;
      baseline.limit = live.allowed ? null : (live.limit?.stored.name ?? null);
      if (uncovered === undefined && !verdict.isImported) {
        tally.calibrate(baseline.allowed === verdict.isAllowed, baseline.limit === verdict.limit);
      }
    }
    const reason = uncovered ?? draft.uncovered;
    if (reason === undefined) tally.compare(baseline, draft, subject, operation, nowUs);
    else tally.skip(reason, nowUs);
  }

  result(): ReplayResult {
    const { live, maxTenants = MAX_TENANTS } = this.options;
    return this.tally.result(maxTenants, live !== undefined, this.hasOutcomes);
  }

  private subjectOf({ tenant, values }: TrafficSubject): ReplaySubject {
    const sorted = [...values].sort(([a], [b]) => (a < b ? -1 : 1));
    const key = [tenant, ...sorted.flat()].join('\n');
    const known = this.subjects.get(key);
    if (known !== undefined) return known;
    if (this.subjects.size >= this.maxCounters) {
      throw new RangeError(
        `the recording has more than ${this.maxCounters} subjects; replay a shorter time or one tenant`,
      );
    }
    const tenantIndex = getOrAdd(this.tenants, tenant, () => this.tenants.size);
    const subject = { tenant, values: sorted, index: this.subjects.size, tenantIndex };
    this.subjects.set(key, subject);
    return subject;
  }

  private verdictOf({ outcome, flags, limit, revision }: Verdict): ReplayVerdict {
    const isImported = (flags & TRAFFIC_FLAGS.imported) !== 0;
    this.hasOutcomes ||= !isImported;
    const isAllowed = isImported || ALLOWED.has(outcome);
    return {
      isAllowed,
      limit: isAllowed ? null : limit,
      hasOwnCost: (flags & TRAFFIC_FLAGS.ownCost) !== 0,
      isImported,
      uncovered: uncoveredBy(outcome, flags),
      livePolicy: this.live?.operations.policyAt(revision) ?? 0,
    };
  }
}

const ALLOWED: ReadonlySet<Outcome> = new Set([
  'allowed',
  'over_limit',
  'shadow_denied',
  'no_limit',
  'degraded_allowed',
]);

function uncoveredBy(outcome: Outcome, flags: number): Uncovered | undefined {
  if (outcome === 'degraded_allowed' || outcome === 'degraded_denied') return 'degraded';
  if (outcome === 'pool_denied' || (flags & TRAFFIC_FLAGS.pooled) !== 0) return 'pool';
  if ((flags & TRAFFIC_FLAGS.leased) !== 0) return 'leased';
  if ((flags & TRAFFIC_FLAGS.together) !== 0) return 'together';
  return (flags & TRAFFIC_FLAGS.receipt) === 0 ? undefined : 'receipt';
}
