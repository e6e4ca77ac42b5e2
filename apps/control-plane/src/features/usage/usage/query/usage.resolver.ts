import { Args, Context, Query, Resolver } from '@nestjs/graphql';
import * as z from 'zod';
import { RequireTenantPermission } from '../../../../platform/access/require-permission.decorator.js';
import type { Connection } from '../../../../platform/graphql/connection.js';
import type { GraphqlContext } from '../../../../platform/graphql/context.js';
import { cursorCodec, parsePage } from '../../../../platform/graphql/paging.js';
import { LimitCrossingsService } from './limit-crossings.service.js';
import {
  type LimitCrossing,
  LimitCrossingConnection,
  LimitCrossingsArgs,
  Usage,
  UsageArgs,
} from './usage.graphql.js';
import { UsageService } from './usage.service.js';
import { UsageSummary } from './usage-summary.graphql.js';
import { UsageSummaryService } from './usage-summary.service.js';

/** What a query costs that adds up many rows. */
const SUMS = 10;

const crossings = cursorCodec('limitCrossings', z.tuple([z.int(), z.string().max(100)]));

@Resolver()
export class UsageResolver {
  constructor(
    private readonly usage: UsageService,
    private readonly summaries: UsageSummaryService,
    private readonly crossings: LimitCrossingsService,
  ) {}

  @RequireTenantPermission('usage:read', 'tenantKey')
  @Query(() => Usage, {
    name: 'usage',
    nullable: true,
    complexity: SUMS,
    description: 'What a tenant used over time; null when there is no such tenant.',
  })
  find(@Args() args: UsageArgs): Promise<Usage | null> {
    return this.usage.find(args);
  }

  @RequireTenantPermission('usage:read', 'tenantKey')
  @Query(() => UsageSummary, {
    name: 'usageSummary',
    nullable: true,
    complexity: SUMS,
    description:
      'Where a tenant stands in its billing period and its quotas; null when there is no such tenant.',
  })
  findSummary(
    @Args('tenantKey', { description: 'Key of the tenant.' }) tenantKey: string,
    @Context() context: GraphqlContext,
  ): Promise<UsageSummary | null> {
    return this.summaries.find(context, tenantKey);
  }

  @RequireTenantPermission('usage:read', 'tenantKey')
  @Query(() => LimitCrossingConnection, {
    name: 'limitCrossings',
    description: 'Thresholds of limits that a tenant has reached, newest first.',
  })
  listCrossings(@Args() args: LimitCrossingsArgs): Promise<Connection<LimitCrossing>> {
    return this.crossings.list(args, parsePage(args, crossings), (place) => crossings.encode(place));
  }
}
