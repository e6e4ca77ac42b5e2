import { Args, Context, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { type Caller, isPermitted } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequirePermissionInSomeTenant,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { Clock } from '../../../platform/clock.js';
import { type Connection, cursorCodec, idOf, readPage } from '../../../platform/graphql/connection.js';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { adjustmentPayload } from '../entitlements/adjustment.service.js';
import { type AdjustmentEffect, showEffect } from '../entitlements/entitlements.graphql.js';
import { type TenantRow, TenantsRepository } from '../tenants/tenants.repository.js';
import {
  BoostEndInput,
  BoostStartInput,
  Override,
  OverrideConnection,
  OverridePayload,
  OverrideRemoveInput,
  OverrideSetInput,
  type OverrideStatus,
  OverridesArgs,
  OwnLimitRemoveInput,
  OwnLimitSetInput,
  statusOf,
} from './overrides.graphql.js';
import { type OverrideRow, OverridesRepository } from './overrides.repository.js';
import { OverridesService } from './overrides.service.js';

const cursors = cursorCodec('overrides', idOf('override'));

@Resolver(() => Override)
export class OverridesResolver {
  constructor(
    private readonly overrides: OverridesRepository,
    private readonly service: OverridesService,
    private readonly tenants: TenantsRepository,
    private readonly clock: Clock,
  ) {}

  @RequireTenantPermission('entitlements:read', 'tenantKey')
  @Query(() => OverrideConnection, { name: 'overrides', description: 'Overrides and boosts, newest first.' })
  async list(@Args() args: OverridesArgs): Promise<Connection<OverrideRow>> {
    return readPage(args, cursors, ({ id }) => id, this.overrides, {
      tenantId: await this.tenants.findFilterId(args.tenantKey),
      kind: args.kind ?? undefined,
      liveAt: args.live === true ? this.clock.now() : undefined,
    });
  }

  @RequireTenantPermission('overrides:write', 'input.tenantKey')
  @Mutation(() => OverridePayload, {
    name: 'overrideSet',
    description: 'Sets an override for one tenant. Requires a reason.',
  })
  async set(@Input() input: OverrideSetInput, @CurrentCaller() caller: Caller) {
    return adjustmentPayload('override', await this.service.set(caller, input));
  }

  @RequirePermissionInSomeTenant('overrides:write')
  @Mutation(() => OverridePayload, {
    name: 'overrideRemove',
    description: 'Removes an override. Requires a reason.',
  })
  async remove(@Input() input: OverrideRemoveInput, @CurrentCaller() caller: Caller) {
    return adjustmentPayload('override', await this.service.remove(caller, input));
  }

  @RequireTenantPermission('boosts:write', 'input.tenantKey')
  @Mutation(() => OverridePayload, {
    name: 'boostStart',
    description: 'Raises limits of one tenant temporarily. Requires a reason.',
  })
  async startBoost(@Input() input: BoostStartInput, @CurrentCaller() caller: Caller) {
    return adjustmentPayload('override', await this.service.startBoost(caller, input));
  }

  @RequirePermissionInSomeTenant('boosts:write')
  @Mutation(() => OverridePayload, {
    name: 'boostEnd',
    description: 'Ends a boost early. Requires a reason.',
  })
  async endBoost(@Input() input: BoostEndInput, @CurrentCaller() caller: Caller) {
    return adjustmentPayload('override', await this.service.endBoost(caller, input));
  }

  @RequireTenantPermission('own-limits:write', 'input.tenantKey')
  @Mutation(() => OverridePayload, {
    name: 'ownLimitSet',
    description:
      'Lowers a limit for the tenant itself. Applies after everything else and never raises a limit.',
  })
  async setOwnLimit(@Input() input: OwnLimitSetInput, @CurrentCaller() caller: Caller) {
    return adjustmentPayload('override', await this.service.setOwnLimit(caller, input));
  }

  @RequireTenantPermission('own-limits:write', 'input.tenantKey')
  @Mutation(() => OverridePayload, { name: 'ownLimitRemove', description: 'Removes an own limit.' })
  async removeOwnLimit(@Input() input: OwnLimitRemoveInput, @CurrentCaller() caller: Caller) {
    return adjustmentPayload('override', await this.service.removeOwnLimit(caller, input));
  }

  @ResolveField()
  limit(@Parent() { limitName }: OverrideRow): string | null {
    return limitName;
  }

  @ResolveField()
  effect(@Parent() { effect }: OverrideRow): AdjustmentEffect {
    return showEffect(effect);
  }

  @ResolveField()
  status(@Parent() override: OverrideRow): OverrideStatus {
    return statusOf(override, this.clock.now());
  }

  /** Hidden from members of the tenant: reasons are internal notes. */
  @ResolveField()
  async reason(
    @Parent() { reason }: OverrideRow,
    @Context() context: GraphqlContext,
  ): Promise<string | null> {
    const actor = await context.actor;
    return actor !== undefined && isPermitted(actor, 'entitlements:read') ? reason : null;
  }

  @ResolveField()
  async tenant(@Parent() { tenantId }: OverrideRow): Promise<TenantRow> {
    const tenant = await this.tenants.findById(tenantId);
    if (tenant === null) throw new Error(`Tenant ${tenantId} is gone`);
    return tenant;
  }
}
