import { Injectable } from '@nestjs/common';
import { adjustmentEffectSchema, subjectEffectSchema } from '@tollgate/contracts';
import {
  type ManagedBy,
  OverrideKind,
  type Prisma,
  type SubjectRule,
  TierVersionStatus,
} from '@tollgate/database';
import { Clock } from '../../../platform/clock.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import {
  ApisRepository,
  DefaultLimitsRepository,
  fromWireStyles,
  poolFacts,
  TiersRepository,
  toWireStyles,
} from '../../catalogue/index.js';
import { offerEffectsSchema } from '../../commerce/index.js';
import { readFloors } from '../../customers/index.js';
import {
  type AlertState,
  type ApiState,
  type ConfigState,
  type OfferState,
  type OverrideState,
  type SubjectRuleState,
  sortedFloors,
  type Target,
  type TenantState,
  type TierState,
  targetOf,
} from './config-state.rules.js';

/** A stored object of a configuration. */
export interface Stored<S> {
  id: string;
  version: number;
  managedBy: ManagedBy;
  tags: string[];
  state: S;
}

export interface StoredTier extends Stored<TierState> {
  hasDraft: boolean;
  wasPublished: boolean;
  isArchived: boolean;
}

/** A stored override, alert threshold or subject rule of a tenant. */
export type StoredPart<S> = Pick<Stored<S>, 'id' | 'managedBy' | 'state'>;

export interface StoredTenant extends Stored<TenantState> {
  /** Overrides that have not ended. */
  overrides: StoredPart<OverrideState>[];
  alerts: StoredPart<AlertState>[];
  /** Rules that have not ended. */
  subjectRules: StoredPart<SubjectRuleState>[];
}

/** Subject rules of an owner. */
interface StoredRules {
  /** Those that have not ended. */
  live: StoredPart<SubjectRuleState>[];
  /** Those, and ended ones of a configuration, which still match its document. */
  states: SubjectRuleState[];
}

/** The present state by key, with metadata. */
export interface PresentState {
  apis: Map<string, Stored<ApiState>>;
  tiers: Map<string, StoredTier>;
  offers: Map<string, Stored<OfferState>>;
  tenants: Map<string, StoredTenant>;
  /** For all tenants. */
  subjectRules: StoredRules;
}

/** Without metadata. */
export function stateOf({ apis, tiers, offers, tenants, subjectRules }: PresentState): ConfigState {
  const states = <S>(stored: ReadonlyMap<string, Stored<S>>) =>
    new Map([...stored].map(([key, { state }]) => [key, state]));
  return {
    apis: states(apis),
    tiers: states(tiers),
    offers: states(offers),
    tenants: states(tenants),
    subjectRules: subjectRules.states,
  };
}

const INCLUDE = {
  subscription: { include: { tier: { select: { key: true } } } },
  overrides: { where: { kind: OverrideKind.OVERRIDE, removedAt: null }, orderBy: { id: 'desc' } },
  alertThresholds: { orderBy: [{ apiKey: 'asc' }, { limitName: 'asc' }] },
  subjectRules: { where: { removedAt: null }, orderBy: { id: 'desc' } },
} satisfies Prisma.TenantInclude;

type TenantWithParts = Prisma.TenantGetPayload<{ include: typeof INCLUDE }>;

/** Unique among the advisory locks of this database. */
const CONFIG_LOCK = 7_164_027;

/** Kinds of objects that a configuration manages. */
export type ManagedKind = 'api' | 'tier' | 'offer' | 'tenant' | 'override' | 'alertThreshold' | 'subjectRule';

/** Reads the present state in the form of a configuration. */
@Injectable()
export class ConfigStateRepository {
  constructor(
    private readonly database: Database,
    private readonly apis: ApisRepository,
    private readonly tiers: TiersRepository,
    private readonly defaults: DefaultLimitsRepository,
    private readonly clock: Clock,
  ) {}

