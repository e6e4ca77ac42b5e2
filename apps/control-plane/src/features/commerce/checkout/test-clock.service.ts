import { Injectable } from '@nestjs/common';
import { tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
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
import { TenantsRepository } from '../../customers/index.js';
import { BillingClock } from '../payments/billing-clock.js';
import { PaymentProviders } from '../payments/payment-providers.js';
import type { TestClockAdvanceInput } from './test-clock.graphql.js';
import { TestClockWalk } from './test-clock-walk.js';

/** Further at once, one would have to wait for too many renewals. */
const MAX_ADVANCE_DAYS = 400;

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
    private readonly billing: BillingClock,
    private readonly walk: TestClockWalk,
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
    if (to <= now) return [['to'], `The clock stands at ${now.toISOString()}; it never goes back.`];
    if (to > addDays(now, MAX_ADVANCE_DAYS)) return [['to'], `At most ${MAX_ADVANCE_DAYS} days at once.`];
    if (!(await this.walk.isPossible(tenantId))) {
      return [['tenantKey'], 'The tenant pays through Stripe, which knows nothing of this clock.'];
    }
    return null;
  }
}
