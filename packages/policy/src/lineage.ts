import {
  type CarryOver,
  isBlocking,
  type LimitPolicy,
  packedHashes,
  type TenantRecord,
  type TierRecord,
} from '@tollgate/contracts';
import { getOrAdd } from '@tollgate/contracts/maps';
import {
  type CompileContext,
  type CompiledPolicy,
  type CompiledQuota,
  kindOf,
  knownTimeZone,
} from '@tollgate/limiter/algorithms';
import { type Carry, compileLimit, POLICY_IDS, ttlPeriodExponent } from '@tollgate/limiter/rules';
import { LRUCache } from 'lru-cache';
import { type AdjustmentSet, adjustmentSet } from './adjusted-limits.js';
import { CANDIDATE, LIVE, type LimitPart, partOf } from './limit-parts.js';
import type { LimitChange } from './subject-rules.js';

/** Determines the periods of a tenant's quotas. */
export type Calendar = Omit<CompileContext, 'nowMs'>;

export interface Assignment {
  readonly tier: string;
  readonly version: number;
  readonly adjustments: AdjustmentSet;
  /** Stored in every state that is written under it. */
  readonly id: number;
  readonly calendar: Calendar;
}

export interface PastAssignment extends Assignment {
  readonly rule: CarryOver;
  readonly atMs: number;
}

const NONE_PAST: readonly PastAssignment[] = [];

export interface Lineage {
  readonly current: Assignment;
  readonly past: readonly PastAssignment[];
  /** Equal for tenants with the same limits. */
  readonly key: string;
  /** When the adjustments change next, Unix ms; Infinity: never. */
  readonly untilMs: number;
}

/** Shortest time that a move matters: other nodes may not have received it before. */
const MIN_KEPT_MS = 60_000;

/** Longest lifetime of a key, in TTL periods (`scripts/parts/policy.lua`). */
const PERIODS_OF_A_KEY = 18;

const MAX_PAST = 4;

export function keptMs(horizonMs: number): number {
  return Math.max(2 * horizonMs, PERIODS_OF_A_KEY * 2 ** ttlPeriodExponent(horizonMs), MIN_KEPT_MS);
}

function stillRelevant(
  past: readonly PastAssignment[],
  keptOf: (assignment: PastAssignment) => number,
  nowMs: number,
): readonly PastAssignment[] {
  const first = past.findIndex((assignment) => nowMs - assignment.atMs < keptOf(assignment));
  return first < 0 ? NONE_PAST : past.slice(first);
}

/**
 * Orders a tenant's moves, its tier's version changes and its adjustment changes by time. A tenant that follows its tier
 * was on every version that the current one replaced since it joined. Omits past assignments that no longer matter.
 * @param keptOf how long an assignment matters after its end, ms @returns undefined for an unknown tier
 */
export function lineageOf(
  tenant: TenantRecord,
  tiers: ReadonlyMap<string, TierRecord>,
  keptOf: (assignment: PastAssignment) => number,
  nowMs: number,
): Lineage | undefined {
  const tier = tiers.get(tenant.tier);
  if (tier === undefined) return undefined;
  const moved = (tenant.moves ?? []).map((move) => ({
    tier: move.tier,
    version: move.version,
    adjustments: adjustmentSet(tenant.adjustments, move.adjusted),
    id: idOf(move.generation, move.version),
    calendar: calendarOf(move),
    rule: move.carryOver,
    atMs: move.atMs,
  }));
  const { current, past: sinceMove, untilMs } = sinceLastMove(tenant, tier, moved.at(-1)?.atMs ?? 0, nowMs);
  const past = stillRelevant([...moved, ...sinceMove].slice(-MAX_PAST), keptOf, nowMs);
  const path = past.map((assignment) => `${keyOf(assignment)}${assignment.rule}${assignment.atMs}`);
  return { current, past, key: [keyOf(current), ...path].join(' '), untilMs };
}

/** The lineage of limits on all tenants together: that of their tier, because all tenants wrote the counters. */
export function lineageOfAll({ current, untilMs }: Lineage, tier: TierRecord | undefined): Lineage {
  const { version, calendar, adjustments } = current;
  const replaced = tier === undefined ? [] : replacementsOf(tier, version, 0);
  const assignmentOf = (number: number) => ({
    tier: current.tier,
    version: number,
    adjustments,
    id: idOf(0, number),
    calendar,
  });
  const past = replaced.map(({ number, rule, atMs }) => ({ ...assignmentOf(number), rule, atMs }));
  return { current: assignmentOf(version), past, key: '', untilMs };
}

