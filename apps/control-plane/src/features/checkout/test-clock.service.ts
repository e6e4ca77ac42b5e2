import { Injectable } from '@nestjs/common';
import { tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import type { Caller } from '../../platform/access/actor.js';
import { ChangeRunner } from '../../platform/changes/change-runner.js';
import { notFound, type Outcome, parseInput, refuse, userError } from '../../platform/changes/outcome.js';
import { optionalNote } from '../../platform/changes/text.js';
import { addDays } from '../../platform/clock/billing-period.js';
import { UserErrorCode } from '../../platform/graphql/user-error.graphql.js';
import { BillingClock, PaymentProviders, TestClocksRepository } from '../payments/index.js';
import { PurchaseDueService, PurchasesRepository } from '../purchases/index.js';
import { TenantsRepository } from '../tenants/index.js';
import type { TestClockAdvanceInput } from './test-clock.graphql.js';
import { TestDeliveries } from './test-deliveries.js';

/** Further at once, one would have to wait for too many renewals. */
const MAX_ADVANCE_DAYS = 400;
/** Moments on the way at which something is due; a purchase has a few in a month. */
const MAX_STEPS = 1000;

const schema = z.object({ tenantKey: tenantKeySchema, to: z.date(), reason: optionalNote });

export interface TestClockReading {
  tenantKey: string;
  now: Date;
  isTest: boolean;
}

/** Test clocks: a tenant's billing time stands still and is advanced by hand, so that a year of renewals takes seconds. */
@Injectable()
export class TestClockService {
  constructor(
    private readonly tenants: TenantsRepository,
    private readonly purchases: PurchasesRepository,
    private readonly clocks: TestClocksRepository,
    private readonly billing: BillingClock,
    private readonly deliveries: TestDeliveries,
    private readonly due: PurchaseDueService,
    private readonly providers: PaymentProviders,
    private readonly changes: ChangeRunner,
  ) {}

  /** Null when there is no such tenant. */
  async read(tenantKey: string): Promise<TestClockReading | null> {
    const tenant = tenantKeySchema.safeParse(tenantKey).success
      ? await this.tenants.findByKey(tenantKey)
      : null;
    return tenant === null ? null : { tenantKey, ...(await this.billing.read(tenant.id)) };
  }

  /**
   * Moves a tenant's billing time forward, by way of every moment at which something is due; the tenant is on a test clock
   * from then on. When it returns, all of it has happened. Refused: NOT_FOUND, INVALID, PROVIDER_UNAVAILABLE.
   */
  async advance(caller: Caller, input: TestClockAdvanceInput): Promise<Outcome<TestClockReading>> {
    const parsed = parseInput(schema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, to, reason } = parsed.data;
    if (this.providers.find('TEST') === undefined) {
      const message = 'Test clocks go with the test provider, which is switched off here.';
      return refuse([userError(UserErrorCode.PROVIDER_UNAVAILABLE, null, message)]);
    }
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
    const problem = await this.findProblem(tenant.id, to);
    if (problem !== null) return refuse([userError(UserErrorCode.INVALID, ...problem)]);
    const before = await this.billing.read(tenant.id);
    const begun = await this.changes.run<TestClockReading>(caller, { reason }, async (change) => {
      await this.clocks.set(change.tx, tenant.id, before.now);
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
    if (!before.isTest) await this.due.settleAll(tenant.id);
    await this.walk(tenant.id, before.now, to);
    return begun;
  }

  private async findProblem(tenantId: string, to: Date): Promise<[field: string[], message: string] | null> {
    const { now } = await this.billing.read(tenantId);
    if (to <= now) return [['to'], `The clock stands at ${now.toISOString()}; it never goes back.`];
    if (to > addDays(now, MAX_ADVANCE_DAYS)) return [['to'], `At most ${MAX_ADVANCE_DAYS} days at once.`];
    if (await this.purchases.hasLive(tenantId, 'STRIPE')) {
      return [['tenantKey'], 'The tenant pays through Stripe, which knows nothing of this clock.'];
    }
    return null;
  }

  private async walk(tenantId: string, from: Date, to: Date): Promise<void> {
    let now = from;
    for (let step = 0; step < MAX_STEPS && now < to; step++) {
      const next = await this.purchases.findNextDue(tenantId);
      // What is due already and stays so cannot be done now: it is not waited for.
      now = next !== null && next > now && next < to ? next : to;
      await this.clocks.advance(tenantId, now);
      await this.deliveries.run(tenantId);
      await this.due.run(tenantId);
      // What the provider was told just now, it tells back.
      await this.deliveries.deliver(tenantId);
    }
  }
}
