import { coversApi, type LimitPolicy, type Outcome } from '@tollgate/contracts';
import { algorithmOf } from '@tollgate/limiter/algorithms';
import type { WirePolicy } from '@tollgate/limiter/rules';
import { ENDLESS } from '@tollgate/limiter/stores';
import { TRAFFIC_FLAGS, type TrafficBlock, type TrafficSubject, type Verdict } from '../traffic/block.js';
import { MAX_MISMATCH } from './result.js';
import { RowOrder } from './rows.js';

/** A counter in a recording. */
export interface RecordedCounter {
  /** The limit in effect. */
  readonly limit: LimitPolicy;
  /** Values of its dimensions as recorded; absent: of requests without a value, which share a counter. */
  readonly values: Readonly<Record<string, string>>;
}

/** The decision that the replay ends with. */
export interface LastDecision {
  /** Unix ms. */
  readonly atMs: number;
  /** Units left after it. */
  readonly remaining: number;
}

export interface CounterSteps {
  /** Unix ms, likewise the others. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
  /** All steps of the range, ascending. */
  readonly steps: readonly CounterStep[];
  /** Decisions that checked the counter. */
  readonly decisions: number;
  /** Of these, the ones whose outcome the model can confirm, and those where it differs. */
  readonly compared: number;
  readonly mismatches: number;
  /** Whether the model reproduces the last decision, and the others with at most {@link MAX_MISMATCH} mismatches. */
  readonly isReliable: boolean;
}

export interface CounterStep {
  /** Start. */
  readonly atMs: number;
  /** The fewest units left. */
  readonly left: number;
  readonly allowed: number;
  /** Denied by the limit of the counter. */
  readonly denied: number;
}

/** Effect of a decision on the counter. */
enum Effect {
  Charged,
  Denied,
  /** Denied by another limit: not charged. */
  DeniedElsewhere,
  /** Counted by no limit, such as the request of an exempt caller. */
  NotCounted,
}

interface CounterRow {
  readonly atUs: number;
  readonly cost: number;
  readonly effect: Effect;
  /** The node decided it by the counter alone, and its charge was final. */
  readonly isComparable: boolean;
}

/** A block, with its dictionaries matched to the counter. */
interface OpenBlock {
  readonly block: TrafficBlock;
  readonly isSubject: readonly boolean[];
  readonly isOperation: readonly boolean[];
  readonly verdicts: readonly { effect: Effect; isComparable: boolean }[];
}

/**
 * Replays one counter of a recording: charges the requests that were recorded as charged, regardless of other limits, and
 * compares each step of the model with the recorded outcome.
 */
export class CounterReplay {
  private readonly order = new RowOrder<OpenBlock>(
    (block) => this.open(block),
    (opened, row, atUs) => this.collect(opened, row, atUs),
  );
  private readonly rows: CounterRow[] = [];

  constructor(private readonly counter: RecordedCounter) {}

  /** Adds a block of the counter's tenant, in the order of the first decision. @throws RangeError for another order */
  add(block: TrafficBlock): void {
    this.order.add(block);
  }

  /**
   * @param policy compiled for the time of `last` @param fromMs start of the steps; decisions before only charge the counter
   * @param steps number of steps
   * @param startMs if the counter counts in one window that began before the recording: since when decisions are recorded
   * @returns undefined if the recording lacks the last decision
   */
  result(
    policy: WirePolicy,
    last: LastDecision,
    fromMs: number,
    steps: number,
    startMs?: number,
  ): CounterSteps | undefined {
    this.order.end();
    const end = this.rows.findLastIndex(({ atUs }) => atUs < (last.atMs + 1) * 1000) + 1;
    const rows = this.rows.slice(0, end);
    if (rows.every(({ atUs }) => atUs < last.atMs * 1000)) return undefined;
    const run = new CounterRun(policy, { fromMs, toMs: last.atMs + 1 }, steps);
    let isLast = false;
    const counted = startMs === undefined ? rows : rows.filter(({ atUs }) => atUs >= startMs * 1000);
    if (startMs !== undefined) run.begin(usedBefore(counted, policy, last), startMs * 1000);
    for (const row of counted) {
      const { allowed, left } = run.decide(row, this.counter.limit);
      // A denial may repeat what was left at an earlier one.
      if (row.atUs >= last.atMs * 1000)
        isLast ||= row.effect === Effect.Denied ? !allowed : left === last.remaining;
    }
    return run.result(isLast);
  }

  private open(block: TrafficBlock): OpenBlock {
    const { limit } = this.counter;
    return {
      block,
      isSubject: block.subjects.map((subject) => this.isOfCounter(subject)),
      isOperation: block.operations.map(
        ({ api, name }) =>
          coversApi(limit, api) && (limit.operations.length === 0 || limit.operations.includes(name)),
      ),
      verdicts: block.verdicts.map((verdict) => effectOf(verdict, limit)),
    };
  }

