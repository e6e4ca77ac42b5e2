import { Args, Context, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { tenantKeySchema } from '@tollgate/contracts';
import type { Caller } from '../../platform/access/actor.js';
import { CurrentCaller } from '../../platform/access/current-caller.decorator.js';
import { RequirePermission } from '../../platform/access/require-permission.decorator.js';
import type { Outcome } from '../../platform/changes/outcome.js';
import type { Connection } from '../../platform/graphql/connection.js';
import type { GraphqlContext } from '../../platform/graphql/context.js';
import { cursorCodec, parsePage, toConnection } from '../../platform/graphql/paging.js';
import { requestLoader } from '../../platform/graphql/request-loader.js';
import { TenantStatus } from '../../platform/prisma/schema.js';
import { type EffectiveLimitRow, EffectiveLimitsService } from './effective-limits.service.js';
import {
  Tenant,
  TenantChangePayload,
  TenantConnection,
  TenantCreateInput,
  TenantPayload,
  TenantStatusInput,
  TenantsArgs,
  TenantTierChangeInput,
} from './tenants.graphql.js';
import { type MemberRow, type TenantRow, TenantsRepository } from './tenants.repository.js';
import { TenantsService } from './tenants.service.js';

const MEMBERS = Symbol('members by tenant id');
const cursors = cursorCodec('tenants', tenantKeySchema);

@Resolver(() => Tenant)
export class TenantsResolver {
  constructor(
    private readonly service: TenantsService,
    private readonly tenants: TenantsRepository,
    private readonly effective: EffectiveLimitsService,
  ) {}

  @RequirePermission('tenants:read')
  @Query(() => TenantConnection, { name: 'tenants', description: 'Tenants, by key.' })
  async list(@Args() args: TenantsArgs): Promise<Connection<TenantRow>> {
    const page = parsePage(args, cursors);
    const filter = this.service.parseFilter(args);
    const rows = await this.tenants.list(filter, page);
    return toConnection(
      rows,
      page,
      (tenant) => cursors.encode(tenant.key),
      () => this.tenants.count(filter),
    );
  }

  @RequirePermission('tenants:read')
  @Query(() => Tenant, {
    name: 'tenant',
    nullable: true,
    description: 'The tenant of a key; null when there is none.',
  })
  find(@Args('key', { description: 'Key of the tenant.' }) key: string): Promise<TenantRow | null> {
    return this.service.findByKey(key);
  }

  @RequirePermission('tenants:write')
  @Mutation(() => TenantPayload, { name: 'tenantCreate', description: 'Creates a tenant on a tier.' })
  async create(
    @Args('input', { description: 'The new tenant.' }) input: TenantCreateInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payload(await this.service.create(caller, input));
  }

  @RequirePermission('subscriptions:write')
  @Mutation(() => TenantChangePayload, {
    name: 'tenantTierChange',
    description: 'Moves a tenant to the published version of another tier, at once.',
  })
  async changeTier(
    @Args('input', { description: 'Who moves where.' }) input: TenantTierChangeInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payload(await this.service.changeTier(caller, input));
  }

  @RequirePermission('tenants:write')
  @Mutation(() => TenantChangePayload, {
    name: 'tenantSuspend',
    description: 'Refuses every request of a tenant from now on.',
  })
  async suspend(
    @Args('input', { description: 'Which tenant.' }) input: TenantStatusInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payload(await this.service.setStatus(caller, input, TenantStatus.SUSPENDED));
  }

  @RequirePermission('tenants:write')
  @Mutation(() => TenantChangePayload, {
    name: 'tenantResume',
    description: 'Serves a suspended tenant again.',
  })
  async resume(
    @Args('input', { description: 'Which tenant.' }) input: TenantStatusInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payload(await this.service.setStatus(caller, input, TenantStatus.ACTIVE));
  }

  /** All in one place: Nest takes a resolver of a type named Subscription for GraphQL subscriptions. */
  @ResolveField()
  async subscription(@Parent() tenant: TenantRow, @Context() context: GraphqlContext) {
    const { effective } = this;
    const subscription = await effective.getSubscription(context, tenant.id);
    return {
      tier: subscription.tier,
      pinned: subscription.pinnedVersionNumber !== null,
      since: subscription.since,
      get tierVersion() {
        return effective.getVersion(context, subscription);
      },
    };
  }

  @ResolveField()
  effectiveLimits(
    @Parent() tenant: TenantRow,
    @Context() context: GraphqlContext,
  ): Promise<EffectiveLimitRow[]> {
    return this.effective.list(context, tenant);
  }

  @ResolveField()
  members(@Parent() tenant: TenantRow, @Context() context: GraphqlContext): Promise<MemberRow[]> {
    return requestLoader<MemberRow[]>(context, MEMBERS, [], (ids) => this.tenants.listMembers(ids)).load(
      tenant.id,
    );
  }
}

function payload(outcome: Outcome<TenantRow>) {
  return outcome.ok
    ? { tenant: outcome.value, changeId: outcome.changeId, userErrors: [] }
    : { tenant: outcome.current, changeId: null, userErrors: outcome.errors };
}
