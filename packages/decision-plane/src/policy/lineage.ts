import type { CarryOver, LimitPolicy, TenantRecord, TierRecord } from '@tollgate/contracts';
import { LRUCache } from 'lru-cache';
import type { CompileContext, CompiledPolicy } from '../algorithms/algorithm.js';
import { isTimeZone } from '../algorithms/calendar.js';
import { kindOf } from '../algorithms/index.js';
import type { CompiledQuota } from '../algorithms/quota.js';
import { type AdjustmentSet, adjustmentSet } from './adjusted-limits.js';
import { type Carry, candidateOf, compileLimit, POLICY_IDS, ttlPeriodExponent } from './compile.js';

/** What a tenant's quotas go by. */
export type Calendar = Omit<CompileContext, 'nowMs'>;

/** A tier version as a tenant was or is on it, and what changes its limits there. */
export interface Station {
  readonly tier: string;
  readonly version: number;
  readonly adjustments: AdjustmentSet;
  /** Marks the states that are written under it. */
  readonly id: number;
  readonly calendar: Calendar;
}

/** A station that was left. */
export interface LeftStation extends Station {
  readonly rule: CarryOver;
  readonly atMs: number;
}

const NO_STATIONS: readonly LeftStation[] = [];

/** Where a tenant stands, and where it stood before, oldest first. */
export interface Lineage {
  readonly current: Station;
  readonly left: readonly LeftStation[];
  /** Equal for tenants whose limits are the same in all respects. */
  readonly key: string;
  /** Until when this is so, unix ms: then its adjustments change. */
  readonly untilMs: number;
}

/** A move is told for so long at least: until then other nodes may not have heard of it. */
const LEAST_KEPT_MS = 60_000;

/** The longest that a key lives, in TTL periods (`scripts/parts/policy.lua`). */
const PERIODS_OF_A_KEY = 18;

/** Stations told of; what is older has run out or counts as it stands. */
const MAX_LEFT = 4;

/** How long after a station was left a counter that was written there may be met again, ms. */
export function keptMs(horizonMs: number): number {
  return Math.max(2 * horizonMs, PERIODS_OF_A_KEY * 2 ** ttlPeriodExponent(horizonMs), LEAST_KEPT_MS);
}

/** `left` from the first station on that may still matter; what was written before it has gone. */
function stillMattering(
  left: readonly LeftStation[],
  keptOf: (station: LeftStation) => number,
  nowMs: number,
): readonly LeftStation[] {
  const first = left.findIndex((station) => nowMs - station.atMs < keptOf(station));
  return first < 0 ? NO_STATIONS : left.slice(first);
}

/**
 * Puts a tenant's moves, its tier's versions and the times at which its adjustments changed in one line. A tenant that
 * follows its tier was on each version that the current one took the place of since it moved there. What can no longer
 * matter is left out, so that tenants whose moves are long ago are alike again.
 * @param keptOf how long a station matters after it was left, ms
 * @returns undefined for a tier that is not known
 */
export function lineageOf(
  tenant: TenantRecord,
  tiers: ReadonlyMap<string, TierRecord>,
  keptOf: (station: LeftStation) => number,
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
  const { current, passed, untilMs } = sinceLastMove(tenant, tier, moved.at(-1)?.atMs ?? 0, nowMs);
  const left = stillMattering([...moved, ...passed].slice(-MAX_LEFT), keptOf, nowMs);
  const path = left.map((station) => `${keyOf(station)}${station.rule}${station.atMs}`);
  return { current, left, key: [keyOf(current), ...path].join(' '), untilMs };
}

/**
 * Where the limits that count all tenants together stand: where their tier does, whatever their tenants have been on. What
 * one tenant's move would carry over was written by all of them, before and after it.
 */
export function lineageOfAll({ current, untilMs }: Lineage, tier: TierRecord | undefined): Lineage {
  const { version, calendar, adjustments } = current;
  const replaced = tier === undefined ? [] : replacementsOf(tier, version, 0);
  const stationOf = (number: number) => ({
    tier: current.tier,
    version: number,
    adjustments,
    id: idOf(0, number),
    calendar,
  });
  const left = replaced.map(({ number, rule, atMs }) => ({ ...stationOf(number), rule, atMs }));
  return { current: stationOf(version), left, key: '', untilMs };
}

