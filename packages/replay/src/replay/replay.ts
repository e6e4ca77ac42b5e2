import type { Outcome } from '@tollgate/contracts';
import { getOrAdd } from '@tollgate/contracts/maps';
import { TRAFFIC_FLAGS, type TrafficBlock, type TrafficSubject, type Verdict } from '../traffic/block.js';
import { CounterTables, SubjectLists } from './counters.js';
import {
  type OperationAt,
  type ReplayOperation,
  ReplayOperations,
  type ReplaySubject,
  type Uncovered,
} from './operations.js';
import type { ReplayPolicy } from './policy.js';
import { type NamedHash, RecordedValues } from './recorded-values.js';
import type { ReplayResult } from './result.js';
import { RowOrder } from './rows.js';
import { listLength, type RecordedOutcome, ReplaySide, type StartUsage } from './side.js';
import { type Baseline, ReplayTally } from './tally.js';

export interface ReplayOptions {
  readonly draft: ReplayPolicy;
  /** Revisions of the live policy, ascending. Default: the draft is compared with recorded outcomes. */
  readonly live?: readonly ReplayPolicy[];
  /** The first revision that `live` knows: decisions of earlier ones are not covered. Default: `live[0]` decided them. */
  readonly liveSince?: number;
  /**
   * The policy in force, if the draft is compared with it instead of `live`, whose last revision it follows: adjustments that
   * ended since the recording are then not an effect of the draft. Default: the draft is compared with `live`.
   */
  readonly present?: ReplayPolicy;
  /** Decisions within this time from the start only charge counters, ms; default 0 (`warmUpOf` computes it). */
  readonly warmUpMs?: number;
  /** Decisions before `fromUs` only charge counters, those at or after `toUs` are ignored; µs. Default: all count. */
  readonly range?: { readonly fromUs: number; readonly toUs: number };
  /** Limits, `api/name`, whose windows are longer than the recording (`warmUpOf`): recorded denials by them are not covered. */
  readonly notWarm?: readonly string[];
  /** Usage of quotas when the recording begins; default: none. */
  readonly startUsage?: readonly StartUsage[];
  /** Whether dimension values are keyed hashes; default false. */
  readonly isHashed?: boolean;
  /** Hashes of the values that the policies name (`NamedValues`), by tenant; default: they are not known. */
  readonly hashes?: ReadonlyMap<string, readonly NamedHash[]>;
  /** Spreads requests of one tick of a coarse clock over the tick; default: all at its start. */
  readonly isSpread?: boolean;
  /** Bounds the memory: counters of all sides, and subjects; default 2,000,000 each. */
  readonly maxCounters?: number;
  /** Tenants in the result; default 100. */
  readonly maxTenants?: number;
}

const MAX_COUNTERS = 2_000_000;
const MAX_TENANTS = 100;

/** About 24 bytes each. */
const MAX_OPEN_ROWS = 16_000_000;

/**
 * Decides recorded requests by the live policy and by a draft, and counts how they differ (docs/adr/0055-traffic-replay.md).
 * @param blocks in the order of their first decision
 * @throws Error that names what cannot be compiled; RangeError if `blocks` are not in order or need too many counters
 */
export function replayTraffic(blocks: Iterable<TrafficBlock>, options: ReplayOptions): ReplayResult {
  const replay = new TrafficReplay(options);
  for (const block of blocks) replay.add(block);
  replay.end();
  return replay.result();
}

/** A block, with its dictionaries resolved. */
interface OpenBlock {
  readonly block: TrafficBlock;
  readonly subjects: readonly ReplaySubject[];
  readonly operations: readonly ReplayOperation[];
  readonly verdicts: readonly ReplayVerdict[];
}

interface ReplayVerdict extends RecordedOutcome {
  readonly limit: string | null;
  readonly hasOwnCost: boolean;
  readonly isImported: boolean;
  readonly uncovered: Uncovered | undefined;
  /** Index of the live policy. */
  readonly livePolicy: number;
  readonly isOfEarlierPolicy: boolean;
}

/** The operations of a request on all sides. */
interface Route {
  readonly live: OperationAt | undefined;
  readonly present: OperationAt | undefined;
  readonly draft: OperationAt;
  /** Shared by the routes of a tenant with the same limits and rules. */
  readonly slot: Slot;
  /** Of the live side's list, then the present one's. */
  readonly lengths: readonly [number, number];
  /** Of the whole list; 0: there is none. */
  readonly length: number;
  /** Unix ms. */
  readonly untilMs: number;
}

