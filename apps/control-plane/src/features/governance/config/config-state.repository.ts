import { Injectable } from '@nestjs/common';
import { adjustmentEffectSchema } from '@tollgate/contracts';
import { type ManagedBy, OverrideKind, type Prisma, TierVersionStatus } from '@tollgate/database';
import { Clock } from '../../../platform/clock.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import {
  ApisRepository,
  DefaultLimitsRepository,
  fromWireStyles,
  TiersRepository,
  toWireStyles,
} from '../../catalogue/index.js';
import { offerEffectsSchema } from '../../commerce/index.js';
import {
  type AlertState,
  type ApiState,
  type ConfigState,
  type OfferState,
  type OverrideState,
  type TenantState,
  type TierState,
  targetOf,
} from './config-state.rules.js';

/** Something of a tenant that a configuration may keep. */
export interface KeptPart<S> {
  id: string;
  managedBy: ManagedBy;
  state: S;
}

/** A tenant as it is. */
export interface PresentTenant {
  id: string;
  key: string;
  version: number;
  managedBy: ManagedBy;
  tags: string[];
  state: TenantState;
  /** Those that are in force or will be. */
  overrides: KeptPart<OverrideState>[];
  alerts: KeptPart<AlertState>[];
}

const INCLUDE = {
  subscription: { include: { tier: { select: { key: true } } } },
  overrides: { where: { kind: OverrideKind.OVERRIDE, removedAt: null }, orderBy: { id: 'desc' } },
  alertThresholds: { orderBy: [{ apiKey: 'asc' }, { limitName: 'asc' }] },
} satisfies Prisma.TenantInclude;

type TenantWithParts = Prisma.TenantGetPayload<{ include: typeof INCLUDE }>;

/** Reads tenants as a configuration says them. */
@Injectable()
export class TenantStatesRepository {
  constructor(private readonly clock: Clock) {}

  /** By key. */
  async list(keys: string[] | 'all', tx: Tx): Promise<PresentTenant[]> {
    const where = keys === 'all' ? {} : { key: { in: keys } };
    const rows = await tx.tenant.findMany({ where, orderBy: { key: 'asc' }, include: INCLUDE });
    return rows.map((row) => this.read(row));
  }

  private read(row: TenantWithParts): PresentTenant {
    const { id, key, name, version, managedBy, timeZone, billingAnchorDay, tags, subscription } = row;
    // A tenant pinned by a rollout is not pinned by an operator.
    const pinnedVersion = subscription?.pinnedByRollout === true ? null : subscription?.pinnedVersionNumber;
    const now = this.clock.now();
    const overrides = newestOfEach(row.overrides.map(readOverride));
    const alerts = row.alertThresholds.map(readAlert);
    const isLive = ({ state: { expires } }: KeptPart<OverrideState>) =>
      expires === null || new Date(expires) > now;
    const facts = { name, timeZone, billingAnchorDay, tags };
    return {
      id,
      key,
      version,
      managedBy,
      tags,
      state: {
        facts: { ...facts, tier: subscription?.tier.key ?? '', pinnedVersion: pinnedVersion ?? null },
        // What a configuration said and is over still is what it says.
        overrides: overrides.flatMap((one) => (isLive(one) || one.managedBy === 'CONFIG' ? [one.state] : [])),
        alerts: alerts.map(({ state }) => state),
      },
      overrides: overrides.filter(isLive),
      alerts,
    };
  }
}

