import { Args, Context, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequirePermissionInSomeTenant,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import type { Outcome } from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { type Connection, cursorCodec, idOf, readPage } from '../../../platform/graphql/connection.js';
import { type GraphqlContext, requestLoader } from '../../../platform/graphql/context.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { TenantsRepository } from '../tenants/tenants.repository.js';
import { type Adjusted, adjustmentPayload } from './adjustment.service.js';
import { EntitlementGrantsService } from './entitlement-grants.service.js';
import {
  type AdjustmentEffect,
  Entitlement,
  EntitlementConnection,
  type EntitlementEnd,
  EntitlementGrantInput,
  EntitlementPayload,
  EntitlementRevokeInput,
  EntitlementsArgs,
  showEffect,
} from './entitlements.graphql.js';
import { type EntitlementRow, EntitlementsRepository, earliest } from './entitlements.repository.js';
import { TopUpsService } from './top-ups.service.js';

const REMAINING = Symbol('remaining units of top-ups');
const NONE_REMAINING: ReadonlyMap<string, number> = new Map();

const cursors = cursorCodec('entitlements', idOf('entitlement'));

@Resolver(() => Entitlement)
export class EntitlementsResolver {
  constructor(
    private readonly ledger: EntitlementsRepository,
    private readonly service: EntitlementGrantsService,
    private readonly tenants: TenantsRepository,
    private readonly topUps: TopUpsService,
    private readonly clock: Clock,
  ) {}

  @RequireTenantPermission('entitlements:read', 'tenantKey')
  @Query(() => EntitlementConnection, {
    name: 'entitlements',
    description: 'Entitlements, newest first.',
  })
  async list(@Args() args: EntitlementsArgs): Promise<Connection<EntitlementRow>> {
    return readPage(args, cursors, ({ id }) => id, this.ledger, {
      tenantId: await this.tenants.findFilterId(args.tenantKey),
      liveAt: args.live === true ? this.clock.now() : undefined,
    });
  }

  @RequireTenantPermission('entitlements:write', 'input.tenantKey')
  @Mutation(() => EntitlementPayload, {
    name: 'entitlementGrant',
    description: 'Grants a tenant higher limits without a purchase.',
  })
  async grant(@Input() input: EntitlementGrantInput, @CurrentCaller() caller: Caller) {
    return grantsPayload(await this.service.grant(caller, input));
  }

  @RequirePermissionInSomeTenant('entitlements:write')
  @Mutation(() => EntitlementPayload, {
    name: 'entitlementRevoke',
    description: 'Revokes a purchased or granted entitlement. Requires a reason.',
  })
  async revoke(@Input() input: EntitlementRevokeInput, @CurrentCaller() caller: Caller) {
    return grantsPayload(await this.service.revoke(caller, input));
  }

  @ResolveField()
  limit(@Parent() { limitName }: EntitlementRow): string | null {
    return limitName;
  }

  @ResolveField()
  effect(@Parent() { effect }: EntitlementRow): AdjustmentEffect {
    return showEffect(effect);
  }

  @ResolveField()
  endsAt(@Parent() row: EntitlementRow): Date | null {
    return earliest([row, ...row.ends]);
  }

  @ResolveField()
  inForce(@Parent() row: EntitlementRow): boolean {
    const [now, endsAt] = [this.clock.now(), earliest([row, ...row.ends])];
    return row.startsAt <= now && (endsAt === null || endsAt > now);
  }

  @ResolveField()
  async remaining(@Parent() row: EntitlementRow, @Context() context: GraphqlContext): Promise<number | null> {
    if (row.unitsExpireAt === null || !this.inForce(row)) return null;
    const loader = requestLoader(context, REMAINING, NONE_REMAINING, (ids) => this.topUps.listRemaining(ids));
    return (await loader.load(row.tenantId)).get(row.id) ?? null;
  }

  @ResolveField()
  ends(@Parent() { ends }: EntitlementRow): EntitlementEnd[] {
    return ends.flatMap(({ endsAt, ...end }) => (endsAt === null ? [] : [{ ...end, at: endsAt }]));
  }
}

function grantsPayload(outcome: Outcome<Adjusted<EntitlementRow[]>>) {
  const payload = adjustmentPayload('entitlements', outcome);
  return { ...payload, entitlements: payload.entitlements ?? [] };
}