/** Lists of the subjects are computed again at each change of their rules. */
interface Slot {
  readonly index: number;
  epoch: number;
  /** Of the epoch, Unix ms. */
  untilMs: number;
}

interface TenantRoutes {
  /** By operation and live policy. */
  readonly routes: (Route | undefined)[];
  /** By the slots of the operations. */
  readonly slots: Map<string, Slot>;
}

/** A replay that receives its blocks one by one. */
export class TrafficReplay {
  /** Decisions so far. */
  decisions = 0;
  private readonly live: ReplaySide | undefined;
  private readonly present: ReplaySide | undefined;
  private readonly draft: ReplaySide;
  private readonly order: RowOrder<OpenBlock>;
  private readonly tally = new ReplayTally();
  private readonly subjects = new Map<string, ReplaySubject>();
  private readonly tenants = new Map<string, number>();
  private readonly operations = new Map<string, ReplayOperation>();
  private readonly routes: (TenantRoutes | undefined)[] = [];
  /** The sides' lists for a subject and slot, one after another. */
  private readonly lists = new SubjectLists();
  private readonly livePolicies: number;
  private readonly maxCounters: number;
  private readonly baseline: Baseline = { allowed: true, limit: null };
  private fromUs: number | undefined;
  private readonly toUs: number;
  private hasOutcomes = false;
  /** Limits that are not warm, by API. */
  private readonly cold = new Map<string, Set<string>>();

  /** @throws Error that names what cannot be compiled */
  constructor(private readonly options: ReplayOptions) {
    const { draft, live, present, startUsage = [], isHashed = false, maxCounters = MAX_COUNTERS } = options;
    this.maxCounters = maxCounters;
    this.livePolicies = live?.length ?? 1;
    this.toUs = options.range?.toUs ?? Number.POSITIVE_INFINITY;
    const policies = [...(live ?? []), ...(present === undefined ? [] : [present]), draft];
    const values = new RecordedValues(policies, isHashed ? (options.hashes ?? new Map()) : undefined);
    const counters = new CounterTables(3, maxCounters);
    const sideOf = (index: number, of: readonly ReplayPolicy[]) =>
      new ReplaySide(index, new ReplayOperations(of, counters, isHashed), { counters, values, startUsage });
    this.draft = sideOf(0, [draft]);
    this.live = live === undefined ? undefined : sideOf(1, live);
    this.present = present === undefined ? undefined : sideOf(2, [present]);
    for (const name of options.notWarm ?? []) {
      const [api = '', limit = ''] = name.split('/');
      getOrAdd(this.cold, api, () => new Set<string>()).add(limit);
    }
    this.order = new RowOrder(
      (block) => this.open(block),
      (opened, row, atUs) => this.decide(opened, row, atUs),
      options.isSpread,
    );
  }

  /**
   * Adds a block, in the order of the first decision, and decides all requests before it. @throws RangeError for another
   * order, or if the blocks need too much memory
   */
  add(block: TrafficBlock): void {
    if (this.order.openRows + block.rows > MAX_OPEN_ROWS) {
      throw new RangeError(
        `more than ${MAX_OPEN_ROWS} requests have to be in memory at once; replay a shorter time or one tenant`,
      );
    }
    this.order.add(block);
  }

  /**
   * Decides the remaining requests. Blocks of other tenants may follow, with a range and unless limits count all tenants
   * together.
   */
  end(): void {
    this.order.end();
  }