function readOverride(row: TenantWithParts['overrides'][number]): KeptPart<OverrideState> {
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

function readAlert(row: TenantWithParts['alertThresholds'][number]): KeptPart<AlertState> {
  const { id, managedBy, apiKey, limitName, percents } = row;
  const state = {
    api: apiKey === '' ? null : apiKey,
    limit: limitName === '' ? null : limitName,
    percents,
  };
  return { id, managedBy, state };
}

/** One may have ended, and another have been made for the same limits since. */
function newestOfEach(overrides: readonly KeptPart<OverrideState>[]): KeptPart<OverrideState>[] {
  const newest = new Map<string, KeptPart<OverrideState>>();
  for (const one of overrides) {
    const target = targetOf(one.state);
    if (!newest.has(target)) newest.set(target, one);
  }
  return [...newest.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

/** Any number that no other advisory lock here uses. */
const CONFIG_LOCK = 7_164_027;

/** Metadata of an object that is not part of a configuration. */
export interface Keeping {
  id: string;
  version: number;
  managedBy: ManagedBy;
  tags: string[];
}

export interface TierKeeping extends Keeping {
  hasDraft: boolean;
  wasPublished: boolean;
  isArchived: boolean;
}

/** The present state, with metadata. */
export interface PresentState extends ConfigState {
  keptApis: Map<string, Keeping>;
  keptTiers: Map<string, TierKeeping>;
  keptOffers: Map<string, Keeping>;
  keptTenants: Map<string, Keeping>;
  /** By the key of the tenant; those that are in force or will be. */
  keptOverrides: Map<string, KeptPart<OverrideState>[]>;
  keptAlerts: Map<string, KeptPart<AlertState>[]>;
}

/** Kinds of objects that a configuration manages. */
export type KeptKind = 'api' | 'tier' | 'offer' | 'tenant' | 'override' | 'alertThreshold';

/** Reads the present state in the form of a configuration. */
@Injectable()
export class ConfigStateRepository {
  constructor(
    private readonly database: Database,
    private readonly apis: ApisRepository,
    private readonly tiers: TiersRepository,
    private readonly defaults: DefaultLimitsRepository,
    private readonly tenants: TenantStatesRepository,
  ) {}

  /** Serializes applications of configurations until the transaction ends. */
  async lock(tx: Tx): Promise<void> {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${CONFIG_LOCK}::bigint)`;
  }

  countTenants(): Promise<number> {
    return this.database.client.tenant.count();
  }

  /** The newest revision that nodes were given; 0 before the first. */
  async newestRevision(tx: Tx): Promise<number> {
    return (await tx.policyRevision.aggregate({ _max: { number: true } }))._max.number ?? 0;
  }

  /** @param tenantKeys of the tenants to read; everything else is read whole */
  async read(tenantKeys: string[] | 'all', tx: Tx = this.database.client): Promise<PresentState> {
    const apis = await this.readApis(tx);
    const tiers = await this.readTiers(tx);
    const offers = await this.readOffers(tx);
    const tenants = await this.tenants.list(tenantKeys, tx);
    return {
      apis: new Map(apis.map(({ key, state }) => [key, state])),
      keptApis: new Map(apis.map(({ key, keeping }) => [key, keeping])),
      tiers: new Map(tiers.map(({ key, state }) => [key, state])),
      keptTiers: new Map(tiers.map(({ key, keeping }) => [key, keeping])),
      offers: new Map(offers.map(({ key, state }) => [key, state])),
      keptOffers: new Map(offers.map(({ key, keeping }) => [key, keeping])),
      tenants: byKey(tenants, ({ state }) => state),
      keptTenants: byKey(tenants, keepingOf),
      keptOverrides: byKey(tenants, ({ overrides }) => overrides),
      keptAlerts: byKey(tenants, ({ alerts }) => alerts),
    };
  }

  async setManaged(tx: Tx, what: KeptKind, ids: string[]): Promise<void> {
    const change = {
      where: { id: { in: ids }, managedBy: 'CONSOLE' as const },
      data: { managedBy: 'CONFIG' as const },
    };
    await (tx[what] as typeof tx.api).updateMany(change);
  }

  private async readApis(tx: Tx): Promise<{ key: string; state: ApiState; keeping: Keeping }[]> {
    const defaults = await this.defaults.list('all', tx);
    return (await this.apis.listAllWithParts(tx)).map((api) => ({
      key: api.key,
      keeping: keepingOf(api),
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
        pools: new Map(
          api.pools.map(({ name, operations, capacity, reclaimPercent }) => [
            name,
            { operations, capacity, reclaimPercent },
          ]),
        ),
        defaultLimits: (defaults.get(api.id) ?? []).map(({ policy }) => policy),
      },
    }));
  }

  private async readOffers(tx: Tx): Promise<{ key: string; state: OfferState; keeping: Keeping }[]> {
    const offers = await tx.offer.findMany({ orderBy: { key: 'asc' } });
    return offers.map(({ id, key, version, managedBy, priceMinor, tierKeys, effects, ...offer }) => ({
      key,
      keeping: { id, version, managedBy, tags: [] },
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

  private async readTiers(tx: Tx): Promise<{ key: string; state: TierState; keeping: TierKeeping }[]> {
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
    return tiers.map(({ versions, ...tier }) => {
      const current = versions.find(({ status }) => status === PUBLISHED);
      const own = (limits.get(current?.id ?? '') ?? []).filter(({ origin }) => origin === 'TIER');
      const { name, description, rank, weight, tags, signUp } = tier;
      const hasDraft = versions.some(({ status }) => status === DRAFT);
      return {
        key: tier.key,
        keeping: {
          ...keepingOf(tier),
          hasDraft,
          wasPublished: current !== undefined,
          isArchived: tier.archivedAt !== null,
        },
        state: {
          facts: { name, description, rank, weight, tags, signUp },
          limits: own.map(({ policy }) => policy),
        },
      };
    });
  }
}

function keepingOf({ id, version, managedBy, tags }: Keeping): Keeping {
  return { id, version, managedBy, tags };
}

function byKey<T>(tenants: readonly PresentTenant[], part: (tenant: PresentTenant) => T): Map<string, T> {
  return new Map(tenants.map((tenant) => [tenant.key, part(tenant)]));
}
