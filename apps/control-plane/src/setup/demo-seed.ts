import { Injectable } from '@nestjs/common';
import { ApisService } from '../features/apis/index.js';
import { TenantsRepository, TenantsService } from '../features/tenants/index.js';
import { TiersRepository, TiersService } from '../features/tiers/index.js';
import { type Caller, SYSTEM_ACTOR } from '../platform/access/actor.js';
import type { Outcome } from '../platform/changes/outcome.js';
import { newId } from '../platform/ids/new-id.js';
import { TierVersionStatus } from '../platform/prisma/schema.js';
import type { DemoData } from './demo-data.js';

const REASON = 'Demo data';

/**
 * Creates the demo through the same services as everybody else, so that audit trail and outbox know of it. What is complete
 * is left as it is: a demo that someone has changed stays changed. What an interrupted set-up has left out is made good.
 */
@Injectable()
export class DemoSeed {
  private readonly caller: Caller = { actor: SYSTEM_ACTOR, requestId: newId('request') };

  constructor(
    private readonly apis: ApisService,
    private readonly tiers: TiersService,
    private readonly tenants: TenantsService,
    private readonly tierRows: TiersRepository,
    private readonly tenantRows: TenantsRepository,
  ) {}

  async run(demo: DemoData): Promise<void> {
    for (const api of demo.apis) await this.seedApi(api);
    for (const tier of demo.tiers) await this.seedTier(tier);
    for (const tenant of demo.tenants) await this.seedTenant(tenant);
  }

  private async seedApi({ operations, ...input }: DemoData['apis'][number]): Promise<void> {
    const api =
      (await this.apis.findByKey(input.key)) ??
      getValue(await this.apis.create(this.caller, { ...input, reason: REASON }));
    const present = (await this.apis.listOperations([api.id])).get(api.id) ?? [];
    let { version } = api;
    for (const operation of operations) {
      if (present.some(({ name }) => name === operation.name)) continue;
      const change = { apiKey: input.key, ...operation, expectedVersion: version, reason: REASON };
      version = getValue(await this.apis.createOperation(this.caller, change)).version;
    }
  }

  private async seedTier({ limits, ...input }: DemoData['tiers'][number]): Promise<void> {
    const tierKey = input.key;
    const tier =
      (await this.tiers.findByKey(tierKey)) ??
      getValue(await this.tiers.create(this.caller, { ...input, reason: REASON }));
    const published = await this.tierRows.listVersions([tier.id], [TierVersionStatus.PUBLISHED]);
    if (published.has(tier.id)) return;
    const draft = {
      tierKey,
      expectedVersion: tier.version,
      limits,
      note: 'First version',
      reason: REASON,
    };
    const { version } = getValue(await this.tiers.saveDraft(this.caller, draft));
    getValue(await this.tiers.publish(this.caller, { tierKey, expectedVersion: version, reason: REASON }));
  }

  private async seedTenant({ members, ...input }: DemoData['tenants'][number]): Promise<void> {
    const tenant =
      (await this.tenants.findByKey(input.key)) ??
      getValue(await this.tenants.create(this.caller, { ...input, reason: REASON }));
    const present = (await this.tenantRows.listMembers([tenant.id])).get(tenant.id) ?? [];
    for (const member of members) {
      if (present.some(({ email }) => email === member.email)) continue;
      getValue(await this.tenants.addMember(this.caller, input.key, member));
    }
  }
}

/** @throws Error when the change was refused: demo data that cannot be used is a mistake of ours. */
function getValue<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  const errors = outcome.errors.map((error) => `${error.field?.join('.') ?? ''}: ${error.message}`);
  throw new Error(`Set-up was refused: ${errors.join('; ')}`);
}