  private open(block: TrafficBlock): OpenBlock {
    this.tally.open(block);
    this.fromUs ??= this.options.range?.fromUs;
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

  private decide({ block, subjects, operations, verdicts }: OpenBlock, row: number, nowUs: number): void {
    const subject = subjects[block.subject[row] as number] as ReplaySubject;
    const operation = operations[block.operation[row] as number] as ReplayOperation;
    const verdict = verdicts[block.verdict[row] as number] as ReplayVerdict;
    const ownCost = verdict.hasOwnCost ? (block.cost[row] as number) : 0;
    const { live, present, draft, tally, baseline } = this;
    if (nowUs >= this.toUs) return;
    this.decisions++;
    const route = this.routeOf(subject, operation, verdict.livePolicy, nowUs / 1000);
    const list = route.length === 0 ? 0 : this.listOf(subject, route, nowUs);
    const { cells } = this.lists;
    const [ofLive, ofPresent] = route.lengths;
    const recorded = verdict.isImported ? undefined : verdict;
    if (route.live !== undefined)
      live?.decide(route.live, cells, list, ownCost, nowUs, recorded, verdict.isOfEarlierPolicy);
    if (route.present !== undefined)
      present?.decide(route.present, cells, list + ofLive, ownCost, nowUs, recorded);
    draft.decide(route.draft, cells, list + ofLive + ofPresent, ownCost, nowUs, recorded);
    if (nowUs < (this.fromUs as number)) {
      tally.warmUp++;
      return;
    }
    const isCold = verdict.limit !== null && this.cold.get(operation.api)?.has(verdict.limit) === true;
    const uncovered = verdict.uncovered ?? (isCold ? 'cold window' : live?.uncovered);
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
    if (present !== undefined) {
      baseline.allowed = present.allowed;
      baseline.limit = present.allowed ? null : (present.limit?.stored.name ?? null);
    }
    const reason = uncovered ?? present?.uncovered ?? draft.uncovered;
    if (reason === undefined) tally.compare(baseline, draft, subject, operation, nowUs);
    else tally.skip(reason, nowUs);
  }

  private routeOf(
    subject: ReplaySubject,
    operation: ReplayOperation,
    livePolicy: number,
    nowMs: number,
  ): Route {
    let tenant = this.routes[subject.tenantIndex];
    if (tenant === undefined) {
      tenant = { routes: [], slots: new Map() };
      this.routes[subject.tenantIndex] = tenant;
    }
    const at = operation.index * this.livePolicies + livePolicy;
    const known = tenant.routes[at];
    if (known !== undefined && nowMs < known.untilMs) return known;
    const live = this.live?.operations.find(subject, operation, livePolicy, nowMs);
    const present = this.present?.operations.find(subject, operation, 0, nowMs);
    const draft = this.draft.operations.find(subject, operation, 0, nowMs);
    const untilMs = Math.min(
      draft.untilMs,
      live?.untilMs ?? draft.untilMs,
      present?.untilMs ?? draft.untilMs,
    );
    const lengths: Route['lengths'] = [live ? listLength(live) : 0, present ? listLength(present) : 0];
    const { slots } = tenant;
    const slot = getOrAdd(slots, `${live?.slot} ${present?.slot} ${draft.slot}`, () => ({
      index: slots.size,
      epoch: 0,
      untilMs,
    }));
    if (nowMs >= slot.untilMs) {
      slot.epoch++;
      slot.untilMs = untilMs;
    }
    const length = lengths[0] + lengths[1] + listLength(draft);
    const route: Route = { live, present, draft, slot, lengths, length, untilMs };
    tenant.routes[at] = route;
    return route;
  }

  private listOf(subject: ReplaySubject, { live, present, draft, slot }: Route, nowUs: number): number {
    const known = this.lists.find(subject.index, slot.index, slot.epoch);
    if (known > 0) return known;
    const numbers = [
      ...(live === undefined ? [] : (this.live?.listOf(subject, live, nowUs) ?? [])),
      ...(present === undefined ? [] : (this.present?.listOf(subject, present, nowUs) ?? [])),
      ...this.draft.listOf(subject, draft, nowUs),
    ];
    return known === 0
      ? this.lists.add(subject.index, slot.index, slot.epoch, numbers)
      : this.lists.replace(-known, slot.epoch, numbers);
  }

  result(): ReplayResult {
    const { live, maxTenants = MAX_TENANTS } = this.options;
    return this.tally.result(maxTenants, live !== undefined, this.hasOutcomes);
  }

  private subjectOf({ tenant, values }: TrafficSubject): ReplaySubject {
    const sorted = isSorted(values) ? values : [...values].sort(([a], [b]) => (a < b ? -1 : 1));
    let key = tenant;
    for (const [dimension, value] of sorted) key += `\n${dimension}\n${value}`;
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
      isByLimits: isAllowed ? outcome !== 'no_limit' : limit !== null,
      limit: isAllowed ? null : limit,
      hasOwnCost: (flags & TRAFFIC_FLAGS.ownCost) !== 0,
      isImported,
      uncovered: uncoveredBy(outcome, flags),
      isOfEarlierPolicy: !isImported && revision < (this.options.liveSince ?? 0),
      livePolicy: this.live?.operations.policyAt(revision) ?? 0,
    };
  }
}

function isSorted(values: TrafficSubject['values']): boolean {
  for (let i = 1; i < values.length; i++) {
    if ((values[i - 1] as readonly [string, string])[0] > (values[i] as readonly [string, string])[0])
      return false;
  }
  return true;
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
