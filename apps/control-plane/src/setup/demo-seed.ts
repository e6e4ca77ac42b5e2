import { Injectable } from '@nestjs/common';
import { ApisService } from '../features/apis/index.js';
import { TenantsService } from '../features/tenants/index.js';
import { TiersService } from '../features/tiers/index.js';
import { type Caller, SYSTEM_ACTOR } from '../platform/access/actor.js';
import type { Outcome } from '../platform/changes/outcome.js';
import { newId } from '../platform/ids/new-id.js';
import type { DemoData } from './demo-data.js';

const REASON = 'Demo data';

/**
 * Creates the demo through the same services as everybody else, so that audit trail and outbox know of it. What exists is
 * left as it is: a demo that someone has changed stays changed.
 */
@Injectable()
export class DemoSeed {
  private readonly caller: Caller = { actor: SYSTEM_ACTOR, requestId: newId('request') };

  constructor(
    private readonly apis: ApisService,
    private readonly tiers: TiersService,
    private readonly tenants: TenantsService,
  ) {}

  async run(demo: DemoData): Promise<void> {
    for (const api of demo.apis) await this.seedApi(api);
    for (const tier of demo.tiers) await this.seedTier(tier);
    for (const tenant of demo.tenants) await this.seedTenant(tenant);
  }

  private async seedApi({ operations, ...input }: DemoData['apis'][number]): Promise<void> {
    if ((await this.apis.findByKey(input.key)) !== null) return;
    let { version } = getValue(await this.apis.create(this.caller, { ...input, reason: REASON }));
    for (const operation of operations) {
      const change = { apiKey: input.key, ...operation, expectedVersion: version, reason: REASON };
      version = getValue(await this.apis.createOperation(this.caller, change)).version;
    }
  }

  private async seedTier({ limits, ...input }: DemoData['tiers'][number]): Promise<void> {
    if ((await this.tiers.findByKey(input.key)) !== null) return;
    const tierKey = input.key;
    const created = getValue(await this.tiers.create(this.caller, { ...input, reason: REASON }));
    const draft = {
      tierKey,
      expectedVersion: created.version,
      limits,
      note: 'First version',
      reason: REASON,
    };
    const { version } = getValue(await this.tiers.saveDraft(this.caller, draft));
    getValue(await this.tiers.publish(this.caller, { tierKey, expectedVersion: version, reason: REASON }));
  }

  private async seedTenant({ members, ...input }: DemoData['tenants'][number]): Promise<void> {
    if ((await this.tenants.findByKey(input.key)) !== null) return;
    getValue(await this.tenants.create(this.caller, { ...input, reason: REASON }));
    for (const member of members) getValue(await this.tenants.addMember(this.caller, input.key, member));
  }
}

/** @throws Error when the change was refused: demo data that cannot be used is a mistake of ours. */
function getValue<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  const errors = outcome.errors.map((error) => `${error.field?.join('.') ?? ''}: ${error.message}`);
  throw new Error(`Set-up was refused: ${errors.join('; ')}`);
}