  private isOfCounter({ values }: TrafficSubject): boolean {
    const { limit, values: own } = this.counter;
    const sent = new Map(values);
    const isMissing = limit.per.some((dimension) => !sent.has(dimension));
    // Skipped or denied: neither is counted.
    if (isMissing && (limit.onMissing === 'skip' || limit.onMissing === 'refuse')) return false;
    return limit.per.every((dimension) => sent.get(dimension) === own[dimension]);
  }

  private collect({ block, isSubject, isOperation, verdicts }: OpenBlock, row: number, atUs: number): void {
    if (isSubject[block.subject[row] as number] !== true) return;
    if (isOperation[block.operation[row] as number] !== true) return;
    const { effect, isComparable } = verdicts[block.verdict[row] as number] as OpenBlock['verdicts'][number];
    if (effect === Effect.NotCounted) return;
    this.rows.push({ atUs, cost: block.cost[row] as number, effect, isComparable });
  }
}

const DENIED: ReadonlySet<Outcome> = new Set(['denied', 'pool_denied', 'degraded_denied']);

const UNCERTAIN = TRAFFIC_FLAGS.leased | TRAFFIC_FLAGS.receipt | TRAFFIC_FLAGS.together;

function effectOf({ outcome, flags, limit: name }: Verdict, limit: LimitPolicy) {
  const isDenied = DENIED.has(outcome);
  const isOwn = outcome === 'denied' && name === limit.name;
  const ofDenied = isOwn ? Effect.Denied : Effect.DeniedElsewhere;
  const ofAllowed = name === null ? Effect.NotCounted : Effect.Charged;
  const effect = isDenied ? ofDenied : ofAllowed;
  // The block of a penalty outlasts the counter's.
  const isExplained = effect !== Effect.DeniedElsewhere && (!isOwn || limit.penalty === undefined);
  const isDegraded = outcome === 'degraded_allowed' || outcome === 'degraded_denied';
  return { effect, isComparable: isExplained && !isDegraded && (flags & UNCERTAIN) === 0 };
}

/** Units used before the first of these decisions, so that as many are left after the last one as it showed. */
function usedBefore(
  rows: readonly CounterRow[],
  { capacity }: WirePolicy,
  { remaining }: LastDecision,
): number {
  const charged = rows.reduce((sum, { cost, effect }) => sum + (effect === Effect.Charged ? cost : 0), 0);
  return Math.max(0, capacity - remaining - charged);
}

/** Steps of the model over a range. */
class CounterRun {
  private readonly model;
  private state: unknown;
  private readonly steps: { -readonly [K in keyof CounterStep]: CounterStep[K] }[] = [];
  private readonly stepMs: number;
  private readonly totals = { decisions: 0, compared: 0, mismatches: 0 };

  constructor(
    private readonly policy: WirePolicy,
    private readonly range: { fromMs: number; toMs: number },
    steps: number,
  ) {
    this.model = algorithmOf(policy.kind);
    this.stepMs = Math.ceil((range.toMs - range.fromMs) / steps);
  }

  begin(used: number, atUs: number): void {
    if (used === 0) return;
    this.state = this.model.step(undefined, { ...this.policy, extra: ENDLESS }, used, atUs, 0).state;
  }

  /** @returns whether the model allows it, and the units left after it */
  decide(
    { atUs, cost, effect, isComparable }: CounterRow,
    { enforcement }: LimitPolicy,
  ): { allowed: boolean; left: number } {
    this.openSteps(Math.floor(atUs / 1000));
    const { allowed, state, remaining } = this.model.step(this.state, this.policy, cost, atUs, 0);
    if (effect === Effect.Charged && allowed) this.state = state;
    // As in answers: above the limit, nothing is left.
    const left = effect === Effect.DeniedElsewhere ? this.leftAt(atUs) : Math.max(0, remaining);
    const step = this.steps.at(-1);
    if (step === undefined) return { allowed, left };
    this.totals.decisions++;
    // In shadow mode, a denial allows the request.
    if (isComparable && (enforcement === undefined || enforcement.mode === 'enforce')) {
      this.totals.compared++;
      if (allowed !== (effect === Effect.Charged)) this.totals.mismatches++;
    }
    step.left = Math.min(step.left, left);
    if (effect === Effect.Charged) step.allowed++;
    if (effect === Effect.Denied) step.denied++;
    return { allowed, left };
  }

  result(isLast: boolean): CounterSteps {
    const { range, stepMs, steps, totals } = this;
    this.openSteps(range.toMs - 1);
    const isReliable = isLast && totals.mismatches <= totals.compared * MAX_MISMATCH;
    return { ...range, stepMs, steps, ...totals, isReliable };
  }

  /** Begins the steps up to a time with the units left then; only charges lower them within a step. */
  private openSteps(untilMs: number): void {
    for (;;) {
      const atMs = this.range.fromMs + this.steps.length * this.stepMs;
      if (atMs > untilMs) return;
      this.steps.push({ atMs, left: this.leftAt(atMs * 1000), allowed: 0, denied: 0 });
    }
  }

  private leftAt(atUs: number): number {
    return Math.max(0, this.model.step(this.state, this.policy, 0, atUs, 0).remaining);
  }
}
