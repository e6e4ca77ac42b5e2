import {
  type AlertRecord,
  type LimitCrossing,
  type LimitPolicy,
  nominalWindowMs,
  type TenantRecord,
} from '@tollgate/contracts';
import { LRUCache } from 'lru-cache';
import type { Check, CheckResult } from '../store/decision-store.js';

/** Told whatever a tenant has set: there is nothing left then. */
const FULL = 100;

/** At which parts of a limit, percent, rising, a tenant is told of its use. */
export class AlertThresholds {
  /** Of records with settings of their own: by API and limit. */
  private readonly own = new WeakMap<TenantRecord, Map<string, readonly number[]>>();

  /** @param usual for whoever has set nothing, rising */
  constructor(private readonly usual: readonly number[]) {}

  /** What the tenant has set for the limit, else for its API, else for all; else the usual. */
  of(tenant: TenantRecord, { api, name }: Pick<LimitPolicy, 'api' | 'name'>): readonly number[] {
    const { alerts } = tenant;
    if (alerts === undefined) return this.usual;
    const known = this.own.get(tenant) ?? new Map<string, readonly number[]>();
    this.own.set(tenant, known);
    const limit = `${api}/${name}`;
    let thresholds = known.get(limit);
    if (thresholds === undefined) {
      thresholds = thresholdsOf(alerts, api, name) ?? this.usual;
      known.set(limit, thresholds);
    }
    return thresholds;
  }
}

function thresholdsOf(alerts: readonly AlertRecord[], api: string, name: string): number[] | undefined {
  const setting =
    alerts.find((alert) => alert.api === api && alert.limit === name) ??
    alerts.find((alert) => alert.api === api && alert.limit === undefined) ??
    alerts.find((alert) => alert.api === undefined);
  return setting && [...new Set([...setting.percents, FULL])].sort((a, b) => a - b);
}

/** Percent of a limit that are told when use reaches them. */
const DEFAULT_THRESHOLDS = [80, 100] as const;

/** Counters with steadily falling use whose last crossings are remembered. */
const MAX_REMEMBERED = 50_000;

const NONE: readonly LimitCrossing[] = [];

/** Kinds whose use only grows until their window ends, for all nodes at the same moment. */
const ENDS_AT_ONCE: ReadonlySet<string> = new Set([
  'fixed_window',
  'quota',
  'attempts_fixed_window',
  'attempts_quota',
]);

/**
 * Finds the decision whose charge moved a counter's use from below a threshold to it or past it. One counter has one order
 * of charges, whichever nodes made them: while its use only grows, exactly one decision crosses. Where use falls steadily
 * it may cross often; a node tells it once a window. Of several thresholds that one charge crosses, the highest is told:
 * the others are reached too, and a limit of 1 would tell two of each of its counters. An `id` names counter, threshold
 * and window, so that a consumer drops what other nodes, or a refund in between, made it hear twice.
 */
export class LimitCrossings {
  private readonly thresholds: AlertThresholds;
  /** Number of the window in which a counter's threshold was told last. */
  private readonly toldIn: LRUCache<string, number>;

  /** @param options.thresholds percent, whole, 1 or more, for tenants that have set none */
  constructor(options: { thresholds?: readonly number[]; maxRemembered?: number } = {}) {
    const usual = [...(options.thresholds ?? DEFAULT_THRESHOLDS)].sort((a, b) => a - b);
    this.thresholds = new AlertThresholds(usual);
    this.toldIn = new LRUCache({ max: options.maxRemembered ?? MAX_REMEMBERED });
  }

  /**
   * The highest threshold that this decision crossed, if it crossed any.
   *
   * @param check as charged: call it for nothing that was refused, looked at or replayed
   * @param result after the charge
   * @param nowUs the store's time of the decision
   */
  crossedBy(
    tenant: TenantRecord,
    stored: LimitPolicy,
    check: Check,
    result: CheckResult,
    nowUs: number,
  ): readonly LimitCrossing[] {
    const { capacity } = check.policy;
    const used = capacity - result.remaining;
    const thresholds = this.thresholds.of(tenant, stored);
    if (used * 100 < (thresholds[0] ?? Number.POSITIVE_INFINITY) * capacity) return NONE;
    const before = used - check.cost;
    const percent = thresholds.findLast((threshold) => used * 100 >= threshold * capacity);
    if (percent === undefined || before * 100 >= percent * capacity) return NONE;
    const id = this.newId(stored, check, percent, result, nowUs);
    if (id === undefined) return NONE;
    const { api, name: limit } = stored;
    const atMs = Math.floor(nowUs / 1000);
    return [{ id, tenant: tenant.tenant, api, limit, counter: check.key, percent, used, capacity, atMs }];
  }

  /** Undefined: told in this window already. */
  private newId(
    stored: LimitPolicy,
    { key, policy }: Check,
    percent: number,
    { resetAfterUs }: CheckResult,
    nowUs: number,
  ): string | undefined {
    const counter = `${key}|${percent}`;
    // The end of its window is the same for all who charge in it; windows that a first request began, and months, do not
    // lie on multiples of their length.
    if (ENDS_AT_ONCE.has(policy.kind)) return `${counter}|${Math.round((nowUs + resetAfterUs) / 1000)}`;
    const window = Math.floor(nowUs / 1000 / nominalWindowMs(stored));
    if (this.toldIn.get(counter) === window) return undefined;
    this.toldIn.set(counter, window);
    return `${counter}|${window}`;
  }
}
