import { hasDefaultPrefixes, prefixesOf } from '@tollgate/contracts';
import { algorithmOf } from '@tollgate/limiter/algorithms';
import {
  counterKey,
  dimensionValue,
  globalTag,
  MISSING_VALUE,
  type WirePolicy,
} from '@tollgate/limiter/rules';
import { ENDLESS } from '@tollgate/limiter/stores';
import { type EffectiveLimit, type LimitMode, type MayMatch, modeOf } from '@tollgate/policy';
import type { CounterTables } from './counters.js';
import {
  isEnforcedByKey,
  type LimitAt,
  type LimitVariant,
  type OperationAt,
  type ReplayOperations,
  type ReplaySubject,
  type Uncovered,
} from './operations.js';
import { ReplayPenalties } from './penalties.js';
import { mayMatch, type RecordedValues, type SentSubject, type UnclearValue } from './recorded-values.js';

/** Usage of a quota's counter when the recording begins. */
export interface StartUsage {
  readonly key: string;
  readonly periodEndMs: number;
  readonly used: number;
}

export interface SideOptions {
  readonly counters: CounterTables;
  readonly values: RecordedValues;
  readonly startUsage: readonly StartUsage[];
}

// A subject's list for an operation: how its requests are decided, why they are not covered, and for each limit the place of its
// counter and the number of its variant.

/** By the limits. */
const LIMITED = 0;
/** Exempt from all limits by a rule. */
const EXEMPT = 1;
/** Denied by a rule. */
const DENIED = 2;
/** And higher: rejected by the limit at this index, which blocks or lacks a dimension. */
const REJECTED = 3;

/** Place of a limit that does not apply. */
const SKIPPED = -1;

const UNCOVERED: readonly (Uncovered | undefined)[] = [
  undefined,
  'subject rules',
  'amounts per label',
  'address prefix',
];

/** How the node decided a request. */
export interface RecordedOutcome {
  readonly isAllowed: boolean;
  /** False: a rule for the subject decided, and nothing was charged. */
  readonly isByLimits: boolean;
}

