import type { LimitPolicy } from '@tollgate/contracts';
import { LRUCache } from 'lru-cache';
import type { CompiledPolicy } from '../algorithms/algorithm.js';
import { kindOf } from '../algorithms/index.js';
import type { CompiledQuota } from '../algorithms/quota.js';
import { type Carry, candidateOf, compileLimit } from './compile.js';
import { type Calendar, calendarKey, keptMs, type LeftStation, type Station } from './lineage.js';

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
