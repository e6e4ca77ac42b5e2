import { Injectable } from '@nestjs/common';
import {
  QuotaRequestsRepository,
  QuotaRequestsService,
  TenantsService,
} from '../features/customers/index.js';
import { AuthService, UsersRepository } from '../features/identity/index.js';
import { abilityOf } from '../platform/access/ability.js';
import type { Caller } from '../platform/access/actor.js';
import { DEMO_CALLER, DEMO_REASON, getValue } from './demo-change.js';
import type { DemoData } from './demo-data.js';

/** Asks for higher limits, as people of the demo's tenants do. */
@Injectable()
export class DemoRequestsSeed {
  constructor(
    private readonly auth: AuthService,
    private readonly users: UsersRepository,
    private readonly tenants: TenantsService,
    private readonly requests: QuotaRequestsService,
    private readonly rows: QuotaRequestsRepository,
  ) {}

  async run({ by, counter, ...input }: DemoData['quotaRequests'][number]): Promise<void> {
    const tenant = await this.tenants.findByKey(input.tenantKey);
    if (tenant === null || (await this.rows.count({ tenantId: tenant.id, status: undefined })) > 0) return;
    const { row } = getValue(await this.requests.create(await this.callerOf(by), input));
    if (row === null || counter === null) return;
    const answer = { requestId: row.id, expectedVersion: row.version, ...counter, reason: DEMO_REASON };
    getValue(await this.requests.counter(DEMO_CALLER, answer));
  }

  private async callerOf(email: string): Promise<Caller> {
    const user = await this.users.findByEmail(email);
    if (user === null) throw new Error(`Nobody signs in as ${email} in the demo`);
    const { id, name, role } = user;
    const memberships = await this.auth.listMemberships(id);
    const ability = abilityOf(role, memberships);
    const actor = { kind: 'USER' as const, id, label: email, name, email, role, memberships, ability };
    return { ...DEMO_CALLER, actor };
  }
}