/** Numbers of an operation's lists. */
export function listLength({ rules, limits, isBlocked }: OperationAt): number {
  return isBlocked || (rules === undefined && limits.length === 0) ? 0 : 2 + 2 * limits.length;
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
  /** Of the request; undefined before the first. */
  at: OperationAt | undefined;
  private readonly penalties = new ReplayPenalties();
  private readonly startUsage: ReadonlyMap<string, StartUsage>;
  /** States to write, by limit; undefined: none. Steps themselves are not kept, so that they take no memory. */
  private readonly next: unknown[] = [];

  /** @param index among the sides of `counters` */
  constructor(
    private readonly index: number,
    readonly operations: ReplayOperations,
    private readonly options: SideOptions,
  ) {
    this.startUsage = new Map(options.startUsage.map((usage) => [usage.key, usage]));
  }

  /**
   * @param cells from `start`: the subject's list, as {@link listOf} returned it @param ownCost 0: the cost of the operation
   * @param recorded if the request is not covered, decides what it charges to counters that others share; undefined: the model
   * decides that @param isOfEarlierPolicy whether a policy that is not known decided it
   */
  decide(
    at: OperationAt,
    cells: Int32Array,
    start: number,
    ownCost: number,
    nowUs: number,
    recorded: RecordedOutcome | undefined,
    isOfEarlierPolicy = false,
  ): void {
    this.at = at;
    this.cost = ownCost === 0 ? at.cost : ownCost;
    this.uncovered = isOfEarlierPolicy ? 'earlier policy' : at.uncovered;
    this.allowed = !at.isBlocked;
    this.limit = null;
    this.waitUs = -1;
    if (at.isBlocked || (at.rules === undefined && at.limits.length === 0)) return;
    const decidedBy = cells[start] as number;
    this.uncovered ??= UNCOVERED[cells[start + 1] as number];
    const known = this.uncovered === undefined ? undefined : recorded;
    if (known?.isByLimits === false) return;
    if (decidedBy === LIMITED) this.decideLimited(at.limits, cells, start + 2, nowUs, known?.isAllowed);
    else if (decidedBy !== EXEMPT) {
      this.allowed = false;
      this.limit = at.limits[decidedBy - REJECTED]?.limit ?? null;
    }
  }

  private decideLimited(
    limits: readonly LimitAt[],
    cells: Int32Array,
    start: number,
    nowUs: number,
    isAllowed: boolean | undefined,
  ): void {
    const { cost, next, index } = this;
    const nowMs = nowUs / 1000;
    let longestUs = -1;
    for (let i = 0; i < limits.length; i++) {
      const place = cells[start + 2 * i] as number;
      if (place === SKIPPED) continue;
      const { table, variants } = limits[i] as LimitAt;
      const { limit, mode } = variants[cells[start + 2 * i + 1] as number] as LimitVariant;
      const policy = limit.policy(nowMs, mode);
      const state = table.read(place, index, policy, nowUs);
      const own = limit.model.step(state, policy, cost, nowUs, 0);
      const step =
        policy.penalty === undefined
          ? own
          : this.penalties.apply(table, place, policy.penalty, own, cost > 0, nowUs, () =>
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
    if (!(isAllowed ?? this.allowed) || cost === 0) return;
    for (let i = 0; i < limits.length; i++) {
      const place = cells[start + 2 * i] as number;
      const state = next[i];
      if (place === SKIPPED || state === undefined) continue;
      const { table, variants } = limits[i] as LimitAt;
      const { limit, mode } = variants[cells[start + 2 * i + 1] as number] as LimitVariant;
      table.write(place, index, limit.policy(nowMs, mode), state);
    }
  }

  /** How requests of the subject are decided, until the operation's `untilMs`. @throws RangeError above the maximum of counters */
  listOf(subject: ReplaySubject, at: OperationAt, nowUs: number): number[] {
    const list = Array<number>(listLength(at)).fill(0);
    if (list.length === 0) return list;
    const sent = this.options.values.sentBy(subject);
    const mayApply: MayMatch = (dimension, pattern) =>
      sent.unclear.some((value) => value.dimension === dimension && mayMatch(pattern, value));
    const nowMs = nowUs / 1000;
    const access = at.rules?.accessOf(sent.values, nowMs);
    if (access?.kind === 'deny') {
      list[0] = DENIED;
      return list;
    }
    let uncovered: Uncovered | undefined;
    if (at.rules?.mayDecideAccess(mayApply, nowMs) === true) uncovered = 'subject rules';
    if (access !== undefined) list[0] = EXEMPT;
    else {
      for (const [i, one] of at.limits.entries()) {
        uncovered ??= this.uncoveredBy(one, sent, mayApply, nowMs);
        const found = this.variantOf(one, subject, at.tag, sent, nowUs);
        if (found === 'rejected') {
          list[0] = REJECTED + i;
          break;
        }
        list[2 + 2 * i] = found?.place ?? SKIPPED;
        list[3 + 2 * i] = found?.variant ?? 0;
      }
    }
    list[1] = Math.max(0, UNCOVERED.indexOf(uncovered));
    return list;
  }

  /** Why the limit of the subject is not known. */
  private uncoveredBy(
    { limit: { stored, dimensions, labels }, rules }: LimitAt,
    { values: sent, unclear }: SentSubject,
    mayApply: MayMatch,
    nowMs: number,
  ): Uncovered | undefined {
    if (rules?.mayChange(stored, dimensions, mayApply, nowMs) === true) return 'subject rules';
    if (unclear.some(({ dimension, kind }) => dimension === labels?.by && kind === 'any')) {
      return 'amounts per label';
    }
    if (!dimensions.includes('ip') || hasDefaultPrefixes(stored)) return undefined;
    // Addresses are recorded as limits with the default lengths count them.
    const { ipv6Prefix } = prefixesOf(stored);
    const isOnlyNetwork = ipv6Prefix > 64 && unclear.some(({ kind }) => kind === 'network');
    const isHash = this.options.values.isHashed && (sent.ip !== undefined || unclear.some(isAddress));
    return isHash || isOnlyNetwork ? 'address prefix' : undefined;
  }

  /** The limit of the subject and its counter; undefined: none applies. */
  private variantOf(
    one: LimitAt,
    { values }: ReplaySubject,
    tag: string,
    { values: sent }: SentSubject,
    nowUs: number,
  ): { place: number; variant: number } | 'rejected' | undefined {
    const { limit: base, table, rules } = one;
    const { dimensions, labels, stored, keyStem, isGlobal } = base;
    const nowMs = nowUs / 1000;
    const limit = limitFor(base, rules, sent, nowMs);
    if (limit === undefined) return undefined;
    const recorded = new Map(values);
    const isMissing = dimensions.some((dimension) => !recorded.has(dimension));
    if (isMissing && stored.onMissing === 'refuse') return 'rejected';
    if (isMissing && stored.onMissing === 'skip') return undefined;
    const written = dimensions.map((dimension) => {
      const value = dimension === 'ip' && !this.options.values.isHashed ? sent.ip : undefined;
      return (value && dimensionValue(dimension, value, stored)) ?? recorded.get(dimension) ?? MISSING_VALUE;
    });
    if (labels !== undefined) {
      const label = sent[labels.by];
      const isOwn = label !== undefined && labels.own.has(label);
      // Not as recorded: all tenants share the counter of a label, and a hash is of one.
      written.push((isOwn ? dimensionValue(labels.by, label) : undefined) ?? MISSING_VALUE);
    }
    const key = counterKey(isGlobal ? globalTag(stored.api) : tag, keyStem, written);
    const mode = modeOf(base, key);
    if (limit.isBlocking) {
      // If it is not known, the other limits still charge what was recorded as allowed.
      const isModeKnown = !this.options.values.isHashed || !isEnforcedByKey(base);
      return mode === 'enforce' && isModeKnown ? 'rejected' : undefined;
    }
    const policy = limit.policy(nowMs, mode);
    const place = this.options.counters.place(table, key);
    this.start(one, place, key, policy, nowUs);
    if (policy.penalty !== undefined) this.penalties.add(table, place, key);
    return { place, variant: variantIndex(one.variants, limit, mode) };
  }

  /** Begins a quota with known usage. */
  private start({ table }: LimitAt, place: number, key: string, policy: WirePolicy, nowUs: number): void {
    const usage = this.startUsage.get(key);
    if (usage === undefined || table.isCounted(place, this.index)) return;
    if (!('endMs' in policy) || policy.endMs !== usage.periodEndMs) return;
    const algorithm = algorithmOf(policy.kind);
    const { state } = algorithm.step(undefined, { ...policy, extra: ENDLESS }, usage.used, nowUs, 0);
    if (state !== undefined) table.write(place, this.index, policy, state);
  }
}

const isAddress = ({ dimension }: UnclearValue): boolean => dimension === 'ip';

/** The limit for a subject with these values, as in the engine. */
function limitFor(
  base: EffectiveLimit,
  rules: LimitAt['rules'],
  sent: SentSubject['values'],
  nowMs: number,
): EffectiveLimit | undefined {
  const limit = base.labels === undefined ? base : base.ofLabel(sent[base.labels.by], nowMs);
  const change = limit && rules?.changeOf(limit.stored, limit.dimensions, sent, nowMs);
  if (change === undefined) return limit;
  return change === 'exempt' ? undefined : limit?.changedBy(change, nowMs);
}

function variantIndex(variants: LimitVariant[], limit: EffectiveLimit, mode: LimitMode): number {
  const known = variants.findIndex((one) => one.limit === limit && one.mode === mode);
  return known >= 0 ? known : variants.push({ limit, mode }) - 1;
}
