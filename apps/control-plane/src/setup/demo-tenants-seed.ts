import { Injectable } from '@nestjs/common';
import {
  EntitlementGrantsService,
  EntitlementsRepository,
  OverridesRepository,
  OverridesService,
  QuotaRequestsRepository,
  QuotaRequestsService,
  type TenantRow,
  TenantsRepository,
  TenantsService,
} from '../features/customers/index.js';
import {
  ApiKeysRepository,
  ApiKeysService,
  AuthService,
  UsersRepository,
} from '../features/identity/index.js';
import { InvitationsRepository, InvitationsService } from '../features/people/index.js';
import { abilityOf } from '../platform/access/ability.js';
import { type Caller } from '../platform/access/actor.js';
import { addDays } from '../platform/clock.js';
import { OverrideKind } from '../platform/prisma/schema.js';
import { DemoClock } from './demo-clock.js';
import { DEMO_CALLER, DEMO_REASON, type DemoData, getValue } from './demo-data.js';

type DemoTenant = DemoData['tenants'][string];

const PAGE = { first: 100, after: undefined };

/** Adds members, invitations and API keys. */
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
  ) {}

  /** Returns the tenant's first API key, if it was issued now. */
  async add(tenantKey: string, demo: DemoTenant, password: string): Promise<string | undefined> {
    const tenant = await findTenant(this.tenants, tenantKey);
    await this.addMembers(tenant, demo.members, password);
    await this.invite(tenant, demo.invitations);
    return this.issueKeys(tenant, demo.keys);
  }

  private async addMembers(tenant: TenantRow, members: DemoTenant['members'], password: string) {
    const present = (await this.tenantRows.listMembers([tenant.id])).get(tenant.id) ?? [];
    for (const { signsIn, ...member } of members) {
      if (present.some(({ email }) => email === member.email)) continue;
      if (signsIn) await this.auth.ensureOperator({ ...member, role: null, password });
      const user = signsIn ? await this.users.findByEmail(member.email) : null;
      const added = { ...member, userId: user?.id ?? null };
      getValue(await this.tenants.addMember(DEMO_CALLER, tenant.key, added));
    }
  }

  private async invite({ id, key: tenantKey }: TenantRow, invitations: DemoTenant['invitations'] = []) {
    const open = await this.invitationRows.list(id, PAGE);
    for (const invitation of invitations) {
      if (open.some(({ email }) => email === invitation.email)) continue;
      const input = { tenantKey, ...invitation, reason: DEMO_REASON };
      getValue(await this.invitations.inviteMember(DEMO_CALLER, input));
    }
  }

  private async issueKeys({ id, key: tenantKey }: TenantRow, keys: DemoTenant['keys']) {
    const present = await this.keyRows.list(id, PAGE);
    let first: string | undefined;
    for (const key of keys) {
      if (present.some(({ name }) => name === key.name)) continue;
      const issued = await this.keys.create(DEMO_CALLER, { tenantKey, ...key, reason: DEMO_REASON });
      first ??= getValue(issued).key;
    }
    return first;
  }
}

/** Who makes the changes of the demo. */
@Injectable()
export class DemoCallers {
  constructor(
    private readonly auth: AuthService,
    private readonly users: UsersRepository,
  ) {}

  async addOperators({ operators }: DemoData, password: string): Promise<void> {
    for (const operator of operators) await this.auth.ensureOperator({ ...operator, password });
  }

  async callerOf(email: string): Promise<Caller> {
    const user = await this.users.findByEmail(email);
    if (user === null) throw new Error(`${email} cannot sign in to the demo`);
    const { id, name, role } = user;
    const memberships = await this.auth.listMemberships(id);
    const ability = abilityOf(role, memberships);
    const actor = { kind: 'USER' as const, id, label: email, name, email, role, memberships, ability };
    return { ...DEMO_CALLER, actor };
  }
}

/** Adds boosts and grants. Those that have ended are not repeated. */
@Injectable()
export class DemoAdjustmentsSeed {
  constructor(
    private readonly callers: DemoCallers,
    private readonly tenants: TenantsService,
    private readonly overrides: OverridesService,
    private readonly overrideRows: OverridesRepository,
    private readonly grants: EntitlementGrantsService,
    private readonly ledger: EntitlementsRepository,
    private readonly clock: DemoClock,
  ) {}

  async boost({ endsInHours, hoursAgo: _, by, ...boost }: DemoData['boosts'][number]): Promise<void> {
    const { id: tenantId, version: expectedVersion } = await findTenant(this.tenants, boost.tenantKey);
    const kind = OverrideKind.BOOST;
    if ((await this.overrideRows.count({ tenantId, kind, liveAt: undefined })) > 0) return;
    const endsAt = addDays(new Date(this.clock.presentMs()), endsInHours / 24);
    getValue(
      await this.overrides.startBoost(await this.callers.callerOf(by), { ...boost, endsAt, expectedVersion }),
    );
  }

  async grant({ endsInDays, daysAgo: _, by, ...grant }: DemoData['grants'][number]): Promise<void> {
    const { id: tenantId, version: expectedVersion } = await findTenant(this.tenants, grant.tenantKey);
    const granted = await this.ledger.list({ tenantId, liveAt: undefined }, PAGE);
    if (granted.some(({ label }) => label === grant.label)) return;
    const endsAt = addDays(new Date(this.clock.presentMs()), endsInDays);
    const change = { ...grant, endsAt, expectedVersion, reason: DEMO_REASON };
    getValue(await this.grants.grant(await this.callers.callerOf(by), change));
  }
}

/** Adds quota requests of members, some with a counter-offer. */
@Injectable()
export class DemoRequestsSeed {
  constructor(
    private readonly callers: DemoCallers,
    private readonly tenants: TenantsService,
    private readonly requests: QuotaRequestsService,
    private readonly rows: QuotaRequestsRepository,
  ) {}

  async request({ by, counter, hoursAgo: _, ...input }: DemoData['quotaRequests'][number]): Promise<void> {
    const { id: tenantId } = await findTenant(this.tenants, input.tenantKey);
    if ((await this.rows.count({ tenantId, status: undefined })) > 0) return;
    const { row } = getValue(await this.requests.create(await this.callers.callerOf(by), input));
    if (row === null || counter === undefined) return;
    const offer = { requestId: row.id, expectedVersion: row.version, ...counter, reason: DEMO_REASON };
    getValue(await this.requests.counter(DEMO_CALLER, offer));
  }
}

async function findTenant(tenants: TenantsService, key: string): Promise<TenantRow> {
  const tenant = await tenants.findByKey(key);
  if (tenant === null) throw new Error(`The demo has no tenant "${key}"`);
  return tenant;
}