function sinceLastMove(
  tenant: TenantRecord,
  tier: TierRecord,
  arrivedMs: number,
  nowMs: number,
): { current: Assignment; past: readonly PastAssignment[]; untilMs: number } {
  const { next = [], adjustments, pinnedVersion } = tenant;
  const calendar = calendarOf(tenant);
  // Also for a tenant that was pinned to its current version: before that it followed its tier.
  const replaced = replacementsOf(tier, pinnedVersion ?? tier.currentVersion, arrivedMs);
  const due = next.filter(({ atMs }) => atMs <= nowMs);
  const changes = [
    ...replaced.map(({ by, rule, atMs }) => ({ rule, atMs, version: by, change: undefined })),
    ...due.map((change) => ({ rule: change.carryOver, atMs: change.atMs, version: undefined, change })),
  ].sort((a, b) => a.atMs - b.atMs);
  let at = {
    generation: tenant.generation ?? 0,
    version: replaced[0]?.number ?? pinnedVersion ?? tier.currentVersion,
    adjustments: adjustmentSet(adjustments, tenant.adjusted),
  };
  const assignment = (): Assignment => ({
    tier: tier.key,
    version: at.version,
    adjustments: at.adjustments,
    id: idOf(at.generation, at.version),
    calendar,
  });
  const past: PastAssignment[] = [];
  for (const { rule, atMs, version, change } of changes) {
    past.push({ ...assignment(), rule, atMs });
    if (change !== undefined) {
      at = {
        ...at,
        generation: change.generation,
        adjustments: adjustmentSet(adjustments, change.adjusted),
      };
    } else if (version !== undefined) {
      at = { ...at, version };
    }
  }
  const untilMs = next[due.length]?.atMs ?? Number.POSITIVE_INFINITY;
  return { current: assignment(), past, untilMs };
}

interface Replacement {
  number: number;
  /** The version that replaced it. */
  by: number;
  rule: CarryOver;
  atMs: number;
}

/** The versions that `version` and its predecessors replaced since `sinceMs`, oldest first. */
function replacementsOf(tier: TierRecord, version: number, sinceMs: number): Replacement[] {
  const found: Replacement[] = [];
  let number = version;
  while (found.length < MAX_PAST) {
    const { replaces } = tier.versions.find((candidate) => candidate.number === number) ?? {};
    if (replaces === undefined || replaces.atMs <= sinceMs) break;
    found.unshift({ number: replaces.number, by: number, rule: replaces.carryOver, atMs: replaces.atMs });
    number = replaces.number;
  }
  return found;
}

function calendarOf({
  timeZone = 'UTC',
  billingAnchorDay = 1,
}: Pick<TenantRecord, 'timeZone' | 'billingAnchorDay'>): Calendar {
  return { timeZone: knownTimeZone(timeZone), billingAnchorDay };
}

function keyOf({ tier, version, id, calendar, adjustments }: Assignment): string {
  return `${tier}@${version}#${id}/${calendarKey(calendar)}/${adjustments.key}`;
}

export function calendarKey({ timeZone, billingAnchorDay }: Calendar): string {
  return `${timeZone}/${billingAnchorDay}`;
}

function idOf(generation: number, version: number): number {
  return (generation + version) % POLICY_IDS;
}

const MAX_CALENDARS = 1000;
const MAX_PERIODS = 16;
const NONE: readonly Carry[] = [];

/** Each earlier policy is compiled once for all tenants. */
export class CarryCompiler {
  private readonly compiled = new WeakMap<LimitPolicy, CompiledPolicy>();
  private readonly quotas = new WeakMap<LimitPolicy, LRUCache<string, CompiledQuota[]>>();
  private readonly parts = new WeakMap<LimitPolicy, Map<string, LimitPolicy>>();

  /** @param limitsAt undefined if the catalogue does not contain the tier version */
  constructor(private readonly limitsAt: (assignment: Assignment) => readonly LimitPolicy[] | undefined) {}

  /** Oldest first, back to where the limit did not exist, counted differently, or ended before its counters expired. */
  of(
    policy: LimitPolicy,
    past: readonly PastAssignment[],
    part: LimitPart,
    nowMs: number,
    change?: LimitChange,
  ): readonly Carry[] {
    if (past.length === 0 || isBlocking(policy)) return NONE;
    const carries: Carry[] = [];
    for (const assignment of past.toReversed()) {
      const earlier = this.earlierOf(policy, assignment, part, change);
      // A block leaves the counter of the time before it.
      if (earlier !== undefined && isBlocking(earlier)) continue;
      const carry = this.carryOf(policy, earlier, assignment, nowMs);
      if (carry === undefined) break;
      carries.unshift(carry);
    }
    const first = carries.findIndex(({ atUs, policy: { horizonMs } }) => {
      return nowMs - atUs / 1000 < keptMs(horizonMs);
    });
    return first < 0 ? NONE : carries.slice(first);
  }

