import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequirePermissionInSomeTenant,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { badInput } from '../../../platform/api-error.js';
import type { Outcome } from '../../../platform/changes/outcome.js';
import { endingOf } from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import type { Connection } from '../../../platform/graphql/connection.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { cursorCodec, parsePage, toConnection } from '../../../platform/graphql/paging.js';
import { kindOfId } from '../../../platform/ids.js';
import { TenantsService } from '../tenants/tenants.service.js';
import type { Adjusted } from './adjustment.service.js';
import type { AdjustmentEffect } from './adjustment-inputs.js';
import { showEffect } from './adjustment-inputs.js';
import { EntitlementGrantsService } from './entitlement-grants.service.js';
import {
  Entitlement,
  EntitlementConnection,
  type EntitlementEnd,
  EntitlementGrantInput,
  EntitlementPayload,
  EntitlementRevokeInput,
  EntitlementsArgs,
} from './entitlements.graphql.js';
import { type EntitlementRow, EntitlementsRepository, earliest } from './entitlements.repository.js';

const cursors = cursorCodec(
  'entitlements',
  z.string().refine((id) => kindOfId(id) === 'entitlement'),
);

@Resolver(() => Entitlement)
export class EntitlementsResolver {
  constructor(
    private readonly ledger: EntitlementsRepository,
    private readonly service: EntitlementGrantsService,
    private readonly tenants: TenantsService,
    private readonly clock: Clock,
  ) {}

  @RequireTenantPermission('entitlements:read', 'tenantKey')
  @Query(() => EntitlementConnection, {
    name: 'entitlements',
    description: 'Grants of the ledger, newest first.',
  })
  async list(@Args() args: EntitlementsArgs): Promise<Connection<EntitlementRow>> {
    const page = parsePage(args, cursors);
    const { tenantKey, live } = args;
    if (tenantKey != null && !tenantKeySchema.safeParse(tenantKey).success)
      throw badInput('tenantKey is not a tenant key');
    const tenant = tenantKey == null ? undefined : await this.tenants.findByKey(tenantKey);
    // An unknown tenant gives an empty list.
    const tenantId = tenant === undefined ? null : (tenant?.id ?? '');
    const filter = { tenantId, liveAt: live === true ? this.clock.now() : undefined };
    const rows = await this.ledger.list(filter, page);
    return toConnection(
      rows,
      page,
      ({ id }) => cursors.encode(id),
      () => this.ledger.count(filter),
    );
  }

  @RequireTenantPermission('entitlements:write', 'input.tenantKey')
  @Mutation(() => EntitlementPayload, {
    name: 'entitlementGrant',
    description: 'Gives a tenant higher limits without a purchase.',
  })
  async grant(@Input() input: EntitlementGrantInput, @CurrentCaller() caller: Caller) {
    return payload(await this.service.grant(caller, input));
  }

  @RequirePermissionInSomeTenant('entitlements:write')
  @Mutation(() => EntitlementPayload, {
    name: 'entitlementRevoke',
    description: 'Takes an entitlement back, sold or given. Needs a reason.',
  })
  async revoke(@Input() input: EntitlementRevokeInput, @CurrentCaller() caller: Caller) {
    return payload(await this.service.revoke(caller, input));
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
  ends(@Parent() { ends }: EntitlementRow): EntitlementEnd[] {
    return ends.flatMap(({ endsAt, ...end }) => (endsAt === null ? [] : [{ ...end, at: endsAt }]));
  }
}

function payload(outcome: Outcome<Adjusted<EntitlementRow[]>>) {
  const {
    tenant = null,
    row = null,
    warnings = [],
    preview = [],
  } = (outcome.ok ? outcome.value : outcome.current) ?? {};
  return {
    entitlements: row ?? [],
    tenant,
    warnings,
    preview,
    ...endingOf(outcome),
  };
}
