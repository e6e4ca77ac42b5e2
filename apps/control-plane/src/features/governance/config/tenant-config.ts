import { Injectable } from '@nestjs/common';
import { TenantsService } from '../../customers/index.js';
import { AlertConfig } from './alert-config.js';
import type { ConfigRun } from './config-run.js';
import { OverrideConfig } from './override-config.js';
import type { TenantFacts, TenantState } from './tenant-state.rules.js';

/** Puts tenants into force as a configuration says them. It never takes one away. */
@Injectable()
export class TenantConfig {
  constructor(
    private readonly tenants: TenantsService,
    private readonly overrides: OverrideConfig,
    private readonly alerts: AlertConfig,
  ) {}

  async apply(run: ConfigRun, key: string, { facts, overrides, alerts }: TenantState): Promise<void> {
    await this.applyFacts(run, key, facts);
    await this.overrides.apply(run, key, overrides);
    await this.alerts.apply(run, key, alerts);
  }

  /** Takes back what configurations keep of the tenant and this one does not say. */
  async prune(run: ConfigRun, key: string, { overrides, alerts }: TenantState): Promise<void> {
    await this.overrides.prune(run, key, overrides);
    await this.alerts.prune(run, key, alerts);
  }

  private async applyFacts(run: ConfigRun, key: string, wanted: TenantFacts): Promise<void> {
    const present = run.present.tenants.get(key)?.facts;
    const path = ['tenants', key];
    if (!run.differs(path, present, wanted)) return;
    const { tier: tierKey, pinnedVersion, ...facts } = wanted;
    let version = run.present.keptTenants.get(key)?.version ?? 0;
    if (present === undefined) {
      version = run.valueOf(await this.tenants.create(run.caller, { key, tierKey, ...facts }), path).version;
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
}
