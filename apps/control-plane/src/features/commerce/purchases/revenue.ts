import { Injectable } from '@nestjs/common';
import { ObjectType, Query, Resolver } from '@nestjs/graphql';
import { RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { addDays, Clock } from '../../../platform/clock.js';
import { field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { PurchasesRepository } from './purchases.repository.js';

const minor = (description: string) => field.safeInt(`${description}, in the smallest unit of the currency.`);

@ObjectType({ description: 'Monthly recurring revenue of an offer.' })
export class OfferRevenue extends ObjectOf({
  offerKey: field.string('Key of the offer.'),
  offerName: field.string('Name of the offer.'),
  purchases: field.int('Number of purchases that renew.'),
  monthlyMinor: minor('Price per month; a twelfth of the price for purchases that renew once a year'),
}) {}

@ObjectType({ description: 'Upgrades bought by tenants of a tier.' })
export class TierUpgrades extends ObjectOf({
  tierKey: field.string('Key of the tier.'),
  tierName: field.string('Name of the tier.'),
  purchases: field.int('Number of purchases.'),
}) {}

@ObjectType({ description: 'Revenue in one currency, from the events of purchases and the ledger.' })
export class Revenue extends ObjectOf({
  currency: field.string('ISO 4217 code of the currency.'),
  monthlyMinor: minor('Monthly recurring revenue of purchases that are active or past due and renew'),
  receivedMinor: minor('Payments received in the last 30 days, less refunds and disputes'),
  failedRenewals: field.int('Purchases that are past due.'),
  failedMinor: minor('Price of the renewals that failed'),
  offers: field
    .of(() => OfferRevenue, 'By offer, highest first.')
    .list()
    .complexity(0),
  upgrades: field
    .of(() => TierUpgrades, 'Upgrades first paid in the last 30 days, by the current tier of the tenant.')
    .list()
    .complexity(0),
}) {}

const RECENT_DAYS = 30;

/** Revenue of all tenants. */
@Injectable()
export class RevenueService {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly clock: Clock,
  ) {}

  /** By currency, the highest recurring revenue first. */
  async list(): Promise<Revenue[]> {
    const since = addDays(this.clock.now(), -RECENT_DAYS);
    const [offers, failures, received, upgrades] = await Promise.all([
      this.purchases.sumRecurring(),
      this.purchases.sumPastDue(),
      this.purchases.sumReceived(since),
      this.purchases.countUpgrades(since),
    ]);
    const currencies = new Set([...offers, ...failures, ...received, ...upgrades].map((row) => row.currency));
    const revenues = [...currencies].map((currency): Revenue => {
      const of = <R extends { currency: string }>(rows: readonly R[]) =>
        rows.filter((row) => row.currency === currency).map(({ currency: _, ...row }) => row);
      const [failed] = of(failures);
      const byOffer = of(offers);
      return {
        currency,
        monthlyMinor: byOffer.reduce((sum, { monthlyMinor }) => sum + monthlyMinor, 0),
        receivedMinor: of(received)[0]?.receivedMinor ?? 0,
        failedRenewals: failed?.purchases ?? 0,
        failedMinor: failed?.amountMinor ?? 0,
        offers: byOffer,
        upgrades: of(upgrades),
      };
    });
    return revenues.sort((a, b) => b.monthlyMinor - a.monthlyMinor || a.currency.localeCompare(b.currency));
  }
}

/** Query cost of summing all purchases. */
const SUMS = 20;

@Resolver()
export class RevenueResolver {
  constructor(private readonly revenue: RevenueService) {}

  @RequirePermission('purchases:read')
  @Query(() => [Revenue], {
    name: 'revenue',
    complexity: SUMS,
    description: 'Revenue of all tenants, one entry per currency.',
  })
  list(): Promise<Revenue[]> {
    return this.revenue.list();
  }
}
