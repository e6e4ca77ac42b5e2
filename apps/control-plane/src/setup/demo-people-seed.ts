import { Injectable } from '@nestjs/common';
import { type TenantRow, TenantsRepository, TenantsService } from '../features/customers/index.js';
import {
  ApiKeysRepository,
  ApiKeysService,
  AuthService,
  UsersRepository,
} from '../features/identity/index.js';
import { InvitationsRepository, InvitationsService } from '../features/people/index.js';
import { AlertsService } from '../features/usage/index.js';
import { DEMO_CALLER, DEMO_REASON, getValue } from './demo-change.js';
import type { DemoData } from './demo-data.js';

/** Gives the demo's tenants their people, keys and alert thresholds, as far as they are missing. */
@Injectable()
export class DemoPeopleSeed {
  constructor(
    private readonly auth: AuthService,
    private readonly users: UsersRepository,
    private readonly tenants: TenantsService,
    private readonly tenantRows: TenantsRepository,
    private readonly invitations: InvitationsService,
    private readonly invitationRows: InvitationsRepository,
    private readonly keys: ApiKeysService,
    private readonly keyRows: ApiKeysRepository,
    private readonly alerts: AlertsService,
  ) {}

  /**
   * @param password of members who may sign in: the admin's, as both are known to whoever runs the demo
   * @returns the first key that was issued, which nobody can be shown again
   */
  async run(
    tenant: TenantRow,
    data: DemoData['tenants'][number],
    password: string,
  ): Promise<string | undefined> {
    await this.seedMembers(tenant, data.members, password);
    await this.seedInvitations(tenant, data.invitations);
    if ((await this.alerts.list(tenant.key)).length === 0) {
      for (const alert of data.alerts)
        getValue(
          await this.alerts.set(DEMO_CALLER, { tenantKey: tenant.key, ...alert, reason: DEMO_REASON }),
        );
    }
    return this.seedKeys(tenant, data.keys);
  }

  private async seedMembers(
    tenant: TenantRow,
    members: DemoData['tenants'][number]['members'],
    password: string,
  ): Promise<void> {
    const present = (await this.tenantRows.listMembers([tenant.id])).get(tenant.id) ?? [];
    for (const { signsIn, ...member } of members) {
      if (present.some(({ email }) => email === member.email)) continue;
      if (signsIn) await this.auth.ensureOperator({ ...member, role: null, password });
      const user = signsIn ? await this.users.findByEmail(member.email) : null;
      const added = { ...member, userId: user?.id ?? null };
      getValue(await this.tenants.addMember(DEMO_CALLER, tenant.key, added));
    }
  }

  private async seedInvitations(
    tenant: TenantRow,
    invitations: DemoData['tenants'][number]['invitations'],
  ): Promise<void> {
    const open = await this.invitationRows.listOpen(tenant.id, { first: 100, after: undefined });
    for (const invitation of invitations) {
      if (open.some(({ email }) => email === invitation.email)) continue;
      const input = { tenantKey: tenant.key, ...invitation, reason: DEMO_REASON };
      getValue(await this.invitations.inviteMember(DEMO_CALLER, input));
    }
  }

  private async seedKeys(
    tenant: TenantRow,
    keys: DemoData['tenants'][number]['keys'],
  ): Promise<string | undefined> {
    const present = await this.keyRows.list(tenant.id, { first: 100, after: undefined });
    let first: string | undefined;
    for (const key of keys) {
      if (present.some(({ name }) => name === key.name)) continue;
      const input = { tenantKey: tenant.key, ...key, reason: DEMO_REASON };
      const issued = getValue(await this.keys.create(DEMO_CALLER, input));
      first ??= issued.key;
    }
    return first;
  }
}
