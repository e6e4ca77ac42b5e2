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
import type { Connection } from '../../../platform/graphql/connection.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { cursorCodec, parsePage, toConnection } from '../../../platform/graphql/paging.js';
import { kindOfId } from '../../../platform/ids.js';
import type { Adjusted } from '../entitlements/adjustment.service.js';
import { type TenantRow, TenantsRepository } from '../tenants/tenants.repository.js';
import {
  QuotaRequest,
  QuotaRequestApproveInput,
  QuotaRequestConnection,
  QuotaRequestCounterInput,
  QuotaRequestCreateInput,
  QuotaRequestDeclineInput,
  QuotaRequestOwnInput,
  QuotaRequestPayload,
  QuotaRequestsArgs,
} from './quota-requests.graphql.js';
import { type QuotaRequestRow, QuotaRequestsRepository } from './quota-requests.repository.js';
import { QuotaRequestsService } from './quota-requests.service.js';

const cursors = cursorCodec(
  'quotaRequests',
  z.string().refine((id) => kindOfId(id) === 'quotaRequest'),
);

@Resolver(() => QuotaRequest)
export class QuotaRequestsResolver {
  constructor(
    private readonly requests: QuotaRequestsRepository,
    private readonly service: QuotaRequestsService,
    private readonly tenants: TenantsRepository,
  ) {}

  @RequireTenantPermission('quota-requests:read', 'tenantKey')
  @Query(() => QuotaRequestConnection, {
    name: 'quotaRequests',
    description: 'Requests for higher limits, newest first.',
  })
  async list(@Args() args: QuotaRequestsArgs): Promise<Connection<QuotaRequestRow>> {
    const page = parsePage(args, cursors);
    const { tenantKey, status } = args;
    if (tenantKey != null && !tenantKeySchema.safeParse(tenantKey).success)
      throw badInput('tenantKey is not a tenant key');
    const tenant = tenantKey == null ? undefined : await this.tenants.findByKey(tenantKey);
    // An unknown tenant gives an empty list.
    const filter = {
      tenantId: tenant === undefined ? null : (tenant?.id ?? ''),
      status: status ?? undefined,
    };
    const rows = await this.requests.list(filter, page);
    return toConnection(
      rows,
      page,
      ({ id }) => cursors.encode(id),
      () => this.requests.count(filter),
    );
  }

  @RequireTenantPermission('quota-requests:write', 'input.tenantKey')
  @Mutation(() => QuotaRequestPayload, {
    name: 'quotaRequestCreate',
    description: 'Asks for a higher limit.',
  })
  async create(@Input() input: QuotaRequestCreateInput, @CurrentCaller() caller: Caller) {
    return payload(await this.service.create(caller, input));
  }

  @RequirePermissionInSomeTenant('quota-requests:decide')
  @Mutation(() => QuotaRequestPayload, {
    name: 'quotaRequestApprove',
    description: 'Raises the limit to what is asked for.',
  })
  async approve(@Input() input: QuotaRequestApproveInput, @CurrentCaller() caller: Caller) {
    return payload(await this.service.approve(caller, input));
  }

  @RequirePermissionInSomeTenant('quota-requests:decide')
  @Mutation(() => QuotaRequestPayload, {
    name: 'quotaRequestCounter',
    description: 'Offers another number; the tenant may accept it.',
  })
  async counter(@Input() input: QuotaRequestCounterInput, @CurrentCaller() caller: Caller) {
    return payload(await this.service.counter(caller, input));
  }

  @RequirePermissionInSomeTenant('quota-requests:decide')
  @Mutation(() => QuotaRequestPayload, {
    name: 'quotaRequestDecline',
    description: 'Leaves the limit as it is.',
  })
  async decline(@Input() input: QuotaRequestDeclineInput, @CurrentCaller() caller: Caller) {
    return payload(await this.service.decline(caller, input));
  }

  @RequireTenantPermission('quota-requests:write', 'input.tenantKey')
  @Mutation(() => QuotaRequestPayload, {
    name: 'quotaRequestAccept',
    description: 'Accepts a counter-offer: the limit is raised to that.',
  })
  async accept(@Input() input: QuotaRequestOwnInput, @CurrentCaller() caller: Caller) {
    return payload(await this.service.accept(caller, input));
  }

  @RequireTenantPermission('quota-requests:write', 'input.tenantKey')
  @Mutation(() => QuotaRequestPayload, { name: 'quotaRequestWithdraw', description: 'Takes a request back.' })
  async withdraw(@Input() input: QuotaRequestOwnInput, @CurrentCaller() caller: Caller) {
    return payload(await this.service.withdraw(caller, input));
  }

  @ResolveField()
  limit(@Parent() { limitName }: QuotaRequestRow): string {
    return limitName;
  }

  @ResolveField()
  async tenant(@Parent() { tenantId }: QuotaRequestRow): Promise<TenantRow> {
    const tenant = await this.tenants.findById(tenantId);
    if (tenant === null) throw new Error(`Tenant ${tenantId} is gone`);
    return tenant;
  }
}

function payload(outcome: Outcome<Adjusted<QuotaRequestRow>>) {
  const { row = null, warnings = [] } = (outcome.ok ? outcome.value : outcome.current) ?? {};
  return {
    request: row,
    warnings,
    ...endingOf(outcome),
  };
}
