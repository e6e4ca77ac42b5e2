import { Injectable } from '@nestjs/common';
import { MAX_ALERT_PERCENTS, MAX_ALERT_SETTINGS } from '@tollgate/contracts';
import type { Caller } from '../../../platform/access/actor.js';
import { badInput } from '../../../platform/api-error.js';
import { type Change, findManaged } from '../../../platform/changes/change.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import {
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { type TenantRow, TenantsRepository } from '../../customers/index.js';
import {
  type AlertThresholdRemoveInput,
  type AlertThresholdSetInput,
  alertThresholdRemoveSchema,
  alertThresholdSetSchema,
} from './alerts.graphql.js';
import { AlertsRepository, type AlertThresholdRow } from './alerts.repository.js';

/** Alert thresholds of tenants. */
@Injectable()
export class AlertsService {
  constructor(
    private readonly alerts: AlertsRepository,
    private readonly tenants: TenantsRepository,
    private readonly changes: ChangeRunner,
  ) {}

  /** @throws ApiError BAD_USER_INPUT if the tenant does not exist */
  async list(tenantKey: string): Promise<AlertThresholdRow[]> {
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) throw badInput('Tenant not found');
    return this.alerts.list(tenant.id);
  }

  /**
   * Sets thresholds; replaces an existing setting for the same API and limit. Errors: NOT_FOUND, INVALID,
   * MANAGED_BY_CONFIG.
   */
  async set(caller: Caller, input: AlertThresholdSetInput): Promise<Outcome<AlertThresholdRow[]>> {
    const parsed = parseInput(alertThresholdSetSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, apiKey, limitName, percents, reason } = parsed.data;
    return this.change(caller, tenantKey, reason, async (change, tenant) => {
      if (apiKey != null && !(await this.alerts.hasApi(change.tx, apiKey)))
        return refuse([notFound(['apiKey'], `API "${apiKey}"`)]);
      const scope = { apiKey: apiKey ?? '', limitName: limitName ?? '' };
      const old = await this.alerts.find(change.tx, tenant.id, scope);
      const managed = old === null ? undefined : findManaged(caller, old, 'threshold', reason);
      if (managed !== undefined) return refuse([managed]);
      await this.alerts.put(change.tx, tenant.id, scope, percents);
      const rows = await this.alerts.list(tenant.id, change.tx);
      const message = `At most ${MAX_ALERT_PERCENTS} different thresholds and ${MAX_ALERT_SETTINGS} settings are allowed. Remove one first.`;
      const distinct = new Set(rows.flatMap((row) => row.percents));
      if (distinct.size > MAX_ALERT_PERCENTS || rows.length > MAX_ALERT_SETTINGS)
        return refuse([userError(UserErrorCode.INVALID, ['percents'], message)]);
      return rows;
    });
  }

  /** Removes a setting. Errors: NOT_FOUND, MANAGED_BY_CONFIG. */
  async remove(caller: Caller, input: AlertThresholdRemoveInput): Promise<Outcome<AlertThresholdRow[]>> {
    const parsed = parseInput(alertThresholdRemoveSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, id, reason } = parsed.data;
    return this.change(caller, tenantKey, reason, async (change, tenant) => {
      const old = await this.alerts.find(change.tx, tenant.id, { id });
      if (old === null) return refuse([notFound(['id'], 'setting with this id')]);
      const managed = findManaged(caller, old, 'threshold', reason);
      if (managed !== undefined) return refuse([managed]);
      await this.alerts.remove(change.tx, tenant.id, id);
      return this.alerts.list(tenant.id, change.tx);
    });
  }

  private change(
    caller: Caller,
    tenantKey: string,
    reason: string | null,
    work: (change: Change, tenant: TenantRow) => Promise<AlertThresholdRow[] | Refusal<AlertThresholdRow[]>>,
  ): Promise<Outcome<AlertThresholdRow[]>> {
    return this.changes.run<AlertThresholdRow[]>(caller, { reason }, async (change) => {
      const tenant = await this.tenants.lockByKey(change.tx, tenantKey);
      if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
      const before = factsOf(await this.alerts.list(tenant.id, change.tx));
      const rows = await work(change, tenant);
      if (!Array.isArray(rows)) return rows;
      await change.audit({
        action: 'alertThresholds.change',
        entityId: tenant.id,
        entityName: tenant.name,
        tenantKey,
        before,
        after: factsOf(rows),
      });
      await change.publish('TENANT', tenantKey);
      return rows;
    });
  }
}

function factsOf(rows: AlertThresholdRow[]) {
  return {
    thresholds: rows.map(({ apiKey, limitName, percents }) => ({ apiKey, limitName, percents })),
  };
}
