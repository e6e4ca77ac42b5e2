import { Injectable } from '@nestjs/common';
import { tenantKeySchema, tierKeySchema } from '@tollgate/contracts';
import type { Caller } from '../../platform/access/actor.js';
import { type Change, ChangeRunner } from '../../platform/changes/change-runner.js';
import {
  conflict,
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
  taken,
  userError,
} from '../../platform/changes/outcome.js';
import { searchTerm } from '../../platform/changes/text.js';
import { badInput } from '../../platform/errors/api-error.js';
import { type UserError, UserErrorCode } from '../../platform/graphql/user-error.graphql.js';
import { TenantStatus, TierVersionStatus } from '../../platform/prisma/schema.js';
import { type TierRow, TiersRepository } from '../tiers/index.js';
import { tenantCreateSchema, tenantStatusSchema, tenantTierChangeSchema } from './tenant.rules.js';
import type {
  TenantCreateInput,
  TenantStatusInput,
  TenantsArgs,
  TenantTierChangeInput,
} from './tenants.graphql.js';
import {
  type MemberRow,
  type TenantFilter,
  type TenantRow,
  TenantsRepository,
} from './tenants.repository.js';

/** What can be done to tenants. */
@Injectable()
export class TenantsService {
  constructor(
    private readonly tenants: TenantsRepository,
    private readonly tiers: TiersRepository,
    private readonly changes: ChangeRunner,
  ) {}

  /** @throws ApiError BAD_USER_INPUT when the tier cannot be a key. */
  parseFilter(args: TenantsArgs): TenantFilter {
    const tierKey = args.tier ?? undefined;
    if (tierKey !== undefined && !tierKeySchema.safeParse(tierKey).success)
      throw badInput('tier is not a tier key');
    return { search: searchTerm(args.search), tierKey, status: args.status ?? undefined };
  }

  async findByKey(key: string): Promise<TenantRow | null> {
    return tenantKeySchema.safeParse(key).success ? this.tenants.findByKey(key) : null;
  }

  /** Creates a tenant on the published version of a tier. Refused: NOT_FOUND, INVALID, TAKEN. */
  async create(caller: Caller, input: TenantCreateInput): Promise<Outcome<TenantRow>> {
    const parsed = parseInput(tenantCreateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { reason, tierKey, ...data } = parsed.data;
    const onTaken = taken(['key'], 'This key');
    return this.changes.run<TenantRow>(caller, { reason, onTaken }, async (change) => {
      const tier = await this.findSoldTier(change, tierKey);
      if ('code' in tier) return refuse([tier]);
      const tenant = await this.tenants.create(change.tx, data, tier.id);
      await change.audit({
        action: 'tenant.create',
        entity: 'Tenant',
        entityId: tenant.id,
        tenantKey: tenant.key,
        before: null,
        after: { ...data, tierKey },
      });
      await change.publish('TENANT', tenant.key);
      return tenant;
    });
  }

  /** Moves a tenant to another tier at once. Refused: NOT_FOUND, INVALID, CONFLICT. */
  async changeTier(caller: Caller, input: TenantTierChangeInput): Promise<Outcome<TenantRow>> {
    const parsed = parseInput(tenantTierChangeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tierKey } = parsed.data;
    return this.changeTenant(caller, parsed.data, async (change, tenant) => {
      const tier = await this.findSoldTier(change, tierKey);
      if ('code' in tier) return refuse([tier], tenant);
      const old = await this.tenants.findSubscription(change.tx, tenant.id);
      const changed = await this.tenants.changeTier(change.tx, tenant.id, tier.id);
      await change.audit({
        action: 'tenant.tierChange',
        entity: 'Tenant',
        entityId: tenant.id,
        tenantKey: tenant.key,
        before: { tierKey: old.tier.key, pinnedVersion: old.pinnedVersionNumber },
        after: { tierKey, pinnedVersion: null },
      });
      return changed;
    });
  }

  /** Suspends or resumes a tenant. Refused: NOT_FOUND, CONFLICT, INVALID when it is so already. */
  async setStatus(
    caller: Caller,
    input: TenantStatusInput,
    status: TenantStatus,
  ): Promise<Outcome<TenantRow>> {
    const parsed = parseInput(tenantStatusSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changeTenant(caller, parsed.data, async (change, tenant) => {
      if (tenant.status === status) {
        const message = `The tenant is ${status.toLowerCase()} already.`;
        return refuse([userError(UserErrorCode.INVALID, ['tenantKey'], message)], tenant);
      }
      const changed = await this.tenants.setStatus(change.tx, tenant.id, status);
      await change.audit({
        action: status === TenantStatus.SUSPENDED ? 'tenant.suspend' : 'tenant.resume',
        entity: 'Tenant',
        entityId: tenant.id,
        tenantKey: tenant.key,
        before: { status: tenant.status },
        after: { status },
      });
      return changed;
    });
  }

  /** Adds a person to a tenant. Refused: NOT_FOUND, TAKEN. */
  addMember(
    caller: Caller,
    tenantKey: string,
    member: Pick<MemberRow, 'email' | 'name' | 'role'>,
  ): Promise<Outcome<TenantRow>> {
    const onTaken = taken(['email'], 'This address');
    return this.changes.run<TenantRow>(caller, { reason: null, onTaken }, async (change) => {
      const tenant = await this.tenants.lockByKey(change.tx, tenantKey);
      if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
      const { id } = await this.tenants.addMember(change.tx, tenant.id, member);
      await change.audit({
        action: 'member.add',
        entity: 'Member',
        entityId: id,
        tenantKey,
        before: null,
        after: { ...member },
      });
      return tenant;
    });
  }

  /** Runs `work` on the locked tenant, if it exists and is as the caller saw it, and publishes its record. */
  private changeTenant(
    caller: Caller,
    input: { tenantKey: string; expectedVersion: number; reason: string | null },
    work: (change: Change, tenant: TenantRow) => Promise<TenantRow | Refusal<TenantRow>>,
  ): Promise<Outcome<TenantRow>> {
    const { tenantKey, expectedVersion, reason } = input;
    return this.changes.run<TenantRow>(caller, { reason }, async (change) => {
      const tenant = await this.tenants.lockByKey(change.tx, tenantKey);
      if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
      if (tenant.version !== expectedVersion) return refuse([conflict('tenant')], tenant);
      const result = await work(change, tenant);
      if (!('ok' in result)) await change.publish('TENANT', tenantKey);
      return result;
    });
  }

  /** A tier that tenants can be on: nodes know only those with a published version. */
  private async findSoldTier(change: Change, tierKey: string): Promise<TierRow | UserError> {
    const tier = await this.tiers.findByKey(tierKey, change.tx);
    if (tier === null) return notFound(['tierKey'], `tier "${tierKey}"`);
    const published = await this.tiers.findByStatus(change.tx, tier.id, TierVersionStatus.PUBLISHED);
    const message = 'This tier has no published version yet.';
    return published === null ? userError(UserErrorCode.INVALID, ['tierKey'], message) : tier;
  }
}
