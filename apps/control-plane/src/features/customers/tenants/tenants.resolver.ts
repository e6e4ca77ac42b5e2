import { Args, Context, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { tenantKeySchema } from '@tollgate/contracts';
import { mayIn } from '../../../platform/access/ability.js';
import { type Caller, permittedTenants } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequirePermission,
  RequireSignIn,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { badInput, forbidden } from '../../../platform/api-error.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import {
  type Connection,
  cursorCodec,
  parsePage,
  toConnection,
} from '../../../platform/graphql/connection.js';
import { type GraphqlContext, requestLoader } from '../../../platform/graphql/context.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { TenantStatus } from '../../../platform/prisma/schema.js';
import { type EffectiveLimitRow, EffectiveLimitsService } from './effective-limits.service.js';
import type { ChangedTenant } from './tenant-changes.js';
import { readFloors } from './tenant-record.repository.js';
import {
  type SharedLimit,
  Tenant,
  TenantChangePayload,
  TenantConnection,
  TenantCreateInput,
  type TenantFloor,
  TenantFloorsSetInput,
  TenantPayload,
  TenantStatusInput,
  TenantsArgs,
  TenantTierChangeInput,
  TenantTierChangePayload,
  TenantUpdateInput,
} from './tenants.graphql.js';
import { type MemberRow, type TenantRow, TenantsRepository } from './tenants.repository.js';
import { TenantsService } from './tenants.service.js';

const MEMBERS = Symbol('members by tenant id');
const cursors = cursorCodec('tenants', tenantKeySchema);

/** Postgres reads skipped rows too, which no points pay for. Cursors reach all of a longer list. */
const MAX_SKIP = 10_000;

@Resolver(() => Tenant)
export class TenantsResolver {
  constructor(
    private readonly service: TenantsService,
    private readonly tenants: TenantsRepository,
    private readonly effective: EffectiveLimitsService,
  ) {}

  @RequireSignIn()
  @Query(() => TenantConnection, {
    name: 'tenants',
    description: 'Tenants visible to the caller, by key; for members, their own tenants.',
  })
  async list(@Args() args: TenantsArgs, @CurrentCaller() { actor }: Caller): Promise<Connection<TenantRow>> {
    const visible = permittedTenants(actor, 'tenants:read');
    if (actor.kind !== 'USER' && visible.length === 0) throw forbidden('tenants:read');
    const page = parsePage(args, cursors);
    const filter = this.service.parseFilter(args, visible);
    const rows = await this.tenants.list(filter, page, parseSkip(args));
    return toConnection(
      rows,
      page,
      (tenant) => cursors.encode(tenant.key),
      () => this.tenants.count(filter),
    );
  }

  @RequireTenantPermission('tenants:read', 'key')
  @Query(() => Tenant, {
    name: 'tenant',
    nullable: true,
    description: 'The tenant with this key; null if there is none.',
  })
  find(@Args('key', { description: 'Key of the tenant.' }) key: string): Promise<TenantRow | null> {
    return this.service.findByKey(key);
  }

  @RequirePermission('tenants:write')
  @Mutation(() => TenantPayload, {
    name: 'tenantCreate',
    description:
      'Creates a tenant on a tier. With `parentKey`, also requires `subscriptions:write` in the parent.',
  })
  async create(@Input() input: TenantCreateInput, @CurrentCaller() caller: Caller) {
    return payloadOf('tenant', await this.service.create(caller, input));
  }

  @RequireTenantPermission('subscriptions:write', 'input.tenantKey')
  @Mutation(() => TenantTierChangePayload, {
    name: 'tenantTierChange',
    description: 'Moves a tenant to another tier, or pins it to a version, immediately.',
  })
  async changeTier(
    @Input() input: TenantTierChangeInput,
    @CurrentCaller() caller: Caller,
    @Context() context: GraphqlContext,
  ) {
    const tenant = await this.service.findByKey(input.tenantKey);
    const warnings = tenant === null ? [] : await this.effective.findOverused(context, tenant, input);
    const outcome = await this.service.changeTier(caller, input);
    return { ...payloadOf('tenant', outcome), warnings: outcome.ok ? warnings : [] };
  }

