import { Args, Context, Query, Resolver } from '@nestjs/graphql';
import * as z from 'zod';
import {
  RequirePermission,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { type Connection, cursorCodec } from '../../../platform/graphql/connection.js';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import {
  LimitPeakPoint,
  LimitUtilization,
  TenantUtilizationArgs,
  TenantUtilizationConnection,
} from './utilization.graphql.js';
import { type UtilizationOfTenant, UtilizationService } from './utilization.service.js';

const cursors = cursorCodec('tenantUtilization', z.array(z.string().max(300)).min(2).max(3));

@Resolver()
export class UtilizationResolver {
  constructor(private readonly utilization: UtilizationService) {}

  @RequirePermission('usage:read')
  @Query(() => TenantUtilizationConnection, {
    name: 'tenantUtilization',
    description: 'Tenants ranked by percent of their tightest limit, or in another order.',
  })
  list(@Args() args: TenantUtilizationArgs): Promise<Connection<UtilizationOfTenant>> {
    return this.utilization.list(args, cursors);
  }

  @RequireTenantPermission('usage:read', 'tenantKey')
  @Query(() => [LimitUtilization], {
    name: 'limitUtilization',
    nullable: true,
    description: 'Utilization of all enforced limits of a tenant, fullest first; null if it does not exist.',
  })
  listLimits(
    @Args('tenantKey', { description: 'Key of the tenant.' }) tenantKey: string,
    @Context() context: GraphqlContext,
  ): Promise<LimitUtilization[] | null> {
    return this.utilization.listLimits(context, tenantKey);
  }

  @RequireTenantPermission('usage:read', 'tenantKey')
  @Query(() => [LimitPeakPoint], {
    name: 'limitPeaks',
    nullable: true,
    description:
      'The busiest window of a limit in each five minutes of the last 24 hours, ascending; intervals without requests are omitted. Null if the tenant does not exist.',
  })
  listPeaks(
    @Args('tenantKey', { description: 'Key of the tenant.' }) tenantKey: string,
    @Args('apiKey', { description: 'Key of the API.' }) apiKey: string,
    @Args('limitName', { description: 'Name of the limit.' }) limitName: string,
  ): Promise<LimitPeakPoint[] | null> {
    return this.utilization.listPeaks(tenantKey, apiKey, limitName);
  }
}
