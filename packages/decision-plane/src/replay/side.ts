import { algorithmOf } from '../algorithms/index.js';
import { modeOf } from '../decide/counter-book.js';
import type { EffectiveLimit, LimitMode } from '../policy/catalogue.js';
import type { WirePolicy } from '../policy/compile.js';
import { counterKey, globalTag, MISSING_VALUE } from '../store/keys.js';
import { ENDLESS } from '../store/memory/memory-counters.js';
import { type CounterTable, PlaceLists, SKIPPED } from './counters.js';
import type {
  LimitAt,
  OperationAt,
  ReplayOperation,
  ReplayOperations,
  ReplaySubject,
  Uncovered,
} from './operations.js';
import { ReplayPenalties } from './penalties.js';

/** Usage of a quota's counter when the recording begins. */
export interface StartUsage {
  readonly key: string;
  readonly periodEndMs: number;
  readonly used: number;
}

export interface SideOptions {
  /** Bounds the memory: about 300 bytes each. */
  readonly maxCounters: number;
  readonly startUsage: readonly StartUsage[];
}

/** By {@link LimitMode}, in the two low bits of a listed place. */
const MODES: readonly LimitMode[] = ['enforce', 'shadow', 'candidate'];

/** The subject's requests are blocked or lack a dimension: rejected by the limit at index `REJECTED - place`. */
const REJECTED = SKIPPED - 1;

/**
 * Decides requests in order of time by the models and the rules of the engine, with separate counters per side.
 * {@link decide} writes its result to the fields, to allocate no object per decision.
 */
export class ReplaySide {
  allowed = true;
  /** The binding limit of a denial; null: blocked. */
  limit: EffectiveLimit | null = null;
  /** Of a denial: until the request would be allowed, µs; -1: never. */
  waitUs = 0;
  cost = 1;
  uncovered: Uncovered | undefined;
  /** Of the request; undefined before the first. */
  at: OperationAt | undefined;
  private readonly lists = new PlaceLists();
  private readonly penalties = new ReplayPenalties();
  private counters = 0;
  private readonly startUsage: ReadonlyMap<string, StartUsage>;
  /** States to write, by limit; undefined: none. Steps themselves are not kept, so that they take no memory. */
  private readonly next: unknown[] = [];

  constructor(
    readonly operations: ReplayOperations,
    private readonly options: SideOptions,
  ) {
    this.startUsage = new Map(options.startUsage.map((usage) => [usage.key, usage]));
  }

  /** @param ownCost 0: the cost of the operation @throws RangeError above the maximum of counters */
  decide(
    subject: ReplaySubject,
    operation: ReplayOperation,
    policyIndex: number,
    ownCost: number,
    nowUs: number,
  ): void {
    const nowMs = nowUs / 1000;
    const at = this.operations.find(subject, operation, policyIndex, nowMs);
    this.at = at;
    this.cost = ownCost === 0 ? at.cost : ownCost;
    this.uncovered = at.uncovered;
    this.allowed = true;
    this.limit = null;
    this.waitUs = -1;
    if (at.isBlocked) this.allowed = false;
    else if (at.limits.length > 0) this.decideLimited(subject, at, nowUs, nowMs);
  }

  private decideLimited(subject: ReplaySubject, at: OperationAt, nowUs: number, nowMs: number): void {
    const { limits, slot } = at;
    const { cost, next, lists } = this;
    const list =
      lists.find(subject.index, slot) || lists.add(subject.index, slot, this.placesOf(subject, at, nowUs));
    if (lists.at(list) <= REJECTED) {
      this.allowed = false;
      this.limit = (limits[REJECTED - lists.at(list)] as LimitAt).limit;
      return;
    }
    let longestUs = -1;
    for (let i = 0; i < limits.length; i++) {
      const place = lists.at(list + i);
      if (place === SKIPPED) continue;
      const { limit, table } = limits[i] as LimitAt;
      const mode = MODES[place & 3] as LimitMode;
      const policy = limit.policy(nowMs, mode);
      const state = table.read(place >> 2, policy, nowUs);
      const own = limit.model.step(state, policy, cost, nowUs, 0);
      const step =
        policy.penalty === undefined
          ? own
          : this.penalties.apply(table, place >> 2, policy.penalty, own, cost > 0, nowUs, () =>
              limit.model.step(state, policy, 0, nowUs, 0),
            );
      next[i] = step.allowed ? step.state : undefined;
      if (step.allowed || mode !== 'enforce') continue;
      const waitUs = step.waitUs < 0 ? Number.POSITIVE_INFINITY : step.waitUs;
      if (this.allowed || waitUs > longestUs) {
        longestUs = waitUs;
        this.limit = limit;
        this.waitUs = step.waitUs;
      }
      this.allowed = false;
    }
    if (!this.allowed || cost === 0) return;
    for (let i = 0; i < limits.length; i++) {
      const place = lists.at(list + i);
      if (place === SKIPPED) continue;
      const { limit, table } = limits[i] as LimitAt;
      const state = next[i];
      if (state !== undefined)
        table.write(place >> 2, limit.policy(nowMs, MODES[place & 3] as LimitMode), state);
    }
  }

  /** By limit: the place of the counter and the mode, {@link SKIPPED}, or {@link REJECTED} for all. */
  private placesOf({ values }: ReplaySubject, { limits, tag }: OperationAt, nowUs: number): number[] {
    const sent = new Map(values);
    const places: number[] = [];
    for (const [i, { limit, table }] of limits.entries()) {
      const { dimensions, stored, keyStem, isGlobal } = limit;
      const isMissing = dimensions.some((dimension) => !sent.has(dimension));
      if (isMissing && stored.onMissing === 'refuse') return limits.map(() => REJECTED - i);
      if (isMissing && stored.onMissing === 'skip') {
        places.push(SKIPPED);
        continue;
      }
      const written = dimensions.map((dimension) => sent.get(dimension) ?? MISSING_VALUE);
      const key = counterKey(isGlobal ? globalTag(stored.api) : tag, keyStem, written);
      const mode = modeOf(limit, key);
      if (limit.isBlocking) {
        if (mode === 'enforce') return limits.map(() => REJECTED - i);
        places.push(SKIPPED);
        continue;
      }
      const policy = limit.policy(nowUs / 1000, mode);
      const place = table.find(key) ?? this.addCounter(table, key, policy, nowUs);
      if (policy.penalty !== undefined) this.penalties.add(table, place, key);
      places.push(place * 4 + MODES.indexOf(mode));
    }
    return places;
  }

  private addCounter(table: CounterTable, key: string, policy: WirePolicy, nowUs: number): number {
    const { maxCounters } = this.options;
    if (this.counters >= maxCounters) {
      throw new RangeError(
        `the replay needs more than ${maxCounters} counters; replay a shorter time or one tenant`,
      );
    }
    this.counters++;
    return table.add(key, this.startState(key, policy, nowUs), policy);
  }

  private startState(key: string, policy: WirePolicy, nowUs: number): unknown {
    const usage = this.startUsage.get(key);
    if (usage === undefined || !('endMs' in policy) || policy.endMs !== usage.periodEndMs) return undefined;
    return algorithmOf(policy.kind).step(undefined, { ...policy, extra: ENDLESS }, usage.used, nowUs, 0)
      .state;
  }
}