  @RequireTenantPermission('tenants:write', 'input.tenantKey')
  @Mutation(() => TenantChangePayload, {
    name: 'tenantUpdate',
    description: 'Changes the name, time zone, billing day or tags of a tenant.',
  })
  async update(@Input() input: TenantUpdateInput, @CurrentCaller() caller: Caller) {
    return payloadOf('tenant', await this.service.update(caller, input));
  }

  @RequireTenantPermission('overrides:write', 'input.tenantKey')
  @Mutation(() => TenantChangePayload, {
    name: 'tenantFloorsSet',
    description: 'Sets the parts of limits of its parent that only this tenant uses.',
  })
  async setFloors(@Input() input: TenantFloorsSetInput, @CurrentCaller() caller: Caller) {
    return payloadOf('tenant', await this.service.setFloors(caller, input));
  }

  @RequireTenantPermission('tenants:write', 'input.tenantKey')
  @Mutation(() => TenantChangePayload, {
    name: 'tenantSuspend',
    description: 'Suspends a tenant: all its requests are denied.',
  })
  async suspend(@Input() input: TenantStatusInput, @CurrentCaller() caller: Caller) {
    return payloadOf('tenant', await this.service.setStatus(caller, input, TenantStatus.SUSPENDED));
  }

  @RequireTenantPermission('tenants:write', 'input.tenantKey')
  @Mutation(() => TenantChangePayload, {
    name: 'tenantResume',
    description: 'Resumes a suspended tenant.',
  })
  async resume(@Input() input: TenantStatusInput, @CurrentCaller() caller: Caller) {
    return payloadOf('tenant', await this.service.setStatus(caller, input, TenantStatus.ACTIVE));
  }

  @RequireTenantPermission('tenants:write', 'input.tenantKey')
  @Mutation(() => TenantChangePayload, {
    name: 'tenantArchive',
    description:
      'Archives a tenant for good: nodes drop it, its API keys stop working, its key is never reused.',
  })
  async archive(@Input() input: TenantStatusInput, @CurrentCaller() caller: Caller) {
    return payloadOf('tenant', await this.service.archive(caller, input));
  }

  /** Resolved here because Nest treats a resolver of a type named Subscription as GraphQL subscriptions. */
  @ResolveField()
  async subscription(@Parent() tenant: ChangedTenant, @Context() context: GraphqlContext) {
    const { effective } = this;
    const subscription =
      tenant.preview?.subscription ?? (await effective.getSubscription(context, tenant.id));
    return {
      tier: subscription.tier,
      pinned: subscription.pinnedVersionNumber !== null,
      pinnedByRollout: subscription.pinnedByRollout,
      followsAt: subscription.followsAt,
      since: subscription.since,
      get tierVersion() {
        return effective.getVersion(context, subscription);
      },
    };
  }

  @ResolveField()
  effectiveLimits(
    @Parent() tenant: ChangedTenant,
    @Context() context: GraphqlContext,
  ): Promise<EffectiveLimitRow[]> {
    return this.effective.list(context, tenant);
  }

  @ResolveField()
  floors(@Parent() { floors }: TenantRow): TenantFloor[] {
    return readFloors(floors).map(({ api: apiKey, limit, units }) => ({ apiKey, limit, units }));
  }

  @ResolveField()
  sharedLimits(@Parent() tenant: ChangedTenant, @Context() context: GraphqlContext): Promise<SharedLimit[]> {
    return this.effective.listShared(context, tenant);
  }

  /** @throws ApiError FORBIDDEN if the actor may read the tenant but not its members */
  @ResolveField()
  async members(@Parent() tenant: TenantRow, @Context() context: GraphqlContext): Promise<MemberRow[]> {
    const actor = await context.actor;
    if (actor === undefined || !mayIn(actor.ability, 'members:read', tenant.key))
      throw forbidden('members:read');
    return requestLoader<MemberRow[]>(context, MEMBERS, [], (ids) => this.tenants.listMembers(ids)).load(
      tenant.id,
    );
  }
}

/** @throws ApiError BAD_USER_INPUT for an invalid `skip` */
function parseSkip({ skip, after }: TenantsArgs): number {
  if (skip == null) return 0;
  if (after != null) throw badInput('Use either skip or after, not both');
  if (skip < 0 || skip > MAX_SKIP) throw badInput(`skip must be 0 to ${MAX_SKIP}`);
  return skip;
}