  horizonMs(limit: LimitPolicy, calendar: Calendar): number {
    const horizonOf = (one: LimitPolicy | undefined) =>
      one === undefined ? 0 : (this.compile(one, calendar, Date.now())?.horizonMs ?? 0);
    const labels = limit.amounts?.labels.map(({ label }) => ({ kind: 'amount', label }) as const) ?? [];
    const parts: LimitPart[] = [LIVE, CANDIDATE, { kind: 'amount' }, ...labels];
    return Math.max(...parts.map((part) => horizonOf(this.partOf(limit, part))));
  }

  private earlierOf(
    policy: LimitPolicy,
    assignment: PastAssignment,
    part: LimitPart,
    change: LimitChange | undefined,
  ): LimitPolicy | undefined {
    const live = this.limitsAt(assignment)?.find(
      ({ api, name }) => api === policy.api && name === policy.name,
    );
    if (live === undefined) return undefined;
    return change === undefined ? this.partOf(live, part) : partOf(change.apply(live), part);
  }

  private carryOf(
    policy: LimitPolicy,
    earlier: LimitPolicy | undefined,
    assignment: PastAssignment,
    nowMs: number,
  ): Carry | undefined {
    if (earlier === undefined || kindOf(earlier) !== kindOf(policy)) return undefined;
    if (layoutOf(earlier) !== layoutOf(policy)) return undefined;
    // Counters of failures and attempts in flight are not counters of all requests.
    if ((earlier.charge === 'on_failure') !== (policy.charge === 'on_failure')) return undefined;
    // Compiled at its end: later, a quota would have different periods.
    const compiled = this.compile(earlier, assignment.calendar, Math.min(nowMs, assignment.atMs));
    if (compiled === undefined) return undefined;
    return { id: assignment.id, rule: assignment.rule, atUs: assignment.atMs * 1000, policy: compiled };
  }

  /** The same object for the same limit, so that it is compiled once. */
  private partOf(live: LimitPolicy, part: LimitPart): LimitPolicy | undefined {
    if (part.kind === 'live') return live;
    const known = getOrAdd(this.parts, live, () => new Map<string, LimitPolicy>());
    const key = keyOfPart(part);
    const found = known.get(key) ?? partOf(live, part);
    if (found !== undefined) known.set(key, found);
    return found;
  }

  private compile(limit: LimitPolicy, calendar: Calendar, atMs: number): CompiledPolicy | undefined {
    if (limit.algorithm === 'quota') return this.compileQuota(limit, calendar, atMs);
    let compiled = this.compiled.get(limit);
    if (compiled === undefined) {
      const result = compileLimit(limit, {}, { ...calendar, nowMs: atMs });
      if (!result.ok) return undefined;
      compiled = result.limit.policy;
      this.compiled.set(limit, compiled);
    }
    return compiled;
  }

  private compileQuota(limit: LimitPolicy, calendar: Calendar, atMs: number): CompiledPolicy | undefined {
    const byCalendar = this.quotas.get(limit) ?? new LRUCache({ max: MAX_CALENDARS });
    this.quotas.set(limit, byCalendar);
    const key = calendarKey(calendar);
    const periods = byCalendar.get(key) ?? [];
    const known = periods.find(({ startMs, endMs }) => startMs <= atMs && atMs < endMs);
    if (known !== undefined) return known;
    const result = compileLimit(limit, {}, { ...calendar, nowMs: atMs });
    if (!result.ok) return undefined;
    const compiled = result.limit.policy as CompiledPolicy as CompiledQuota;
    byCalendar.set(key, [compiled, ...periods].slice(0, MAX_PERIODS));
    return compiled;
  }
}

function keyOfPart(part: LimitPart): string {
  if (part.kind === 'amount') return `amount/${part.label ?? ''}`;
  return part.kind === 'share' ? `share/${part.units}` : part.kind;
}

/** Equal for limits with the same addresses of counters, apart from dimensions. */
function layoutOf({ storage = 'key', expectedSubjects }: LimitPolicy): string {
  return storage === 'packed' ? `packed ${packedHashes(expectedSubjects ?? 1)}` : storage;
}
