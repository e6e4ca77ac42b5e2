import {
  type AlertRecord,
  type LimitCrossing,
  type LimitPolicy,
  nominalWindowMs,
  type TenantRecord,
} from '@tollgate/contracts';
import { getOrAdd } from '@tollgate/contracts/maps';
import { algorithmOf } from '@tollgate/limiter/algorithms';
import type { Check, CheckResult } from '@tollgate/limiter/stores';
import { LRUCache } from 'lru-cache';

/** Reported in addition to the tenant's thresholds. */
const FULL = 100;

/** The usage thresholds of each tenant, percent, ascending. */
export class AlertThresholds {
  private readonly own = new WeakMap<TenantRecord, Map<string, readonly number[]>>();

  /** @param defaults of tenants without settings, ascending */
  constructor(private readonly defaults: readonly number[]) {}

  of(tenant: TenantRecord, { api, name }: Pick<LimitPolicy, 'api' | 'name'>): readonly number[] {
    const { alerts } = tenant;
    if (alerts === undefined) return this.defaults;
    const known = getOrAdd(this.own, tenant, () => new Map());
    return getOrAdd(known, `${api}/${name}`, () => thresholdsOf(alerts, api, name) ?? this.defaults);
  }
}

function thresholdsOf(alerts: readonly AlertRecord[], api: string, name: string): number[] | undefined {
  const setting =
    alerts.find((alert) => alert.api === api && alert.limit === name) ??
    alerts.find((alert) => alert.api === api && alert.limit === undefined) ??
    alerts.find((alert) => alert.api === undefined);
  return setting && [...new Set([...setting.percents, FULL])].sort((a, b) => a - b);
}

/** Keeps the thresholds of a tenant's limit. */
export interface ThresholdSlot {
  thresholds: readonly number[] | undefined;
}

const DEFAULT_THRESHOLDS = [80, 100] as const;
const MAX_REMEMBERED = 50_000;
const NONE: readonly LimitCrossing[] = [];

/**
 * Finds the decision whose charge raised a counter's usage to a threshold. Charges of a counter by all nodes are ordered: while its usage only grows, exactly one decision crosses a threshold; a node reports a counter that
 * refills continuously once per window. The `id` names counter, threshold and window, so that consumers can drop
 * duplicates.
 */
export class LimitCrossings {
  private readonly thresholds: AlertThresholds;
  /** Number of the window in which a counter's threshold was reported last. */
  private readonly reportedIn: LRUCache<string, number>;

  /** @param options.thresholds percent, whole, 1 or more, of tenants without settings */
  constructor(options: { thresholds?: readonly number[] | undefined; maxRemembered?: number } = {}) {
    const defaults = [...(options.thresholds ?? DEFAULT_THRESHOLDS)].sort((a, b) => a - b);
    this.thresholds = new AlertThresholds(defaults);
    this.reportedIn = new LRUCache({ max: options.maxRemembered ?? MAX_REMEMBERED });
  }

  /** The highest threshold that this charge crossed. @param result after the charge */
  crossedBy(
    tenant: TenantRecord,
    stored: LimitPolicy,
    check: Check,
    result: CheckResult,
    nowUs: number,
    slot: ThresholdSlot = { thresholds: undefined },
  ): readonly LimitCrossing[] {
    const { capacity } = check.policy;
    const used = capacity - result.remaining;
    slot.thresholds ??= this.thresholds.of(tenant, stored);
    const { thresholds } = slot;
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

  private newId(
    stored: LimitPolicy,
    { key, policy }: Check,
    percent: number,
    { resetAfterUs }: CheckResult,
    nowUs: number,
  ): string | undefined {
    const counter = `${key}|${percent}`;
    // The window's end identifies it on all nodes, also for months and for windows that begin with the first request.
    if (algorithmOf(policy.kind).endsAtOnce) return `${counter}|${Math.round((nowUs + resetAfterUs) / 1000)}`;
    const window = Math.floor(nowUs / 1000 / nominalWindowMs(stored));
    if (this.reportedIn.get(counter) === window) return undefined;
    this.reportedIn.set(counter, window);
    return `${counter}|${window}`;
  }
}
