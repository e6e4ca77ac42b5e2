import {
  type AdjustmentEffect,
  type ChildFloor,
  type ConfigDocument,
  type ConfigLimit,
  type ConfigOffer,
  type ConfigTenant,
  configDocumentSchema,
  configOfPolicy,
  type LimitPolicy,
  policyOfConfig,
  type SubjectEffect,
} from '@tollgate/contracts';
import { checkLimitPolicy, parseSubjectPattern } from '@tollgate/policy';
import { userError } from '../../../platform/changes/outcome.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import type { HeaderStyle } from '../../../platform/prisma/schema.js';
import { readJson } from '../../../platform/text.js';
import { fromWireStyles, isDefaultStyles, toWireStyles, upper } from '../../catalogue/index.js';
import type { StoredOfferEffect } from '../../commerce/index.js';

/** An error with a path in the document. */
export function invalid(path: string[], message: string): UserError {
  return userError(UserErrorCode.INVALID, ['document', ...path], message);
}

/** The object without the fields that have their default values. */
function withoutDefaults<T extends object>(value: T, defaults: { [K in keyof T]?: T[K] }): Partial<T> {
  const kept = Object.entries(value).filter(([name, one]) => one !== defaults[name as keyof T]);
  return Object.fromEntries(kept) as Partial<T>;
}

function compact<T extends object>(value: T): T {
  const kept = Object.entries(value).filter(
    ([, one]) => one !== undefined && one !== null && one !== '' && !(Array.isArray(one) && one.length === 0),
  );
  return Object.fromEntries(kept) as T;
}

/** Default grace period; a top-up does not renew. */
const GRACE_DAYS = { UPGRADE: 7, TOPUP: 0 };

function readOffer(offer: ConfigOffer) {
  const { interval, validDays = null, stock = null, maxQuantity = 1, tiers = [] } = offer;
  const kind = upper(offer.kind);
  return {
    name: offer.name,
    description: offer.description ?? '',
    kind,
    status: upper(offer.status ?? 'active'),
    price: offer.price,
    currency: offer.currency,
    interval: interval === undefined ? null : upper(interval),
    validDays,
    graceDays: offer.graceDays ?? GRACE_DAYS[kind],
    tiers,
    maxQuantity,
    stock,
    carryOver: upper(offer.carryOver ?? 'keep'),
    effects: offer.effects as StoredOfferEffect[],
  };
}

export type OfferState = ReturnType<typeof readOffer>;

function writeOffer(offer: OfferState): object {
  const { kind, status, interval, graceDays, carryOver, ...rest } = offer;
  return {
    ...withoutDefaults(rest, { maxQuantity: 1 }),
    kind: kind.toLowerCase(),
    status: status === 'ACTIVE' ? undefined : status.toLowerCase(),
    interval: interval?.toLowerCase(),
    graceDays: graceDays === GRACE_DAYS[kind] ? undefined : graceDays,
    carryOver: carryOver === 'KEEP' ? undefined : carryOver.toLowerCase(),
  };
}

/** Target limits; null: all. */
export interface Target {
  api: string | null;
  limit: string | null;
}

interface Distinction {
  appliesTo?: string | null;
  dimension?: string;
  pattern?: string;
}

/** Equal for overrides, thresholds or subject rules that replace each other. */
export function targetOf({ api, limit, ...rest }: Target & Distinction): string {
  const { appliesTo, dimension, pattern } = rest;
  const last = dimension === undefined ? (appliesTo ?? '') : `${dimension} ${pattern}`;
  return [api ?? '', limit ?? '', last].join('/');
}

function readTenant(tenant: ConfigTenant, path: string[], errors: UserError[]) {
  const overrides = (tenant.overrides ?? []).map(
    ({ api = null, limit = null, appliesTo = null, effect, starts, expires, carryOver, reason }) => ({
      api,
      limit,
      appliesTo,
      effect: effect as AdjustmentEffect,
      /** ISO 8601; null: when it is first applied. */
      starts: moment(starts),
      /** Null: until it is removed from the configuration. */
      expires: moment(expires),
      carryOver: upper(carryOver ?? 'keep'),
      reason: reason.trim(),
    }),
  );
  const alerts = (tenant.alerts ?? []).map(({ api = null, limit = null, percents }) => ({
    api,
    limit,
    percents: [...new Set(percents)].sort((a, b) => a - b),
  }));
  const subjectRules = (tenant.subjectRules ?? []).map((rule, index) =>
    readSubjectRule(rule, [...path, 'subjectRules', String(index)], errors),
  );
  errors.push(
    ...findRepeated(overrides, [...path, 'overrides']),
    ...findRepeated(alerts, [...path, 'alerts']),
    ...findRepeated(subjectRules, [...path, 'subjectRules']),
  );
  return {
    facts: {
      name: tenant.name,
      parent: tenant.parent ?? null,
      tier: tenant.tier,
      pinnedVersion: tenant.pinnedVersion ?? null,
      timeZone: tenant.timeZone ?? 'UTC',
      billingAnchorDay: tenant.billingAnchorDay ?? 1,
      tags: [...new Set(tenant.tags)].sort(),
    },
    floors: sortedFloors(tenant.floors ?? []),
    overrides,
    alerts,
    subjectRules,
  };
}

