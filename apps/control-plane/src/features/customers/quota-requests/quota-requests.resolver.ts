import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequirePermissionInSomeTenant,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { type Connection, cursorCodec, idOf, readPage } from '../../../platform/graphql/connection.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { adjustmentPayload } from '../entitlements/adjustment.service.js';
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

const cursors = cursorCodec('quotaRequests', idOf('quotaRequest'));

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
    description: 'Quota requests, newest first.',
  })
  async list(@Args() args: QuotaRequestsArgs): Promise<Connection<QuotaRequestRow>> {
    const tenantId = await this.tenants.findFilterId(args.tenantKey);
    return readPage(args, cursors, ({ id }) => id, this.requests, {
      tenantId,
      status: args.status ?? undefined,
    });
  }

  @RequireTenantPermission('quota-requests:write', 'input.tenantKey')
  @Mutation(() => QuotaRequestPayload, {
    name: 'quotaRequestCreate',
    description: 'Requests a higher limit.',
  })
  async create(@Input() input: QuotaRequestCreateInput, @CurrentCaller() caller: Caller) {
    return adjustmentPayload('request', await this.service.create(caller, input));
  }

  @RequirePermissionInSomeTenant('quota-requests:decide')
  @Mutation(() => QuotaRequestPayload, {
    name: 'quotaRequestApprove',
    description: 'Approves a request: raises the limit to the requested one.',
  })
  async approve(@Input() input: QuotaRequestApproveInput, @CurrentCaller() caller: Caller) {
    return adjustmentPayload('request', await this.service.approve(caller, input));
  }

  @RequirePermissionInSomeTenant('quota-requests:decide')
  @Mutation(() => QuotaRequestPayload, {
    name: 'quotaRequestCounter',
    description: 'Offers another limit, which the tenant can accept.',
  })
  async counter(@Input() input: QuotaRequestCounterInput, @CurrentCaller() caller: Caller) {
    return adjustmentPayload('request', await this.service.counter(caller, input));
  }

  @RequirePermissionInSomeTenant('quota-requests:decide')
  @Mutation(() => QuotaRequestPayload, {
    name: 'quotaRequestDecline',
    description: 'Declines a request.',
  })
  async decline(@Input() input: QuotaRequestDeclineInput, @CurrentCaller() caller: Caller) {
    return adjustmentPayload('request', await this.service.decline(caller, input));
  }

  @RequireTenantPermission('quota-requests:write', 'input.tenantKey')
  @Mutation(() => QuotaRequestPayload, {
    name: 'quotaRequestAccept',
    description: 'Accepts a counter-offer: raises the limit to the offered one.',
  })
  async accept(@Input() input: QuotaRequestOwnInput, @CurrentCaller() caller: Caller) {
    return adjustmentPayload('request', await this.service.accept(caller, input));
  }

  @RequireTenantPermission('quota-requests:write', 'input.tenantKey')
  @Mutation(() => QuotaRequestPayload, { name: 'quotaRequestWithdraw', description: 'Withdraws a request.' })
  async withdraw(@Input() input: QuotaRequestOwnInput, @CurrentCaller() caller: Caller) {
    return adjustmentPayload('request', await this.service.withdraw(caller, input));
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
