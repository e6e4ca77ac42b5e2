import { Injectable } from '@nestjs/common';
import { tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { type Caller, jobActor } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import {
  notFound,
  type Outcome,
  optionalNote,
  parseInput,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { addDays } from '../../../platform/clock.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { newId } from '../../../platform/ids.js';
import { RolloutsService, TenantsRepository } from '../../customers/index.js';
import { BillingClock, type BillingTime } from '../payments/billing-clock.js';
import { PaymentProviders } from '../payments/payment-providers.js';
import { PurchaseTimersService } from '../purchases/purchase-timers.js';
import { PurchasesRepository } from '../purchases/purchases.repository.js';
import { TestDeliveries } from './test-deliveries.js';

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
  async run(tenantId: string, from: BillingTime, to: Date): Promise<void> {
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

const schema = z.object({ tenantKey: tenantKeySchema, to: z.date(), reason: optionalNote });

export interface TestClockReading {
  tenantKey: string;
  now: Date;
  isTest: boolean;
}

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

  /** Null if the tenant does not exist. */
  async read(tenantKey: string): Promise<TestClockReading | null> {
    const tenant = tenantKeySchema.safeParse(tenantKey).success
      ? await this.tenants.findByKey(tenantKey)
      : null;
    return tenant === null ? null : { tenantKey, ...(await this.billing.read(tenant.id)) };
  }

  /**
   * Puts a tenant on a test clock and moves it forward; on return, everything that was due has been processed.
   * Errors: NOT_FOUND, INVALID, PROVIDER_UNAVAILABLE.
   */
  async advance(caller: Caller, input: z.input<typeof schema>): Promise<Outcome<TestClockReading>> {
    const parsed = parseInput(schema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, to, reason } = parsed.data;
    if (this.providers.find('TEST') === undefined) {
      const message = 'Test clocks require the test payment provider, which is disabled.';
      return refuse([userError(UserErrorCode.PROVIDER_UNAVAILABLE, null, message)]);
    }
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
    const problem = await this.findProblem(tenant.id, to);
    if (problem !== null) return refuse([userError(UserErrorCode.INVALID, ...problem)]);
    const before = await this.billing.read(tenant.id);
    const begun = await this.changes.run<TestClockReading>(caller, { reason }, async (change) => {
      await this.billing.stopAt(change.tx, tenant.id, before.now);
      await change.audit({
        action: 'testClock.advance',
        entity: 'Tenant',
        entityId: tenant.id,
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

  private async findProblem(tenantId: string, to: Date): Promise<[field: string[], message: string] | null> {
    const { now } = await this.billing.read(tenantId);
    if (to <= now) return [['to'], `The clock is at ${now.toISOString()} and cannot move back.`];
    if (to > addDays(now, MAX_ADVANCE_DAYS))
      return [['to'], `Advance at most ${MAX_ADVANCE_DAYS} days at a time.`];
    if (!(await this.walk.isPossible(tenantId))) {
      return [
        ['tenantKey'],
        'The tenant pays through Stripe, which does not support test clocks of Tollgate.',
      ];
    }
    return null;
  }
}
