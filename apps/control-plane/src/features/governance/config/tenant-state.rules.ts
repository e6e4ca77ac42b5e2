import { type AdjustmentEffect, type ConfigTenant } from '@tollgate/contracts';
import type { UserError } from '../../../platform/graphql/user-error.graphql.js';
import { compact } from './compact.js';
import { invalid } from './config-error.js';

/** A tenant as a configuration says it, with nothing left out. */
export interface TenantState {
  facts: TenantFacts;
  overrides: OverrideState[];
  alerts: AlertState[];
}

export interface TenantFacts {
  name: string;
  tier: string;
  pinnedVersion: number | null;
  timeZone: string;
  billingAnchorDay: number;
  tags: string[];
}

/** Which limits something is for; null: all. */
export interface Target {
  api: string | null;
  limit: string | null;
}

export interface OverrideState extends Target {
  appliesTo: 'rate' | 'quota' | null;
  effect: AdjustmentEffect;
  /** ISO 8601; null: whenever it was applied. */
  starts: string | null;
  /** Null: until the configuration does not say it any more. */
  expires: string | null;
  carryOver: 'KEEP' | 'RESET' | 'PROPORTIONAL' | 'ADDITIVE';
  reason: string;
}

export interface AlertState extends Target {
  percents: number[];
}

/** Equal for exceptions, or thresholds, of which one takes the place of the other. */
export function targetOf({ api, limit, ...rest }: Target & { appliesTo?: string | null }): string {
  return [api ?? '', limit ?? '', rest.appliesTo ?? ''].join('/');
}

export function readTenant(tenant: ConfigTenant, path: string[], errors: UserError[]): TenantState {
  const overrides = (tenant.overrides ?? []).map(
    ({ api = null, limit = null, appliesTo = null, effect, starts, expires, carryOver, reason }) => ({
      api,
      limit,
      appliesTo,
      effect: effect as AdjustmentEffect,
      starts: moment(starts),
      expires: moment(expires),
      carryOver: (carryOver ?? 'keep').toUpperCase() as OverrideState['carryOver'],
      reason: reason.trim(),
    }),
  );
  const alerts = (tenant.alerts ?? []).map(({ api = null, limit = null, percents }) => ({
    api,
    limit,
    percents: [...new Set(percents)].sort((a, b) => a - b),
  }));
  errors.push(
    ...findRepeated(overrides, [...path, 'overrides']),
    ...findRepeated(alerts, [...path, 'alerts']),
  );
  return {
    facts: {
      name: tenant.name,
      tier: tenant.tier,
      pinnedVersion: tenant.pinnedVersion ?? null,
      timeZone: tenant.timeZone ?? 'UTC',
      billingAnchorDay: tenant.billingAnchorDay ?? 1,
      tags: [...new Set(tenant.tags)].sort(),
    },
    overrides,
    alerts,
  };
}

/** @param now what has begun or ended by then needs no saying */
export function writeTenant({ facts, overrides, alerts }: TenantState, now: Date): object {
  return {
    ...facts,
    timeZone: facts.timeZone === 'UTC' ? undefined : facts.timeZone,
    billingAnchorDay: facts.billingAnchorDay === 1 ? undefined : facts.billingAnchorDay,
    overrides: overrides
      .filter(({ expires }) => !isPast(expires, now))
      .map(({ starts, carryOver, ...rest }) =>
        compact({
          ...rest,
          starts: isPast(starts, now) ? undefined : starts,
          carryOver: carryOver === 'KEEP' ? undefined : carryOver.toLowerCase(),
        }),
      ),
    alerts: alerts.map((alert) => compact(alert)),
  };
}

const isPast = (time: string | null, now: Date) => time !== null && new Date(time) <= now;
const moment = (text: string | undefined) => (text === undefined ? null : new Date(text).toISOString());

function findRepeated(list: readonly Target[], path: string[]): UserError[] {
  const targets = list.map(targetOf);
  return targets.flatMap((target, index) =>
    targets.indexOf(target) === index
      ? []
      : [invalid([...path, String(index)], 'There is another one for the same limits')],
  );
}
