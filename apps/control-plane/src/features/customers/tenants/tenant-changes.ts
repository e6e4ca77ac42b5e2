import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import type { Change } from '../../../platform/changes/change.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { conflict, notFound, type Outcome, type Refusal, refuse } from '../../../platform/changes/outcome.js';
import { type TenantSituation, TenantViews } from './tenant-views.js';
import { type SubscriptionRow, type TenantRow, TenantsRepository } from './tenants.repository.js';

/** What a tenant would be on, and what would apply to it: nothing that could be read once a dry run has ended. */
export interface TenantPreview {
  subscription: SubscriptionRow;
  situation: TenantSituation;
}

/** A tenant after a change; after a dry run with what it would be. */
export type ChangedTenant = TenantRow & { preview?: TenantPreview };

/** What of a change of one tenant its dry run shows: the tenant alone, or also what it would be on. */
export type Shown = 'tenant' | 'subscription';

/** What is done to one tenant, which is locked. */
export type TenantWork = (change: Change, tenant: TenantRow) => Promise<TenantRow | Refusal<TenantRow>>;

type Work = Parameters<typeof ChangeRunner.prototype.run<ChangedTenant>>[2];

/** Runs changes of one tenant, whose dry runs show the tenant as it would be. */
@Injectable()
export class TenantChanges {
  constructor(
    private readonly changes: ChangeRunner,
    private readonly tenants: TenantsRepository,
    private readonly views: TenantViews,
  ) {}

  run(
    caller: Caller,
    options: Parameters<ChangeRunner['run']>[1],
    work: Work,
    shown: Shown = 'tenant',
  ): Promise<Outcome<ChangedTenant>> {
    if (caller.dryRun !== true || shown === 'tenant') return this.changes.run(caller, options, work);
    return this.changes.run<ChangedTenant>(caller, options, async (change) => {
      const result = await work(change);
      if ('ok' in result) return result;
      const subscription = await this.tenants.findSubscription(change.tx, result.id);
      const situation = await this.views.get(result.id, change.tx);
      return { ...result, preview: { subscription, situation } };
    });
  }

  /**
   * Runs `work` on the locked tenant and publishes its record. Refused: NOT_FOUND, CONFLICT when the tenant is not as the
   * caller saw it.
   */
  runOn(
    caller: Caller,
    input: { tenantKey: string; expectedVersion: number; reason: string | null },
    work: TenantWork,
    shown?: Shown,
  ): Promise<Outcome<ChangedTenant>> {
    const { tenantKey, expectedVersion, reason } = input;
    const locked = async (change: Change) => {
      const tenant = await this.tenants.lockByKey(change.tx, tenantKey);
      if (tenant === null) return refuse<TenantRow>([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
      if (tenant.version !== expectedVersion) return refuse([conflict('tenant')], tenant);
      const result = await work(change, tenant);
      if (!('ok' in result)) await change.publish('TENANT', tenantKey);
      return result;
    };
    return this.run(caller, { reason }, locked, shown);
  }
}