/** In one order, so that equal sets are equal. */
export function sortedFloors(floors: readonly ChildFloor[]): ChildFloor[] {
  return floors
    .map(({ api, limit, units }) => ({ api, limit, units }))
    .sort((a, b) => (targetOf(a) < targetOf(b) ? -1 : 1));
}

type ConfigSubjectRule = NonNullable<ConfigTenant['subjectRules'] | ConfigDocument['subjectRules']>[number];

function readSubjectRule(rule: ConfigSubjectRule, path: string[], errors: UserError[]) {
  const { dimension, api = null, effect, starts, expires, reason } = rule;
  const limit = 'limit' in rule ? (rule.limit ?? null) : null;
  const parsed = parseSubjectPattern(dimension, rule.pattern);
  if (typeof parsed === 'string') errors.push(invalid([...path, 'pattern'], `${parsed}.`));
  return {
    dimension,
    /** In canonical form. */
    pattern: typeof parsed === 'string' ? rule.pattern : parsed.text,
    api,
    limit,
    effect: effect as SubjectEffect,
    /** ISO 8601; null: when it is first applied. */
    starts: moment(starts),
    /** Null: until it is removed from the configuration. */
    expires: moment(expires),
    reason: reason.trim(),
  };
}

export type SubjectRuleState = ReturnType<typeof readSubjectRule>;

export type TenantState = ReturnType<typeof readTenant>;
export type OverrideState = TenantState['overrides'][number];
export type AlertState = TenantState['alerts'][number];

/** @param now starts before it, and overrides and rules that ended, are omitted */
function writeTenant({ facts, floors, overrides, alerts, subjectRules }: TenantState, now: Date): object {
  return {
    ...withoutDefaults(facts, { timeZone: 'UTC', billingAnchorDay: 1 }),
    floors,
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
    subjectRules: writeRules(subjectRules, now),
  };
}

function writeRules(rules: readonly SubjectRuleState[], now: Date): object[] {
  return rules
    .filter(({ expires }) => !isPast(expires, now))
    .map((rule) => compact({ ...rule, starts: isPast(rule.starts, now) ? undefined : rule.starts }));
}

const isPast = (time: string | null, now: Date) => time !== null && new Date(time) <= now;
const moment = (text: string | undefined) => (text === undefined ? null : new Date(text).toISOString());

function findRepeated(list: readonly Target[], path: string[]): UserError[] {
  const targets = list.map(targetOf);
  return targets.flatMap((target, index) =>
    targets.indexOf(target) === index
      ? []
      : [invalid([...path, String(index)], 'Duplicate entry for the same limits')],
  );
}

/** A configuration with defaults filled in. */
export interface ConfigState {
  /** For all tenants. */
  subjectRules: SubjectRuleState[];
  apis: Map<string, ApiState>;
  tiers: Map<string, TierState>;
  offers: Map<string, OfferState>;
  tenants: Map<string, TenantState>;
}

type ConfigApi = NonNullable<ConfigDocument['apis']>[string];
type ConfigTier = NonNullable<ConfigDocument['tiers']>[string];

/** Default of a pool, percent of its capacity. */
const RECLAIM_PERCENT = 80;

const sorted = (tags: readonly string[] = []) => [...new Set(tags)].sort();

/** `none` instead of an empty list, which the document would omit as a default. */
function writeStyles(styles: readonly HeaderStyle[]) {
  if (isDefaultStyles(styles)) return undefined;
  return styles.length === 0 ? 'none' : toWireStyles(styles);
}

/** Parses a document. Errors carry paths such as `["document", "tiers", "pro", "limits", "0", "limit"]`. */
export function readDocument(
  text: string,
): { ok: true; state: ConfigState } | { ok: false; errors: UserError[] } {
  const parsed = configDocumentSchema.safeParse(readJson(text));
  if (!parsed.success) {
    return {
      ok: false,
      errors: parsed.error.issues.map(({ path, message }) => invalid(path.map(String), message)),
    };
  }
  const errors: UserError[] = [];
  const state = toState(parsed.data, errors);
  return errors.length > 0 ? { ok: false, errors } : { ok: true, state };
}

