import type { Step } from '../algorithms/algorithm.js';
import { algorithmOf } from '../algorithms/index.js';
import { modeOf } from '../decide/counter-book.js';
import type { EffectiveLimit, LimitMode } from '../policy/catalogue.js';
import { isNewerId, rebased, type WirePolicy } from '../policy/compile.js';
import { counterKey, globalTag, MISSING_VALUE } from '../store/keys.js';
import { ENDLESS } from '../store/memory/memory-counters.js';
import type {
  OperationAt,
  ReplayOperation,
  ReplayOperations,
  ReplaySubject,
  Uncovered,
} from './operations.js';

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

interface Counter {
  state: unknown;
  /** Of the policy that wrote the state. */
  id: number;
}

/** A limit of a subject's request, with its counter. */
interface Check {
  readonly limit: EffectiveLimit;
  readonly mode: LimitMode;
  readonly counter: Counter;
}

interface Checks {
  readonly list: readonly Check[];
  /** The limit that rejects the subject's requests, because they lack a dimension. */
  readonly rejectedBy: EffectiveLimit | null;
}

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
  /** By subject and slot. */
  private readonly checks: (Checks | undefined)[][] = [];
  private readonly counters = new Map<string, Counter>();
  private readonly startUsage: ReadonlyMap<string, StartUsage>;
  private readonly steps: Step<unknown>[] = [];

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
    this.cost = ownCost === 0 ? at.cost : ownCost;
    this.uncovered = at.uncovered;
    this.allowed = true;
    this.limit = null;
    this.waitUs = -1;
    if (at.isBlocked) this.allowed = false;
    else if (at.limits.length > 0) this.decideLimited(subject, operation, at, nowUs, nowMs);
  }

  private decideLimited(
    subject: ReplaySubject,
    operation: ReplayOperation,
    at: OperationAt,
    nowUs: number,
    nowMs: number,
  ): void {
    const checks = this.checksOf(subject, operation, at, nowUs);
    if (checks.rejectedBy !== null) {
      this.allowed = false;
      this.limit = checks.rejectedBy;
      return;
    }
    const { cost, steps } = this;
    const { list } = checks;
    let longestUs = -1;
    for (let i = 0; i < list.length; i++) {
      const { limit, mode, counter } = list[i] as Check;
      const policy = limit.policy(nowMs, mode);
      const state =
        counter.state === undefined ? undefined : rebased(counter.state, counter.id, policy, nowUs);
      const step = limit.model.step(state, policy, cost, nowUs, 0);
      steps[i] = step;
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
    for (let i = 0; i < list.length; i++) {
      const { limit, mode, counter } = list[i] as Check;
      const step = steps[i] as Step<unknown>;
      if (step.allowed) write(counter, limit.policy(nowMs, mode), step.state);
    }
  }

  private checksOf(subject: ReplaySubject, { api }: ReplayOperation, at: OperationAt, nowUs: number): Checks {
    const { index } = subject;
    let bySlot = this.checks[index];
    if (bySlot === undefined) {
      bySlot = [];
      this.checks[index] = bySlot;
    }
    let checks = bySlot[at.slot];
    if (checks === undefined) {
      checks = this.newChecks(subject, api, at.limits, nowUs);
      bySlot[at.slot] = checks;
    }
    return checks;
  }

  private newChecks(
    { tenant, values }: ReplaySubject,
    api: string,
    limits: readonly EffectiveLimit[],
    nowUs: number,
  ): Checks {
    const sent = new Map(values);
    const list: Check[] = [];
    for (const limit of limits) {
      const { dimensions, stored, keyStem, isGlobal } = limit;
      const isMissing = dimensions.some((dimension) => !sent.has(dimension));
      if (isMissing && stored.onMissing === 'refuse') return { list: [], rejectedBy: limit };
      if (isMissing && stored.onMissing === 'skip') continue;
      const written = dimensions.map((dimension) => sent.get(dimension) ?? MISSING_VALUE);
      const key = counterKey(isGlobal ? globalTag(api) : tenant, keyStem, written);
      const mode = modeOf(limit, key);
      list.push({ limit, mode, counter: this.counterOf(key, limit.policy(nowUs / 1000, mode), nowUs) });
    }
    return { list, rejectedBy: null };
  }

  private counterOf(key: string, policy: WirePolicy, nowUs: number): Counter {
    let counter = this.counters.get(key);
    if (counter !== undefined) return counter;
    const { maxCounters } = this.options;
    if (this.counters.size >= maxCounters) {
      throw new RangeError(
        `the replay needs more than ${maxCounters} counters; replay a shorter time or one tenant`,
      );
    }
    counter = { state: this.startState(key, policy, nowUs), id: policy.id };
    this.counters.set(key, counter);
    return counter;
  }

  private startState(key: string, policy: WirePolicy, nowUs: number): unknown {
    const usage = this.startUsage.get(key);
    if (usage === undefined || !('endMs' in policy) || policy.endMs !== usage.periodEndMs) return undefined;
    return algorithmOf(policy.kind).step(undefined, { ...policy, extra: ENDLESS }, usage.used, nowUs, 0)
      .state;
  }
}

/** Keeps the id of a state that a later policy wrote, as `MemoryCounters` does. */
function write(counter: Counter, policy: WirePolicy, state: unknown): void {
  const isNewer = counter.state !== undefined && isNewerId(counter.id, policy);
  counter.state = state;
  if (!isNewer) counter.id = policy.id;
}
