import { Injectable } from '@nestjs/common';
import { OverridesService, showEffect, TenantsRepository, TenantsService } from '../../customers/index.js';
import { AlertsService } from '../../usage/index.js';
import { ConfigRefused, type ConfigRun } from './config-run.js';
import {
  type AlertState,
  invalid,
  type OverrideState,
  type TenantState,
  targetOf,
} from './config-state.rules.js';
import { SubjectRuleConfig } from './subject-rule-config.js';

/** Applies the tenants of a configuration with their overrides, alert thresholds and subject rules. It never deletes a tenant. */
@Injectable()
export class TenantConfig {
  constructor(
    private readonly tenants: TenantsService,
    private readonly rows: TenantsRepository,
    private readonly overrides: OverridesService,
    private readonly alerts: AlertsService,
    private readonly subjectRules: SubjectRuleConfig,
  ) {}

  async apply(run: ConfigRun, key: string, wanted: TenantState): Promise<void> {
    const { facts, floors, overrides, alerts, subjectRules } = wanted;
    await this.applyFacts(run, key, facts);
    await this.applyFloors(run, key, floors);
    await this.applyOverrides(run, key, overrides);
    await this.applyAlerts(run, key, alerts);
    await this.subjectRules.apply(run, rulesOf(key), subjectRules);
  }

  /** Removes overrides, thresholds and subject rules that a configuration manages and this one does not name. */
  async prune(run: ConfigRun, key: string, { overrides, alerts, subjectRules }: TenantState): Promise<void> {
    await this.pruneOverrides(run, key, overrides);
    await this.pruneAlerts(run, key, alerts);
    await this.subjectRules.prune(run, rulesOf(key), subjectRules);
  }

  private async applyFacts(run: ConfigRun, key: string, wanted: TenantState['facts']): Promise<void> {
    const present = run.present.tenants.get(key)?.state.facts;
    const path = ['tenants', key];
    if (!run.differs(path, present, wanted)) return;
    const { tier: tierKey, pinnedVersion, parent, ...facts } = wanted;
    if (present !== undefined && present.parent !== parent)
      throw new ConfigRefused([permanentParent(path, present.parent)]);
    let version = run.present.tenants.get(key)?.version ?? 0;
    if (present === undefined) {
      version = run.valueOf(
        await this.tenants.create(run.caller, { key, tierKey, parentKey: parent, ...facts }),
        path,
      ).version;
    } else {
      const change = { tenantKey: key, expectedVersion: version, ...facts };
      version = run.valueOf(await this.tenants.update(run.caller, change), path).version;
    }
    const isThere =
      tierKey === (present?.tier ?? tierKey) && pinnedVersion === (present?.pinnedVersion ?? null);
    if (isThere) return;
    const move = { tenantKey: key, expectedVersion: version, tierKey, pinnedVersion };
    run.valueOf(await this.tenants.changeTier(run.caller, move), path);
  }

  private async applyFloors(run: ConfigRun, tenantKey: string, floors: TenantState['floors']): Promise<void> {
    const path = ['tenants', tenantKey, 'floors'];
    const present = run.present.tenants.get(tenantKey)?.state.floors ?? [];
    if (!run.differs(path, { floors: present }, { floors })) return;
    const { version = 0 } = (await this.rows.lockByKey(run.change.tx, tenantKey)) ?? {};
    const inputs = floors.map(({ api: apiKey, ...floor }) => ({ apiKey, ...floor }));
    const set = { tenantKey, expectedVersion: version, floors: inputs };
    run.valueOf(await this.tenants.setFloors(run.caller, set), path.slice(0, 2));
  }

  private async applyOverrides(
    run: ConfigRun,
    tenantKey: string,
    wanted: readonly OverrideState[],
  ): Promise<void> {
    const present = run.present.tenants.get(tenantKey)?.state.overrides ?? [];
    for (const [index, override] of wanted.entries()) {
      const path = ['tenants', tenantKey, 'overrides', String(index)];
      const old = present.find((one) => targetOf(one) === targetOf(override));
      // An override without a start began when it was first applied.
      const starts = override.starts ?? old?.starts ?? null;
      if (!run.differs(path, old, { ...override, starts })) continue;
      const { api, limit, appliesTo, effect, carryOver, reason } = override;
      const outcome = await this.overrides.set(run.caller, {
        tenantKey,
        expectedVersion: (await this.rows.lockByKey(run.change.tx, tenantKey))?.version ?? 0,
        apiKey: api,
        limit,
        appliesTo: appliesTo === null ? null : appliesTo === 'rate' ? 'RATE' : 'QUOTA',
        effect: { ...showEffect(effect) },
        carryOver,
        reason,
        expiresAt: override.expires === null ? null : new Date(override.expires),
        ...(override.starts === null ? {} : { startsAt: new Date(override.starts) }),
      });
      run.valueOf(outcome, path);
    }
  }

  private async pruneOverrides(
    run: ConfigRun,
    tenantKey: string,
    wanted: readonly OverrideState[],
  ): Promise<void> {
    const named = new Set(wanted.map(targetOf));
    for (const { id, state, managedBy } of run.present.tenants.get(tenantKey)?.overrides ?? []) {
      if (managedBy !== 'CONFIG' || named.has(targetOf(state))) continue;
      const path = ['tenants', tenantKey, 'overrides'];
      run.note('DELETE', [...path, targetOf(state)]);
      const reason = 'Removed from the configuration';
      run.valueOf(await this.overrides.remove(run.caller, { overrideId: id, reason }), path, () => false);
    }
  }

  private async applyAlerts(run: ConfigRun, tenantKey: string, wanted: readonly AlertState[]): Promise<void> {
    const present = run.present.tenants.get(tenantKey)?.state.alerts ?? [];
    for (const [index, alert] of wanted.entries()) {
      const path = ['tenants', tenantKey, 'alerts', String(index)];
      const old = present.find((one) => targetOf(one) === targetOf(alert));
      if (!run.differs(path, old, alert)) continue;
      const { api: apiKey, limit: limitName, percents } = alert;
      run.valueOf(await this.alerts.set(run.caller, { tenantKey, apiKey, limitName, percents }), path);
    }
  }

  private async pruneAlerts(run: ConfigRun, tenantKey: string, wanted: readonly AlertState[]): Promise<void> {
    const named = new Set(wanted.map(targetOf));
    for (const { id, state, managedBy } of run.present.tenants.get(tenantKey)?.alerts ?? []) {
      if (managedBy !== 'CONFIG' || named.has(targetOf(state))) continue;
      const path = ['tenants', tenantKey, 'alerts'];
      run.note('DELETE', [...path, targetOf(state)]);
      run.valueOf(await this.alerts.remove(run.caller, { tenantKey, id }), path, () => false);
    }
  }
}

function permanentParent(path: string[], parent: string | null) {
  const fix = parent === null ? 'leave parent out' : `write parent: ${parent}`;
  return invalid(
    [...path, 'parent'],
    `The parent of a tenant is permanent: ${fix}, or create a tenant with another key.`,
  );
}

const rulesOf = (tenantKey: string) => ({ tenantKey, path: ['tenants', tenantKey, 'subjectRules'] });
