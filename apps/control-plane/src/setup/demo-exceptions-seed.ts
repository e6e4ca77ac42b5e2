import { Injectable } from '@nestjs/common';
import {
  EntitlementGrantsService,
  EntitlementsRepository,
  OverridesRepository,
  OverridesService,
  type TenantRow,
  TenantsService,
} from '../features/customers/index.js';
import { Clock } from '../platform/clock.js';
import { OverrideKind } from '../platform/prisma/schema.js';
import { DEMO_CALLER, DEMO_REASON, getValue } from './demo-change.js';
import type { DemoData } from './demo-data.js';
import { DemoRequestsSeed } from './demo-requests-seed.js';

const HOUR_MS = 3_600_000;
const PAGE = { first: 100, after: undefined };

/** Gives single tenants of the demo more than their tiers do. What has ended since is not given again. */
@Injectable()
export class DemoExceptionsSeed {
  constructor(
    private readonly tenants: TenantsService,
    private readonly overrides: OverridesService,
    private readonly overrideRows: OverridesRepository,
    private readonly grants: EntitlementGrantsService,
    private readonly ledger: EntitlementsRepository,
    private readonly requests: DemoRequestsSeed,
    private readonly clock: Clock,
  ) {}

  async run(demo: DemoData): Promise<void> {
    for (const override of demo.overrides) await this.override(override);
    for (const boost of demo.boosts) await this.boost(boost);
    for (const grant of demo.grants) await this.grant(grant);
    for (const request of demo.quotaRequests) await this.requests.run(request);
  }

  private async override({ endsInDays, ...input }: DemoData['overrides'][number]): Promise<void> {
    const { id, version } = await this.tenant(input.tenantKey);
    if (await this.has(id, OverrideKind.OVERRIDE)) return;
    const expiresAt = endsInDays === null ? null : this.later(endsInDays * 24);
    getValue(await this.overrides.set(DEMO_CALLER, { ...input, expiresAt, expectedVersion: version }));
  }

  private async boost({ endsInHours, ...input }: DemoData['boosts'][number]): Promise<void> {
    const { id, version } = await this.tenant(input.tenantKey);
    if (await this.has(id, OverrideKind.BOOST)) return;
    const endsAt = this.later(endsInHours);
    getValue(await this.overrides.startBoost(DEMO_CALLER, { ...input, endsAt, expectedVersion: version }));
  }

  private async grant({ endsInDays, ...input }: DemoData['grants'][number]): Promise<void> {
    const { id, version } = await this.tenant(input.tenantKey);
    const given = await this.ledger.list({ tenantId: id, liveAt: undefined }, PAGE);
    if (given.some(({ label }) => label === input.label)) return;
    const endsAt = endsInDays === null ? null : this.later(endsInDays * 24);
    const change = { ...input, endsAt, expectedVersion: version, reason: DEMO_REASON };
    getValue(await this.grants.grant(DEMO_CALLER, change));
  }

  private async has(tenantId: string, kind: OverrideKind): Promise<boolean> {
    return (await this.overrideRows.count({ tenantId, kind, liveAt: undefined })) > 0;
  }

  private async tenant(key: string): Promise<TenantRow> {
    const tenant = await this.tenants.findByKey(key);
    if (tenant === null) throw new Error(`The demo has no tenant "${key}"`);
    return tenant;
  }

  private later(hours: number): Date {
    return new Date(this.clock.now().getTime() + hours * HOUR_MS);
  }
}
