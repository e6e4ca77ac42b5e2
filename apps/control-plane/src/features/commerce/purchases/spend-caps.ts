import { Injectable } from '@nestjs/common';
import { Args, InputType, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { formatMoney, isCurrency, tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { ChangeRunner } from '../../../platform/changes/change.js';
import {
  invalid,
  notFound,
  type Outcome,
  parseInput,
  payloadOf,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { addPeriods } from '../../../platform/clock.js';
import {
  Input,
  MutationInput,
  PublishedPayload,
  type UserError,
  UserErrorCode,
} from '../../../platform/graphql/mutation.graphql.js';
import { field, InputOf, ObjectOf } from '../../../platform/graphql/object-of.js';
import { SafeInt } from '../../../platform/graphql/scalars.js';
import type { Tx } from '../../../platform/prisma/database.js';
import { type TenantRow, TenantsRepository } from '../../customers/index.js';
import { BillingClock } from '../payments/billing-clock.js';
import { type ChargeablePurchase, PurchasesRepository } from './purchases.repository.js';

/** Months for which renewals are added up: a yearly renewal falls into one of them. */
const MONTHS = 13;

const MAX_CAP_MINOR = 1_000_000_000_000;

@ObjectType({ description: 'What a tenant pays in the current calendar month (UTC), and its spend cap.' })
class Spending extends ObjectOf({
  currency: field.string('ISO 4217 code of the amounts: that of the cap, or of its purchases.').nullable(),
  capMinor: field.safeInt('The spend cap per month, in the smallest unit; null: none.').nullable(),
  paidMinor: field.safeInt('Payments received this month. Refunds are not deducted.'),
  expectedMinor: field.safeInt('Unpaid orders, and renewals due this month.'),
  resetsAt: field.dateTime('Start of the next month.'),
}) {}

const spendCapSetSchema = z.object({
  tenantKey: tenantKeySchema.describe('Key of the tenant.'),
  amountMinor: z
    .int()
    .min(0, 'The amount must be 0 or more')
    .max(MAX_CAP_MINOR, `The amount must be ${MAX_CAP_MINOR} or less`)
    .meta({ graphql: () => SafeInt })
    .nullish()
    .describe('Cap per month, in the smallest unit of the currency; null removes it.'),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'currency must be an ISO 4217 code, such as EUR')
    .refine(isCurrency, 'Unknown currency')
    .describe('ISO 4217 code.'),
});

@InputType({ description: 'A spend cap.' })
export class SpendCapSetInput extends InputOf(spendCapSetSchema, MutationInput) {}

@ObjectType({ description: 'Outcome of `spendCapSet`.' })
class SpendingPayload extends ObjectOf(PublishedPayload, {
  spending: field.of(() => Spending, 'The spending after the change.').nullable(),
}) {}

const monthOf = (at: Date): number => at.getUTCFullYear() * 12 + at.getUTCMonth();
const startOfMonth = (month: number): Date => new Date(Date.UTC(Math.floor(month / 12), month % 12, 1));

/**
 * Unpaid orders and renewals in a currency, by calendar month, the current one first. An unpaid order counts now, a
 * renewal when it is due, an overdue one now.
 */
function chargesByMonth(purchases: readonly ChargeablePurchase[], currency: string, now: Date): number[] {
  const months = Array<number>(MONTHS).fill(0);
  const charge = (at: Date, amountMinor: bigint) => {
    const month = Math.max(0, monthOf(at) - monthOf(now));
    if (month < MONTHS) months[month] = (months[month] ?? 0) + Number(amountMinor);
  };
  for (const { status, renews, interval, paidThrough, amountMinor, currency: own } of purchases) {
    if (own !== currency) continue;
    const isOrdered = status === 'PENDING' || status === 'PROCESSING';
    if (isOrdered) charge(now, amountMinor);
    const next = isOrdered ? interval && addPeriods(now, { interval }, 1) : renews ? paidThrough : null;
    if (interval === null || next === null) continue;
    for (let count = 0; count < MONTHS; count++) charge(addPeriods(next, { interval }, count), amountMinor);
  }
  return months;
}

/** The spend caps of tenants. A tenant's orders and changes of its cap run one after the other. */
@Injectable()
export class SpendCaps {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly tenants: TenantsRepository,
    private readonly billing: BillingClock,
    private readonly changes: ChangeRunner,
  ) {}

  /** Null if the tenant does not exist. */
  async find(tenantKey: string): Promise<Spending | null> {
    const tenant = await this.tenants.findByKey(tenantKey);
    return tenant && this.describe(tenant);
  }

  /**
   * Why an order would exceed the tenant's cap, in this month or with its renewals in a later one; null if it would not.
   * The caller has serialized the orders of the tenant.
   */
  async findViolation(
    tx: Tx,
    tenantId: string,
    order: Pick<ChargeablePurchase, 'amountMinor' | 'currency' | 'interval'>,
  ): Promise<UserError | null> {
    const { spendCapMinor, spendCapCurrency } = (await this.tenants.findById(tenantId, tx)) ?? {};
    if (spendCapMinor == null || spendCapCurrency == null) return null;
    const violation = (message: string) => userError(UserErrorCode.SPEND_CAP, ['offerKey'], message);
    if (order.currency !== spendCapCurrency) {
      return violation(
        `The spend cap is in ${spendCapCurrency} and this offer costs ${order.currency}. Remove the cap to buy it.`,
      );
    }
    const { now } = await this.billing.read(tenantId, tx);
    const cap = Number(spendCapMinor);
    const ordered = { ...order, status: 'PENDING' as const, renews: false, paidThrough: null };
    const purchases = [...(await this.purchases.listChargeable(tx, tenantId)), ordered];
    const paidMinor = await this.sumPaid(tx, tenantId, order.currency, now);
    const totals = chargesByMonth(purchases, order.currency, now).map((sum, month) =>
      month === 0 ? sum + paidMinor : sum,
    );
    const month = totals.findIndex((sum) => sum > cap);
    if (month < 0) return null;
    const name = startOfMonth(monthOf(now) + month).toLocaleString('en', {
      ...{ month: 'long', year: 'numeric', timeZone: 'UTC' },
    });
    const [total, most] = [totals[month] ?? 0, cap].map((minor) => formatMoney(minor, spendCapCurrency));
    return violation(
      `This would bring the charges of ${name} to ${total}, above the spend cap of ${most}. Raise the cap to buy it.`,
    );
  }

  /** Sets or removes the cap. Errors: NOT_FOUND, INVALID if orders and renewals already exceed it. */
  async set(caller: Caller, input: SpendCapSetInput): Promise<Outcome<Spending>> {
    const parsed = parseInput(spendCapSetSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, amountMinor = null, currency } = parsed.data;
    return this.changes.run<Spending>(caller, { reason: null }, async (change) => {
      const found = await this.tenants.findByKey(tenantKey);
      if (found === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
      await this.purchases.serializeOrders(change.tx, found.id);
      const { now } = await this.billing.read(found.id, change.tx);
      const tenant = (await this.tenants.findById(found.id, change.tx)) ?? found;
      if (amountMinor !== null) {
        const problem = await this.findProblem(change.tx, tenant, amountMinor, currency, now);
        if (problem !== undefined) return refuse([problem]);
      }
      const cap = { spendCapMinor: amountMinor, spendCapCurrency: amountMinor === null ? null : currency };
      await this.tenants.setSpendCap(change.tx, tenant.id, cap);
      await change.audit({
        action: 'spend_cap.set',
        entityId: tenant.id,
        entityName: tenant.name,
        tenantKey,
        before: {
          spendCapMinor: tenant.spendCapMinor === null ? null : Number(tenant.spendCapMinor),
          spendCapCurrency: tenant.spendCapCurrency,
        },
        after: cap,
      });
      const after = await this.tenants.findById(tenant.id, change.tx);
      return this.describe(after ?? tenant, change.tx);
    });
  }

  private async findProblem(tx: Tx, { id }: TenantRow, capMinor: number, currency: string, now: Date) {
    const purchases = await this.purchases.listChargeable(tx, id);
    const foreign = purchases.find((purchase) => purchase.currency !== currency);
    if (foreign !== undefined) {
      const message = `Your purchases are charged in ${foreign.currency}. Choose a cap in ${foreign.currency}.`;
      return invalid(['currency'], message);
    }
    const paidMinor = await this.sumPaid(tx, id, currency, now);
    const [current = 0, ...later] = chargesByMonth(purchases, currency, now);
    // What was paid stays paid: it only leaves less for what is still to be charged this month.
    const least = Math.max(current === 0 ? 0 : current + paidMinor, ...later);
    if (least <= capMinor) return undefined;
    const needed = formatMoney(least, currency);
    const message = `Payments, unpaid orders and renewals of a month come to ${needed}. Cancel renewals first, or enter ${needed} or more.`;
    return invalid(['amountMinor'], message);
  }

  private async describe(tenant: TenantRow, tx?: Tx): Promise<Spending> {
    const { now } = await this.billing.read(tenant.id, tx);
    const purchases = await this.purchases.listChargeable(tx, tenant.id);
    const currency = tenant.spendCapCurrency ?? purchases[0]?.currency ?? null;
    const [expectedMinor = 0] = currency === null ? [] : chargesByMonth(purchases, currency, now);
    return {
      currency,
      capMinor: tenant.spendCapMinor === null ? null : Number(tenant.spendCapMinor),
      paidMinor: currency === null ? 0 : await this.sumPaid(tx, tenant.id, currency, now),
      expectedMinor,
      resetsAt: startOfMonth(monthOf(now) + 1),
    };
  }

  /** Payments received in the calendar month of `now`. */
  private sumPaid(tx: Tx | undefined, tenantId: string, currency: string, now: Date): Promise<number> {
    return this.purchases.sumPaid(tx, tenantId, currency, startOfMonth(monthOf(now)));
  }
}

@Resolver()
export class SpendCapsResolver {
  constructor(private readonly caps: SpendCaps) {}

  @RequireTenantPermission('purchases:read', 'tenantKey')
  @Query(() => Spending, {
    name: 'spending',
    nullable: true,
    description: 'Spending of a tenant in the current month; null if it does not exist.',
  })
  find(
    @Args('tenantKey', { description: 'Key of the tenant.' }) tenantKey: string,
  ): Promise<Spending | null> {
    return this.caps.find(tenantKey);
  }

  @RequireTenantPermission('purchases:write', 'input.tenantKey')
  @Mutation(() => SpendingPayload, {
    name: 'spendCapSet',
    description: 'Sets or removes the spend cap. Purchases that would exceed it are rejected before payment.',
  })
  async set(@Input() input: SpendCapSetInput, @CurrentCaller() caller: Caller) {
    return payloadOf('spending', await this.caps.set(caller, input));
  }
}
