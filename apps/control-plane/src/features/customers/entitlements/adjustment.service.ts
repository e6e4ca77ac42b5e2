import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import type { Change } from '../../../platform/changes/change.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import {
  conflict,
  notFound,
  type Outcome,
  type Refusal,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { RedisConnections } from '../../../platform/redis.js';
import { TenantViews } from '../tenants/tenant-record.repository.js';
import { type TenantRow, TenantsRepository } from '../tenants/tenants.repository.js';
import { type AdjustmentDraft, type AdjustmentFindings, checkAdjustment } from './adjustment-checks.js';
import { TooManyAdjustments } from './adjustments.planner.js';

/** What a mutation that adjusts limits has to tell. */
export interface Adjusted<T> {
  tenant: TenantRow;
  /** Null where it was refused. */
  row: T | null;
  warnings: string[];
  /** Of a dry run: what the tenant's limits would be. */
  preview?: LimitPreview[];
}

/** One limit as it would be. */
export interface LimitPreview {
  apiKey: string;
  limitName: string;
  limit: number;
}

/** What all changes of adjustments have in common. */
@Injectable()
export class AdjustmentService {
  constructor(
    private readonly changes: ChangeRunner,
    private readonly tenants: TenantsRepository,
    private readonly views: TenantViews,
    private readonly redis: RedisConnections,
  ) {}

  /** Runs `work` on the locked tenant, if there is one and it is as the caller saw it; null: whichever way it is. */
  async change<T>(
    caller: Caller,
    input: { tenantKey: string; expectedVersion: number | null; reason: string | null },
    work: (change: Change, tenant: TenantRow) => Promise<Adjusted<T> | Refusal<Adjusted<T>>>,
  ): Promise<Outcome<Adjusted<T>>> {
    const { tenantKey, expectedVersion, reason } = input;
    try {
      return await this.changes.run<Adjusted<T>>(caller, { reason }, async (change) => {
        const tenant = await this.tenants.lockByKey(change.tx, tenantKey);
        if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
        if (expectedVersion !== null && tenant.version !== expectedVersion) {
          return refuse([conflict('tenant')], { tenant, row: null, warnings: [] });
        }
        const done = await work(change, tenant);
        return caller.dryRun === true && !('ok' in done) ? this.withPreview(change, done) : done;
      });
    } catch (error) {
      if (!(error instanceof TooManyAdjustments)) throw error;
      const message = `${error.message}. End some that are not needed any more.`;
      return refuse([userError(UserErrorCode.INVALID, ['tenantKey'], message)]);
    }
  }

  private async withPreview<T>(change: Change, done: Adjusted<T>): Promise<Adjusted<T>> {
    const { view } = await this.views.get(done.tenant.id, change.tx);
    const preview = view.limits.map(({ policy: { api, name, limit } }) => ({
      apiKey: api,
      limitName: name,
      limit,
    }));
    return { ...done, preview };
  }

  /** What is wrong with adjustments of a tenant. */
  async check(
    change: Change,
    tenant: TenantRow,
    drafts: readonly AdjustmentDraft[],
  ): Promise<AdjustmentFindings> {
    const situation = await this.views.get(tenant.id, change.tx);
    const readings = await situation.view.peek(this.redis.counters);
    const findings = drafts.map((draft) => checkAdjustment(situation, draft, readings));
    return {
      errors: findings.flatMap(({ errors }) => errors),
      warnings: findings.flatMap(({ warnings }) => warnings),
      hiddenPurchases: findings.flatMap(({ hiddenPurchases }) => hiddenPurchases),
    };
  }
}