function toState(
  { apis = {}, tiers = {}, offers = {}, tenants = {}, subjectRules: rules = [] }: ConfigDocument,
  errors: UserError[],
): ConfigState {
  const subjectRules = rules.map((rule, index) =>
    readSubjectRule(rule, ['subjectRules', String(index)], errors),
  );
  errors.push(...findRepeated(subjectRules, ['subjectRules']));
  return {
    subjectRules,
    apis: mapOf(apis, (api, key) => readApi(api, key, errors)),
    tiers: mapOf(tiers, (tier, key) => readTier(tier, key, errors)),
    offers: mapOf(offers, readOffer),
    tenants: mapOf(tenants, (tenant, key) => readTenant(tenant, ['tenants', key], errors)),
  };
}

function mapOf<T, U>(record: Record<string, T>, read: (value: T, key: string) => U): Map<string, U> {
  return new Map(Object.entries(record).map(([key, value]) => [key, read(value, key)]));
}

function readApi(api: ConfigApi, key: string, errors: UserError[]) {
  return {
    facts: {
      name: api.name,
      description: api.description ?? '',
      unknownOperations: upper(api.unknownOperations ?? 'count'),
      headerStyles: fromWireStyles(api.headerStyles === 'none' ? [] : api.headerStyles),
      tags: sorted(api.tags),
    },
    operations: mapOf(api.operations ?? {}, ({ description = '', cost = 1, priority = 'normal' }) => ({
      description,
      cost,
      priority: upper(priority),
    })),
    pools: new Map(
      (api.pools ?? []).map(({ name, operations = [], reclaimPercent = RECLAIM_PERCENT, ...pool }) => [
        name,
        { operations, capacity: pool.capacity, reclaimPercent, warmUp: pool.warmUp ?? null },
      ]),
    ),
    defaultLimits: readLimits(api.defaultLimits, ['apis', key, 'defaultLimits'], errors, key),
  };
}

export type ApiState = ReturnType<typeof readApi>;

function readTier({ limits, ...tier }: ConfigTier, key: string, errors: UserError[]) {
  return {
    facts: {
      name: tier.name,
      description: tier.description ?? '',
      rank: tier.rank ?? 0,
      weight: tier.weight ?? 1,
      tags: sorted(tier.tags),
      signUp: tier.signUp ?? false,
    },
    limits: readLimits(limits, ['tiers', key, 'limits'], errors),
  };
}

export type TierState = ReturnType<typeof readTier>;

/** Valid limits; errors of the others are added to `errors`. @param api the API of limits that do not name one */
function readLimits(
  limits: readonly ConfigLimit[] = [],
  path: string[],
  errors: UserError[],
  api?: string,
): LimitPolicy[] {
  return limits.flatMap((limit, index) => {
    const checked = checkLimitPolicy(policyOfConfig(limit, api));
    if (checked.ok) return [checked.policy];
    for (const { field, message } of checked.errors)
      errors.push(
        invalid([...path, String(index), ...field.replace('windowMs', 'window').split('.')], message),
      );
    return [];
  });
}

/**
 * The document of a state, without default values and expired parts.
 * @param now starts before it are omitted
 */
export function writeDocument(
  { apis, tiers, offers, tenants, subjectRules }: ConfigState,
  now: Date,
): ConfigDocument {
  const some = <T>(map: ReadonlyMap<string, T>, write: (value: T) => object) =>
    map.size === 0
      ? undefined
      : Object.fromEntries([...map].map(([key, value]) => [key, compact(write(value))]));
  return compact({
    version: 1 as const,
    apis: some(apis, ({ facts, operations, pools, defaultLimits }) => ({
      ...facts,
      unknownOperations:
        facts.unknownOperations === 'COUNT' ? undefined : facts.unknownOperations.toLowerCase(),
      headerStyles: writeStyles(facts.headerStyles),
      operations: some(operations, ({ description, cost, priority }) => ({
        ...withoutDefaults({ description, cost }, { cost: 1 }),
        priority: priority === 'NORMAL' ? undefined : priority.toLowerCase(),
      })),
      pools: [...pools].map(([name, pool]) =>
        compact({ name, ...withoutDefaults(pool, { reclaimPercent: RECLAIM_PERCENT }) }),
      ),
      defaultLimits: defaultLimits.map((limit) => configOfPolicy(limit, true)),
    })),
    tiers: some(tiers, ({ facts, limits }) => ({
      ...withoutDefaults(facts, { rank: 0, weight: 1, signUp: false }),
      limits: limits.map((limit) => configOfPolicy(limit)),
    })),
    offers: some(new Map([...offers].filter(([, { status }]) => status !== 'ARCHIVED')), writeOffer),
    tenants: some(tenants, (tenant) => writeTenant(tenant, now)),
    subjectRules: writeRules(subjectRules, now),
  }) as ConfigDocument;
}