/** What happened to a tenant where it is: new versions, and changes of the adjustments whose time has come, in their order. */
function sinceLastMove(
  tenant: TenantRecord,
  tier: TierRecord,
  arrivedMs: number,
  nowMs: number,
): { current: Station; passed: readonly LeftStation[]; untilMs: number } {
  const { next = [], adjustments, pinnedVersion } = tenant;
  const calendar = calendarOf(tenant);
  // Also of a version that it was pinned to where it stood: until then it had followed.
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
  const station = (): Station => ({
    tier: tier.key,
    version: at.version,
    adjustments: at.adjustments,
    id: idOf(at.generation, at.version),
    calendar,
  });
  const passed: LeftStation[] = [];
  for (const { rule, atMs, version, change } of changes) {
    passed.push({ ...station(), rule, atMs });
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
  return { current: station(), passed, untilMs };
}

interface Replacement {
  number: number;
  /** The version that took its place. */
  by: number;
  rule: CarryOver;
  atMs: number;
}

/** The versions of a tier that `version` and those before it took the place of since then, oldest first. */
function replacementsOf(tier: TierRecord, version: number, sinceMs: number): Replacement[] {
  const found: Replacement[] = [];
  let number = version;
  while (found.length < MAX_LEFT) {
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
  // A zone that this process does not know must not stop the tenant's decisions.
  return { timeZone: isTimeZone(timeZone) ? timeZone : 'UTC', billingAnchorDay };
}

function keyOf({ tier, version, id, calendar, adjustments }: Station): string {
  return `${tier}@${version}#${id}/${calendarKey(calendar)}/${adjustments.key}`;
}

/** Equal for calendars by which quotas have the same periods. */
export function calendarKey({ timeZone, billingAnchorDay }: Calendar): string {
  return `${timeZone}/${billingAnchorDay}`;
}

function idOf(generation: number, version: number): number {
  return (generation + version) % POLICY_IDS;
}

/** Calendars for which the earlier periods of one quota are held. */
const MAX_CALENDARS = 1000;

/** Earlier periods of one quota and calendar that are held. */
const MAX_PERIODS = 16;

const NONE: readonly Carry[] = [];

/** Finds what earlier policies of a limit left behind. Each of them is compiled once for all tenants that were on it. */
export class CarryCompiler {
  private readonly compiled = new WeakMap<LimitPolicy, CompiledPolicy>();
  private readonly quotas = new WeakMap<LimitPolicy, LRUCache<string, CompiledQuota[]>>();
  private readonly candidates = new WeakMap<LimitPolicy, LimitPolicy>();

  /** @param limitsAt the limits of a tier version, adjusted; undefined when the catalogue does not hold it */
  constructor(private readonly limitsAt: (station: Station) => readonly LimitPolicy[] | undefined) {}

  /**
   * The same limit's earlier policies, oldest first, back to where it did not exist, counted in another way, or was left so
   * long ago that nothing of it is stored. What a limit's candidate counted stands apart, so a candidate goes by the earlier
   * candidates.
   *
   * @param candidate whether `policy` is one
   */
  of(policy: LimitPolicy, left: readonly LeftStation[], candidate: boolean, nowMs: number): readonly Carry[] {
    if (left.length === 0) return NONE;
    const carries: Carry[] = [];
    for (const station of left.toReversed()) {
      const carry = this.carryOf(policy, station, candidate, nowMs);
      if (carry === undefined) break;
      carries.unshift(carry);
    }
    const first = carries.findIndex(({ atUs, policy: { horizonMs } }) => {
      return nowMs - atUs / 1000 < keptMs(horizonMs);
    });
    return first < 0 ? NONE : carries.slice(first);
  }

  /** The longest horizon of a limit and its candidate, ms. */
  horizonMs(limit: LimitPolicy, calendar: Calendar): number {
    const horizonOf = (one: LimitPolicy | undefined) =>
      one === undefined ? 0 : (this.compile(one, calendar, Date.now())?.horizonMs ?? 0);
    return Math.max(horizonOf(limit), horizonOf(this.candidateOf(limit)));
  }

  private carryOf(
    policy: LimitPolicy,
    station: LeftStation,
    candidate: boolean,
    nowMs: number,
  ): Carry | undefined {
    const live = this.limitsAt(station)?.find(({ api, name }) => api === policy.api && name === policy.name);
    const earlier = candidate && live !== undefined ? this.candidateOf(live) : live;
    if (earlier === undefined || kindOf(earlier) !== kindOf(policy)) return undefined;
    // Failures with their attempts in flight are other counters than all requests.
    if ((earlier.charge === 'on_failure') !== (policy.charge === 'on_failure')) return undefined;
    // As of when it was left: later on a quota's periods lie elsewhere, and what was counted would be of none of them.
    const compiled = this.compile(earlier, station.calendar, Math.min(nowMs, station.atMs));
    if (compiled === undefined) return undefined;
    return { id: station.id, rule: station.rule, atUs: station.atMs * 1000, policy: compiled };
  }

  private candidateOf(live: LimitPolicy): LimitPolicy | undefined {
    const { candidate } = live;
    if (candidate === undefined) return undefined;
    let known = this.candidates.get(live);
    if (known === undefined) {
      known = candidateOf({ ...live, candidate });
      this.candidates.set(live, known);
    }
    return known;
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
