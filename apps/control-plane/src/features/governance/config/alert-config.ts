import { Injectable } from '@nestjs/common';
import { AlertsService } from '../../usage/index.js';
import type { ConfigRun } from './config-run.js';
import { type AlertState, targetOf } from './tenant-state.rules.js';

/** Sets tenants' alert thresholds as a configuration says them. */
@Injectable()
export class AlertConfig {
  constructor(private readonly alerts: AlertsService) {}

  async apply(run: ConfigRun, tenantKey: string, wanted: readonly AlertState[]): Promise<void> {
    const present = run.present.tenants.get(tenantKey)?.alerts ?? [];
    for (const [index, alert] of wanted.entries()) {
      const path = ['tenants', tenantKey, 'alerts', String(index)];
      const old = present.find((one) => targetOf(one) === targetOf(alert));
      if (!run.differs(path, old, alert)) continue;
      const { api: apiKey, limit: limitName, percents } = alert;
      run.valueOf(await this.alerts.set(run.caller, { tenantKey, apiKey, limitName, percents }), path);
    }
  }

  /** Takes back what configurations keep for the tenant and this one does not say. */
  async prune(run: ConfigRun, tenantKey: string, wanted: readonly AlertState[]): Promise<void> {
    const named = new Set(wanted.map(targetOf));
    for (const { id, state, managedBy } of run.present.keptAlerts.get(tenantKey) ?? []) {
      if (managedBy !== 'CONFIG' || named.has(targetOf(state))) continue;
      const path = ['tenants', tenantKey, 'alerts'];
      run.note('DELETE', [...path, targetOf(state)]);
      run.valueOf(await this.alerts.remove(run.caller, { tenantKey, id }), path, () => false);
    }
  }
}