  /** Serializes applications of configurations until the transaction ends. */
  async lock(tx: Tx): Promise<void> {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${CONFIG_LOCK}::bigint)`;
  }

  countTenants(): Promise<number> {
    return this.database.client.tenant.count();
  }

  /** @param tenantKeys tenants to read; other objects are all read */
  async read(tenantKeys: string[] | 'all', tx: Tx = this.database.client): Promise<PresentState> {
    return {
      apis: await this.readApis(tx),
      tiers: await this.readTiers(tx),
      offers: await this.readOffers(tx),
      tenants: await this.readTenants(tenantKeys, tx),
      subjectRules: await this.readPlatformRules(tx),
    };
  }

  async setManaged(tx: Tx, what: ManagedKind, ids: string[]): Promise<void> {
    const change = {
      where: { id: { in: ids }, managedBy: 'CONSOLE' as const },
      data: { managedBy: 'CONFIG' as const },
    };
    await (tx[what] as typeof tx.api).updateMany(change);
  }

  private async readPlatformRules(tx: Tx): Promise<StoredRules> {
    const where = { tenantId: null, removedAt: null };
    const rows = await tx.subjectRule.findMany({ where, orderBy: { id: 'desc' } });
    return readSubjectRules(rows, this.clock.now());
  }

  private async readApis(tx: Tx): Promise<PresentState['apis']> {
    const defaults = await this.defaults.list('all', tx);
    const apis = await this.apis.listAllWithParts(tx);
    return byKey(apis, (api) => ({
      ...metadataOf(api),
      state: {
        facts: {
          name: api.name,
          description: api.description,
          unknownOperations: api.unknownOperations,
          headerStyles: fromWireStyles(toWireStyles(api.headerStyles)),
          tags: api.tags,
        },
        operations: new Map(
          api.operations.map(({ name, description, cost, priority }) => [
            name,
            { description, cost: Number(cost), priority },
          ]),
        ),
        pools: new Map(api.pools.map((pool) => [pool.name, poolFacts(pool)])),
        defaultLimits: (defaults.get(api.id) ?? []).map(({ policy }) => policy),
      },
    }));
  }

  private async readOffers(tx: Tx): Promise<PresentState['offers']> {
    const offers = await tx.offer.findMany({ orderBy: { key: 'asc' } });
    return byKey(offers, ({ id, version, managedBy, priceMinor, tierKeys, effects, ...offer }) => ({
      ...{ id, version, managedBy, tags: [] },
      state: {
        name: offer.name,
        description: offer.description,
        kind: offer.kind,
        status: offer.status,
        price: Number(priceMinor),
        currency: offer.currency,
        interval: offer.interval,
        validDays: offer.validDays,
        graceDays: offer.graceDays,
        tiers: tierKeys,
        maxQuantity: offer.maxQuantity,
        stock: offer.stock,
        carryOver: offer.carryOver,
        effects: offerEffectsSchema.parse(effects),
      },
    }));
  }

  private async readTiers(tx: Tx): Promise<PresentState['tiers']> {
    const { DRAFT, PUBLISHED } = TierVersionStatus;
    const tiers = await tx.tier.findMany({
      orderBy: [{ rank: 'asc' }, { key: 'asc' }],
      include: { versions: { where: { status: { in: [DRAFT, PUBLISHED] } } } },
    });
    const published = tiers.flatMap(({ versions }) => versions.filter(({ status }) => status === PUBLISHED));
    const limits = await this.tiers.listLimits(
      published.map(({ id }) => id),
      tx,
    );
    return byKey(tiers, ({ versions, ...tier }) => {
      const current = versions.find(({ status }) => status === PUBLISHED);
      const own = (limits.get(current?.id ?? '') ?? []).filter(({ origin }) => origin === 'TIER');
      const { name, description, rank, weight, tags, signUp } = tier;
      return {
        ...metadataOf(tier),
        hasDraft: versions.some(({ status }) => status === DRAFT),
        wasPublished: current !== undefined,
        isArchived: tier.archivedAt !== null,
        state: {
          facts: { name, description, rank, weight, tags, signUp },
          limits: own.map(({ policy }) => policy),
        },
      };
    });
  }

  private async readTenants(keys: string[] | 'all', tx: Tx): Promise<PresentState['tenants']> {
    const where = keys === 'all' ? {} : { key: { in: keys } };
    const rows = await tx.tenant.findMany({ where, orderBy: { key: 'asc' }, include: INCLUDE });
    const now = this.clock.now();
    return byKey(rows, (row) => readTenant(row, now));
  }
}

function metadataOf({ id, version, managedBy, tags }: Omit<Stored<unknown>, 'state'>) {
  return { id, version, managedBy, tags };
}

function byKey<R extends { key: string }, T>(rows: readonly R[], read: (row: R) => T): Map<string, T> {
  return new Map(rows.map((row) => [row.key, read(row)]));
}

function readTenant(row: TenantWithParts, now: Date): StoredTenant {
  const { name, parentKey: parent, timeZone, billingAnchorDay, tags, subscription } = row;
  // A tenant pinned by a rollout is not pinned by an operator.
  const pinnedVersion = subscription?.pinnedByRollout === true ? null : subscription?.pinnedVersionNumber;
  const overrides = newestOfEach(row.overrides.map(readOverride));
  const alerts = row.alertThresholds.map(readAlert);
  const subjectRules = readSubjectRules(row.subjectRules, now);
  const facts = { name, parent, timeZone, billingAnchorDay, tags };
  return {
    ...metadataOf(row),
    state: {
      facts: { ...facts, tier: subscription?.tier.key ?? '', pinnedVersion: pinnedVersion ?? null },
      floors: sortedFloors(readFloors(row.floors)),
      // Ended overrides of a configuration still match its document.
      overrides: overrides.flatMap((one) =>
        isLive(one, now) || one.managedBy === 'CONFIG' ? [one.state] : [],
      ),
      alerts: alerts.map(({ state }) => state),
      subjectRules: subjectRules.states,
    },
    overrides: overrides.filter((one) => isLive(one, now)),
    alerts,
    subjectRules: subjectRules.live,
  };
}

function readOverride(row: TenantWithParts['overrides'][number]): StoredPart<OverrideState> {
  const { id, managedBy, apiKey, limitName, appliesTo, effect, startsAt, endsAt, carryOver, reason } = row;
  return {
    id,
    managedBy,
    state: {
      api: apiKey,
      limit: limitName,
      appliesTo: appliesTo === null ? null : appliesTo === 'RATE' ? 'rate' : 'quota',
      effect: adjustmentEffectSchema.parse(effect),
      starts: startsAt.toISOString(),
      expires: endsAt?.toISOString() ?? null,
      carryOver,
      reason,
    },
  };
}

function isLive({ state: { expires } }: StoredPart<{ expires: string | null }>, now: Date): boolean {
  return expires === null || new Date(expires) > now;
}

/** @param rows newest first */
function readSubjectRules(rows: readonly SubjectRule[], now: Date): StoredRules {
  const rules = newestOfEach(rows.map(readSubjectRule));
  return {
    live: rules.filter((one) => isLive(one, now)),
    states: rules.flatMap((one) => (isLive(one, now) || one.managedBy === 'CONFIG' ? [one.state] : [])),
  };
}

function readSubjectRule(row: SubjectRule): StoredPart<SubjectRuleState> {
  const { id, managedBy, dimension, pattern, apiKey, limitName, effect, startsAt, endsAt, reason } = row;
  const state = {
    dimension,
    pattern,
    api: apiKey,
    limit: limitName,
    effect: subjectEffectSchema.parse(effect),
    starts: startsAt.toISOString(),
    expires: endsAt?.toISOString() ?? null,
    reason,
  };
  return { id, managedBy, state };
}

function readAlert(row: TenantWithParts['alertThresholds'][number]): StoredPart<AlertState> {
  const { id, managedBy, apiKey, limitName, percents } = row;
  const state = {
    api: apiKey === '' ? null : apiKey,
    limit: limitName === '' ? null : limitName,
    percents,
  };
  return { id, managedBy, state };
}

/** The newest part per target: an ended one may have a successor. */
function newestOfEach<S extends Target>(parts: readonly StoredPart<S>[]): StoredPart<S>[] {
  const newest = new Map<string, StoredPart<S>>();
  for (const one of parts) {
    const target = targetOf(one.state);
    if (!newest.has(target)) newest.set(target, one);
  }
  return [...newest.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}
