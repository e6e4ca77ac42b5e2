import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import {
  conflict,
  errorsAt,
  notFound,
  type Outcome,
  onlyOf,
  type Refusal,
  refuse,
} from '../../../platform/changes/outcome.js';
import { type TenantSituation, TenantViews } from './tenant-record.repository.js';
import { type SubscriptionRow, type TenantRow, TenantsRepository } from './tenants.repository.js';

/** Subscription and effective limits after a dry run, whose transaction is rolled back. */
interface TenantPreview {
  subscription: SubscriptionRow;
  situation: TenantSituation;
}

/** A tenant after a change; after a dry run with a preview. */
export type ChangedTenant = TenantRow & { preview?: TenantPreview };

/** Content of the preview of a dry run. */
type Shown = 'tenant' | 'subscription';

type Work = Parameters<typeof ChangeRunner.prototype.run<ChangedTenant>>[2];

/** A change of a locked tenant. */
export interface TenantChange<I> {
  /** Has the reason of the input. */
  change: Change;
  tenant: TenantRow;
  input: I;
}

/** Changes locked tenants; returns them in the same order. Errors have the index of their tenant before their field. */
type TenantsWork<I> = (
  change: Change,
  changes: readonly TenantChange<I>[],
) => Promise<TenantRow[] | Refusal<TenantRow[]>>;

interface SeenTenant {
  tenantKey: string;
  /** Null: not checked. */
  expectedVersion: number | null;
  reason: string | null;
}

/** Runs changes of one tenant and adds previews to dry runs. */
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
   * Runs `work` on the locked tenant and publishes its record. Errors: NOT_FOUND, CONFLICT if the tenant has changed since the
   * caller read it.
   */
  runOn<I extends SeenTenant>(
    caller: Caller,
    input: I,
    work: TenantsWork<I>,
    shown?: Shown,
  ): Promise<Outcome<ChangedTenant>> {
    const { reason } = input;
    return this.run(
      caller,
      { reason },
      async (change) => onlyOf(await this.workOn(change, [input], work)),
      shown,
    );
  }

  /** As `runOn`, for different tenants. Errors have the index of their input before their field. */
  runOnAll<I extends SeenTenant>(
    caller: Caller,
    inputs: readonly I[],
    work: TenantsWork<I>,
  ): Promise<Outcome<TenantRow[]>> {
    return this.runAll(caller, { reason: null }, (change) => this.workOn(change, inputs, work));
  }

  runAll(
    caller: Caller,
    options: Parameters<ChangeRunner['run']>[1],
    work: (change: Change) => Promise<TenantRow[] | Refusal<TenantRow[]>>,
  ): Promise<Outcome<TenantRow[]>> {
    return this.changes.run<TenantRow[]>(caller, options, work);
  }

  /** As `runOn`, for work on one tenant at a time. */
  runOnOne(
    caller: Caller,
    input: SeenTenant,
    work: (change: Change, tenant: TenantRow) => Promise<TenantRow | Refusal<TenantRow>>,
  ): Promise<Outcome<ChangedTenant>> {
    return this.runOn(caller, input, async (change, changes) => {
      const { tenant } = changes[0] as TenantChange<SeenTenant>;
      const result = await work(change, tenant);
      if (!('ok' in result)) return [result];
      return refuse(errorsAt(0, result.errors), result.current === null ? null : [result.current]);
    });
  }

  private async workOn<I extends SeenTenant>(
    change: Change,
    inputs: readonly I[],
    work: TenantsWork<I>,
  ): Promise<TenantRow[] | Refusal<TenantRow[]>> {
    const locked = await lockTenants(this.tenants, change, inputs);
    if ('ok' in locked) return locked;
    const result = await work(
      change,
      locked.map((tenant, index) => changeOf(change, tenant, inputs[index] as I)),
    );
    if ('ok' in result) return result;
    change.publish(
      'TENANT',
      inputs.map(({ tenantKey }) => tenantKey),
    );
    return result;
  }
}

export function changeOf<I extends { reason: string | null }>(
  change: Change,
  tenant: TenantRow,
  input: I,
): TenantChange<I> {
  return { change: change.within(change.caller, input.reason), tenant, input };
}

/** Locks the tenants of inputs. Errors: NOT_FOUND, CONFLICT if one has changed since the caller read it. */
export async function lockTenants(
  tenants: TenantsRepository,
  { tx }: Change,
  inputs: readonly Omit<SeenTenant, 'reason'>[],
): Promise<TenantRow[] | Refusal<TenantRow[]>> {
  const keys = inputs.map(({ tenantKey }) => tenantKey);
  const locked = await tenants.lockByKeys(tx, keys);
  const errors = inputs.flatMap(({ tenantKey, expectedVersion }, index) => {
    const tenant = locked.get(tenantKey);
    if (tenant === undefined) return errorsAt(index, [notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
    const isCurrent = expectedVersion === null || tenant.version === expectedVersion;
    return isCurrent ? [] : errorsAt(index, [conflict('tenant')]);
  });
  const rows = keys.flatMap((key) => locked.get(key) ?? []);
  return errors.length === 0 ? rows : refuse(errors, rows);
}
