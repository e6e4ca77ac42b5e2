import { Injectable } from '@nestjs/common';
import { Args, InputType, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { type Caller, jobActor } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { ChangeRunner } from '../../../platform/changes/change.js';
import {
  invalid,
  notFound,
  type Outcome,
  optionalNote,
  parseInput,
  payloadOf,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { addDays } from '../../../platform/clock.js';
import {
  Input,
  MutationInput,
  MutationPayload,
  type UserError,
  UserErrorCode,
} from '../../../platform/graphql/mutation.graphql.js';
import { field, InputOf, ObjectOf } from '../../../platform/graphql/object-of.js';
import { newId } from '../../../platform/ids.js';
import { RolloutsService, TenantsRepository } from '../../customers/index.js';
import { BillingClock } from '../payments/billing-clock.js';
import { PaymentProviders } from '../payments/payment-providers.js';
import { PurchaseTimersService } from '../purchases/purchase-timers.js';
import { PurchasesRepository } from '../purchases/purchases.repository.js';
import { TestDeliveries } from './webhooks.js';

/** Steps per run; a purchase has a few per month. */
const MAX_STEPS = 1000;

/** Moves a tenant's test clock forward step by step and runs the timers that are due at each step. */
@Injectable()
export class TestClockWalk {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly billing: BillingClock,
    private readonly deliveries: TestDeliveries,
    private readonly timers: PurchaseTimersService,
    private readonly rollouts: RolloutsService,
  ) {}

  /** False if Stripe, which runs on real time, may charge the tenant. */
  async isPossible(tenantId: string): Promise<boolean> {
    return !(await this.purchases.hasLive(tenantId, 'STRIPE'));
  }

  /** Moves the clock to `to`; on return, everything that was due has been processed. */
  async run(tenantId: string, from: { now: Date; isTest: boolean }, to: Date): Promise<void> {
    if (!from.isTest) await this.timers.reconcileAll(tenantId);
    let { now } = from;
    for (let step = 0; step < MAX_STEPS && now < to; step++) {
      // Timers that stay due after they ran must not stop the clock.
      const next = (await this.listMoments(tenantId)).filter((at) => at > now && at < to);
      now = new Date(Math.min(...[...next, to].map((at) => at.getTime())));
      await this.billing.advance(tenantId, now);
      await this.deliveries.run(tenantId);
      await this.timers.run(tenantId);
      // Delivers the events that the timers caused at the test provider.
      await this.deliveries.deliver(tenantId);
      await this.rollouts.moveDue(
        { actor: jobActor('follow-tiers'), requestId: newId('request') },
        1,
        tenantId,
      );
    }
  }

  private async listMoments(tenantId: string): Promise<Date[]> {
    const moments = [await this.purchases.findNextDue(tenantId), await this.rollouts.findFollowsAt(tenantId)];
    return moments.filter((at) => at !== null);
  }
}

/** Bounds the renewals of one request. */
const MAX_ADVANCE_DAYS = 400;

@ObjectType({ description: 'Billing time of a tenant.' })
export class BillingTime extends ObjectOf({
  tenantKey: field.string('Key of the tenant.'),
  now: field.dateTime('Current time for renewals, grace periods and top-ups.'),
  isTest: field.boolean('Whether it is a test clock, which only moves when it is advanced.'),
}) {}

const schema = z.object({
  tenantKey: tenantKeySchema.describe('Key of the tenant.'),
  to: z.date().describe('New time: later than the current one, by at most 400 days.'),
  reason: optionalNote,
});

@InputType({ description: 'The new time of a test clock.' })
export class TestClockAdvanceInput extends InputOf(schema, MutationInput) {}

/** Test clocks: billing time that operators advance, so that a year of renewals takes seconds. */
@Injectable()
export class TestClockService {
  constructor(
    private readonly tenants: TenantsRepository,
    private readonly billing: BillingClock,
    private readonly walk: TestClockWalk,
    private readonly providers: PaymentProviders,
    private readonly changes: ChangeRunner,
  ) {}

  /** Billing time of a tenant; null if there is none of this key. */
  async read(tenantKey: string): Promise<BillingTime | null> {
    const tenant = tenantKeySchema.safeParse(tenantKey).success
      ? await this.tenants.findByKey(tenantKey)
      : null;
    return tenant === null ? null : { tenantKey, ...(await this.billing.read(tenant.id)) };
  }

  /**
   * Puts a tenant on a test clock and moves it forward; on return, everything that was due has been processed.
   * Errors: NOT_FOUND, INVALID, PROVIDER_UNAVAILABLE.
   */
  async advance(caller: Caller, input: TestClockAdvanceInput): Promise<Outcome<BillingTime>> {
    const parsed = parseInput(schema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, to, reason } = parsed.data;
    if (this.providers.find('TEST') === undefined) {
      const message = 'Test clocks require the test payment provider, which is disabled.';
      return refuse([userError(UserErrorCode.PROVIDER_UNAVAILABLE, null, message)]);
    }
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
    const before = await this.billing.read(tenant.id);
    const problem = await this.findProblem(tenant.id, before.now, to);
    if (problem !== null) return refuse([problem]);
    const begun = await this.changes.run<BillingTime>(caller, { reason }, async (change) => {
      await this.billing.stopAt(change.tx, tenant.id, before.now);
      await change.audit({
        action: 'testClock.advance',
        entityId: tenant.id,
        entityName: tenant.name,
        tenantKey,
        before: { now: before.now.toISOString(), isTest: before.isTest },
        after: { now: to.toISOString(), isTest: true },
      });
      return { tenantKey, now: to, isTest: true };
    });
    if (!begun.ok || caller.dryRun === true) return begun;
    await this.walk.run(tenant.id, before, to);
    return begun;
  }

  private async findProblem(tenantId: string, now: Date, to: Date): Promise<UserError | null> {
    if (to <= now) return invalid(['to'], `The clock is at ${now.toISOString()} and cannot move back.`);
    if (to > addDays(now, MAX_ADVANCE_DAYS)) {
      return invalid(['to'], `Advance at most ${MAX_ADVANCE_DAYS} days at a time.`);
    }
    if (await this.walk.isPossible(tenantId)) return null;
    const message = 'The tenant pays through Stripe, which does not support test clocks of Tollgate.';
    return invalid(['tenantKey'], message);
  }
}

@ObjectType({ description: 'Outcome of advancing a test clock.' })
export class TestClockPayload extends ObjectOf(MutationPayload, {
  clock: field.of(() => BillingTime, 'The clock after the change.').nullable(),
}) {}

@Resolver(() => BillingTime)
export class TestClockResolver {
  constructor(private readonly service: TestClockService) {}

  @RequireTenantPermission('purchases:read', 'tenantKey')
  @Query(() => BillingTime, {
    name: 'billingTime',
    nullable: true,
    description: 'Billing time of a tenant; null if there is no such tenant.',
  })
  read(@Args('tenantKey', { description: 'Key of the tenant.' }) tenantKey: string) {
    return this.service.read(tenantKey);
  }

  @RequireTenantPermission('payments:write', 'input.tenantKey')
  @Mutation(() => TestClockPayload, {
    name: 'testClockAdvance',
    description:
      'Puts a tenant on a test clock and advances it. Returns when everything due until then is processed.',
  })
  async advance(@Input() input: TestClockAdvanceInput, @CurrentCaller() caller: Caller) {
    return payloadOf('clock', await this.service.advance(caller, input));
  }
}
