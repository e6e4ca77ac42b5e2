import { Injectable } from '@nestjs/common';
import { formatMoney, resolveLimit } from '@tollgate/contracts';
import type * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import {
  invalid,
  notFound,
  type Outcome,
  parseInput,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { AutoTopUpStatus, AutoTopUpStop } from '../../../platform/prisma/schema.js';
import { TenantsRepository, TenantViews } from '../../customers/index.js';
import { offerEffectsSchema } from '../offers/offer-effects.js';
import { isOnSale, type OfferRow, OffersRepository } from '../offers/offers.repository.js';
import { BillingClock } from '../payments/billing-clock.js';
import { PurchasesRepository } from '../purchases/purchases.repository.js';
import { costOf, isMonthlyQuota, monthOf, type Terms, unitsFor } from './auto-top-up.rules.js';
import {
  type AutoTopUp,
  type AutoTopUpSetInput,
  type AutoTopUpTurnOffInput,
  autoTopUpSetSchema,
  autoTopUpTurnOffSchema,
} from './auto-top-ups.graphql.js';
import { type AutoTopUpRow, type AutoTopUpScope, AutoTopUpsRepository } from './auto-top-ups.repository.js';
import { isMember, NOT_A_MEMBER, PaymentCardsService } from './payment-cards.service.js';

type Wanted = z.output<typeof autoTopUpSetSchema>;

/** A quota and what a purchase of an offer means for it. */
export interface TopUpQuota {
  /** The effective limit; null: the tenant has no such monthly quota. */
  limit: number | null;
  terms: Terms;
}

/** Reads what auto top-ups decide on. */
@Injectable()
export class AutoTopUpFactsService {
  constructor(
    private readonly autoTopUps: AutoTopUpsRepository,
    private readonly purchases: PurchasesRepository,
    private readonly views: TenantViews,
    private readonly billing: BillingClock,
  ) {}

  async readQuota(
    tx: Tx,
    { tenantId, apiKey, limitName }: AutoTopUpScope,
    offer: OfferRow,
  ): Promise<TopUpQuota> {
    const { stored, inForce } = await this.views.get(tenantId, tx);
    const policies = stored.map(({ policy }) => policy);
    const policy = policies.find(({ api, name }) => api === apiKey && name === limitName);
    const found = policy !== undefined && isMonthlyQuota(policy) ? policy : null;
    const effects = offerEffectsSchema.parse(offer.effects);
    return {
      limit: found && resolveLimit(found, inForce).policy.limit,
      terms: {
        priceMinor: Number(offer.priceMinor),
        units: found === null ? 0 : unitsFor({ kind: offer.kind, effects }, found),
        validDays: offer.validDays ?? 0,
      },
    };
  }

  /** Cost of the orders of the current calendar month, in billing time. */
  async readSpent(id: string, tenantId: string, tx?: Tx): Promise<{ spentMinor: number; resetsAt: Date }> {
    const { now } = await this.billing.read(tenantId, tx);
    const { from, to } = monthOf(now);
    const orders = await this.autoTopUps.listOrders(id, from, tx);
    const events = await this.purchases.listEventsOf(
      orders.map((order) => order.id),
      tx,
    );
    const spentMinor = orders.reduce((sum, order) => sum + costOf(order, events.get(order.id) ?? []), 0);
    return { spentMinor, resetsAt: to };
  }
}

/** Auto top-ups of tenants, as members set them. */
@Injectable()
export class AutoTopUpsService {
  constructor(
    private readonly autoTopUps: AutoTopUpsRepository,
    private readonly facts: AutoTopUpFactsService,
    private readonly tenants: TenantsRepository,
    private readonly offers: OffersRepository,
    private readonly cards: PaymentCardsService,
    private readonly changes: ChangeRunner,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Empty if the tenant does not exist. */
  async list(tenantKey: string): Promise<AutoTopUp[]> {
    const tenant = await this.tenants.findByKey(tenantKey);
    const rows = tenant === null ? [] : await this.autoTopUps.list(tenant.id);
    return this.database.transaction((tx) => Promise.all(rows.map((row) => this.describe(row, tx))));
  }

  /**
   * Turns on the auto top-up of a quota, changes it, or accepts new terms. Errors: NOT_FOUND, INVALID, NOT_FOR_SALE,
   * PRICE_CHANGED, PROVIDER_UNAVAILABLE.
   */
  async set(caller: Caller, input: AutoTopUpSetInput): Promise<Outcome<AutoTopUp>> {
    const parsed = parseInput(autoTopUpSetSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const wanted = parsed.data;
    const tenant = await this.tenants.findByKey(wanted.tenantKey);
    if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${wanted.tenantKey}"`)]);
    if (!isMember(caller.actor, wanted.tenantKey)) return refuse([NOT_A_MEMBER]);
    const card = await this.cards.find(tenant.id, wanted.provider, wanted.card);
    if ('code' in card) return refuse([card]);
    return this.changes.run<AutoTopUp>(caller, { reason: wanted.reason }, async (change) => {
      const scope = { tenantId: tenant.id, apiKey: wanted.apiKey, limitName: wanted.limitName };
      const old = await this.autoTopUps.find(change.tx, scope);
      const before = old && (await this.autoTopUps.lock(change.tx, old.id));
      const offer = await this.offers.findByKey(wanted.offerKey);
      if (offer === null || !isOnSale(offer))
        return refuse([notFound(['offerKey'], `active offer "${wanted.offerKey}"`)]);
      const quota = await this.facts.readQuota(change.tx, scope, offer);
      const problem = findProblem(wanted, offer, quota);
      if (problem !== null) return refuse([problem]);
      const after = await this.autoTopUps.save(change.tx, scope, {
        offerId: offer.id,
        status: AutoTopUpStatus.ON,
        stopReason: null,
        stopDetail: null,
        thresholdUnits: wanted.thresholdUnits ?? null,
        thresholdPercent: wanted.thresholdPercent ?? null,
        capMinor: wanted.capMinor,
        currency: offer.currency,
        agreedPriceMinor: quota.terms.priceMinor,
        agreedUnits: quota.terms.units,
        agreedValidDays: quota.terms.validDays,
        knownDisputes: before === null ? 0 : await this.autoTopUps.countDisputed(change.tx, before.id),
        provider: wanted.provider,
        cardRef: card.ref,
        cardLabel: card.label,
        dueAt: this.clock.now(),
      });
      await auditChange(change, 'autoTopUp.set', before, after);
      return this.describe(after, change.tx);
    });
  }

  /** Turns an auto top-up off; an order that is being paid is completed. Errors: NOT_FOUND. */
  async turnOff(caller: Caller, input: AutoTopUpTurnOffInput): Promise<Outcome<AutoTopUp>> {
    const parsed = parseInput(autoTopUpTurnOffSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, id, reason } = parsed.data;
    const tenant = await this.tenants.findByKey(tenantKey);
    return this.changes.run<AutoTopUp>(caller, { reason }, async (change) => {
      const found = tenant && (await this.autoTopUps.find(change.tx, { tenantId: tenant.id, id }));
      const before = found && (await this.autoTopUps.lock(change.tx, found.id));
      if (before === null) return refuse([notFound(['id'], 'auto top-up with this id')]);
      if (before.status === AutoTopUpStatus.OFF) return this.describe(before, change.tx);
      const stopReason = isMember(caller.actor, tenantKey) ? AutoTopUpStop.CUSTOMER : AutoTopUpStop.OPERATOR;
      const openOrder = await this.autoTopUps.findOpenOrder(change.tx, id);
      const after = await this.autoTopUps.update(change.tx, id, {
        status: AutoTopUpStatus.OFF,
        stopReason,
        stopDetail: null,
        dueAt: openOrder === null ? null : this.clock.now(),
      });
      await auditChange(change, 'autoTopUp.turnOff', before, after);
      await change.notify({
        ...noticeOf(after, 'auto_topup.turned_off'),
        dedupeKey: `auto_topup.turned_off:${change.id}`,
      });
      return this.describe(after, change.tx);
    });
  }

  private async describe(row: AutoTopUpRow, tx: Tx): Promise<AutoTopUp> {
    const { spentMinor, resetsAt } = await this.facts.readSpent(row.id, row.tenantId, tx);
    const openOrder = await this.autoTopUps.findOpenOrder(tx, row.id);
    const number = (value: bigint | null) => (value === null ? null : Number(value));
    return {
      ...row,
      thresholdUnits: number(row.thresholdUnits),
      capMinor: Number(row.capMinor),
      agreedPriceMinor: Number(row.agreedPriceMinor),
      card: row.cardRef,
      spentMinor,
      resetsAt,
      isCapReached: spentMinor + Number(row.offer.priceMinor) > Number(row.capMinor),
      hasOpenOrder: openOrder !== null,
    };
  }
}

function findProblem(
  { apiKey, limitName, thresholdUnits, capMinor, expectedPriceMinor }: Wanted,
  offer: OfferRow,
  { limit, terms }: TopUpQuota,
): UserError | null {
  if (limit === null) {
    const message = `"${limitName}" of API "${apiKey}" is no quota per month or billing period of the tenant as a whole.`;
    return invalid(['limitName'], message);
  }
  if (terms.units === 0) {
    const message = `${offer.name} adds no units to "${limitName}". Choose another top-up.`;
    return userError(UserErrorCode.NOT_FOR_SALE, ['offerKey'], message);
  }
  const price = formatMoney(terms.priceMinor, offer.currency);
  if (expectedPriceMinor !== terms.priceMinor) {
    const message = `The price has changed to ${price}. Review the offer and try again.`;
    return userError(UserErrorCode.PRICE_CHANGED, ['expectedPriceMinor'], message);
  }
  if (thresholdUnits != null && thresholdUnits >= limit) {
    return invalid(
      ['thresholdUnits'],
      `Enter less than the quota of ${limit}, or units are always left too few.`,
    );
  }
  if (capMinor < terms.priceMinor) {
    return invalid(['capMinor'], `One ${offer.name} costs ${price}. Enter ${price} or more.`);
  }
  return null;
}

export function auditChange(
  change: Change,
  action: 'autoTopUp.set' | 'autoTopUp.turnOff' | 'autoTopUp.pause' | 'autoTopUp.fail',
  before: AutoTopUpRow | null,
  after: AutoTopUpRow,
): Promise<void> {
  return change.audit({
    action,
    entityId: after.id,
    entityName: `${after.limitName} of ${after.apiKey}`,
    tenantKey: after.tenant.key,
    before: before && auditedOf(before),
    after: auditedOf(after),
  });
}

function auditedOf(row: AutoTopUpRow) {
  const {
    apiKey,
    limitName,
    status,
    stopReason,
    stopDetail,
    thresholdPercent,
    currency,
    provider,
    cardLabel,
  } = row;
  return {
    ...{ apiKey, limitName, offerKey: row.offer.key, status, stopReason, stopDetail },
    ...{ thresholdUnits: row.thresholdUnits === null ? null : Number(row.thresholdUnits), thresholdPercent },
    ...{ capMinor: Number(row.capMinor), currency, agreedPriceMinor: Number(row.agreedPriceMinor) },
    ...{ provider, cardLabel },
  };
}

export function noticeOf<K extends `auto_topup.${string}`>(row: AutoTopUpRow, kind: K, data: object = {}) {
  const { id, key } = row.tenant;
  const { apiKey: api, limitName: limit, offer } = row;
  return { kind, tenant: { id, key }, data: { api, limit, offer: offer.name, ...data } };
}
