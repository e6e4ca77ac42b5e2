import type { CarryOver, TenantRecord, TierRecord } from '@tollgate/contracts';
import type { CompileContext } from '../algorithms/algorithm.js';
import { isTimeZone } from '../algorithms/calendar.js';
import { type AdjustmentSet, adjustmentSet } from './adjusted-limits.js';
import { POLICY_IDS } from './compile.js';
import { ttlSlotExponent } from './ttl-slot.js';

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

/** The longest that a key lives, in TTL slots (`scripts/policy.lua`). */
const SLOTS_OF_A_KEY = 18;

/** Stations told of; what is older has run out or counts as it stands. */
const MAX_LEFT = 4;

/** How long after a station was left a counter that was written there may be met again, ms. */
export function keptMs(horizonMs: number): number {
  return Math.max(2 * horizonMs, SLOTS_OF_A_KEY * 2 ** ttlSlotExponent(horizonMs), LEAST_KEPT_MS);
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
