import { Injectable } from '@nestjs/common';
import { OverridesService, showEffect, TenantsRepository } from '../../customers/index.js';
import type { ConfigRun } from './config-run.js';
import { type OverrideState, targetOf } from './tenant-state.rules.js';

/** Makes the exceptions for tenants that a configuration says. */
@Injectable()
export class OverrideConfig {
  constructor(
    private readonly overrides: OverridesService,
    private readonly tenants: TenantsRepository,
  ) {}

  async apply(run: ConfigRun, tenantKey: string, wanted: readonly OverrideState[]): Promise<void> {
    const present = run.present.tenants.get(tenantKey)?.overrides ?? [];
    for (const [index, override] of wanted.entries()) {
      const path = ['tenants', tenantKey, 'overrides', String(index)];
      const old = present.find((one) => targetOf(one) === targetOf(override));
      // One that does not say when it begins has begun when it was applied first.
      const starts = override.starts ?? old?.starts ?? null;
      if (!run.differs(path, old, { ...override, starts })) continue;
      const { api, limit, appliesTo, effect, carryOver, reason } = override;
      const outcome = await this.overrides.set(run.caller, {
        tenantKey,
        expectedVersion: (await this.tenants.lockByKey(run.change.tx, tenantKey))?.version ?? 0,
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

  /** Ends what configurations keep for the tenant and this one does not say. */
  async prune(run: ConfigRun, tenantKey: string, wanted: readonly OverrideState[]): Promise<void> {
    const named = new Set(wanted.map(targetOf));
    for (const { id, state, managedBy } of run.present.keptOverrides.get(tenantKey) ?? []) {
      if (managedBy !== 'CONFIG' || named.has(targetOf(state))) continue;
      const path = ['tenants', tenantKey, 'overrides'];
      run.note('DELETE', [...path, targetOf(state)]);
      const reason = 'Not in the configuration any more';
      run.valueOf(await this.overrides.remove(run.caller, { overrideId: id, reason }), path, () => false);
    }
  }
}
