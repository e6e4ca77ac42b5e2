import { Args, Context, Int, Query, Resolver } from '@nestjs/graphql';
import {
  RequirePermission,
  RequireTenantPermission,
} from '../../../../platform/access/require-permission.decorator.js';
import type { GraphqlContext } from '../../../../platform/graphql/context.js';
import { RunningOutService } from './running-out.service.js';
import { RunningOut } from './usage-summary.graphql.js';
import { LimitOffender, LimitOffendersArgs, TenantUsage, UsageTopArgs } from './usage-top.graphql.js';
import { UsageTopService } from './usage-top.service.js';

/** What a query costs that adds up many tenants' rows. */
const SUMS_OF_ALL = 50;

@Resolver()
export class UsageTopResolver {
  constructor(
    private readonly top: UsageTopService,
    private readonly runningOut: RunningOutService,
  ) {}

  @RequirePermission('usage:read')
  @Query(() => [TenantUsage], {
    name: 'usageTop',
    complexity: SUMS_OF_ALL,
    description: 'Tenants that used most in a stretch of time, most first.',
  })
  listTenants(@Args() args: UsageTopArgs): Promise<TenantUsage[]> {
    return this.top.listTenants(args);
  }

  @RequireTenantPermission('usage:read', 'tenantKey')
  @Query(() => [LimitOffender], {
    name: 'limitOffenders',
    complexity: SUMS_OF_ALL,
    description: 'Counters that most refusals came from, most first: who is held back, and by which limit.',
  })
  listOffenders(@Args() args: LimitOffendersArgs): Promise<LimitOffender[]> {
    return this.top.listOffenders(args);
  }

  @RequirePermission('usage:read')
  @Query(() => [RunningOut], {
    name: 'runningOut',
    complexity: SUMS_OF_ALL,
    description: 'Quotas that will be used up soon if it goes on like the last 24 hours, the soonest first.',
  })
  listRunningOut(
    @Args('hours', {
      type: () => Int,
      nullable: true,
      defaultValue: 24,
      description: 'Within how many hours, 1 to 24.',
    })
    hours: number | null,
    @Args('first', { type: () => Int, nullable: true, defaultValue: 10, description: 'How many, 1 to 50.' })
    first: number | null,
    @Context() context: GraphqlContext,
  ): Promise<RunningOut[]> {
    return this.runningOut.list(context, { hours, first });
  }
}
