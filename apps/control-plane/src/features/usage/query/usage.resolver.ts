import { Args, Context, Query, Resolver } from '@nestjs/graphql';
import * as z from 'zod';
import {
  RequirePermission,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { type Connection, cursorCodec, parsePage } from '../../../platform/graphql/connection.js';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import { Decision, DecisionConnection, DecisionsArgs } from './decisions.graphql.js';
import { DecisionsService } from './decisions.service.js';
import { LimitHistory, LimitHistoryService } from './limit-history.service.js';
import {
  type LimitCrossing,
  LimitCrossingConnection,
  LimitCrossingsArgs,
  Usage,
  UsageArgs,
} from './usage.graphql.js';
import { LimitCrossingsService, UsageService, UsageTopService } from './usage.service.js';
import {
  LimitOffender,
  LimitOffendersArgs,
  TenantUsage,
  UsageSummary,
  UsageTopArgs,
} from './usage-summary.graphql.js';

/** Query cost of summing many rows. */
const SUMS = 10;

const crossings = cursorCodec('limitCrossings', z.tuple([z.int(), z.string().max(100)]));

@Resolver()
export class UsageResolver {
  constructor(
    private readonly usage: UsageService,
    private readonly crossings: LimitCrossingsService,
    private readonly histories: LimitHistoryService,
  ) {}

  @RequireTenantPermission('usage:read', 'tenantKey')
  @Query(() => Usage, {
    name: 'usage',
    nullable: true,
    complexity: SUMS,
    description: 'Usage of a tenant over time; null if the tenant does not exist.',
  })
  find(@Args() args: UsageArgs): Promise<Usage | null> {
    return this.usage.find(args);
  }

  @RequireTenantPermission('usage:read', 'tenantKey')
  @Query(() => UsageSummary, {
    name: 'usageSummary',
    nullable: true,
    complexity: SUMS,
    description: 'Usage of a tenant in its billing period; null if the tenant does not exist.',
  })
  findSummary(
    @Args('tenantKey', { description: 'Key of the tenant.' }) tenantKey: string,
  ): Promise<UsageSummary | null> {
    return this.usage.findSummary(tenantKey);
  }

  @RequireTenantPermission('usage:read', 'tenantKey')
  @Query(() => [LimitHistory], {
    name: 'limitHistory',
    nullable: true,
    complexity: SUMS,
    description:
      'Usage of the limits of a tenant as a whole over the last 30 days; null if the tenant does not exist.',
  })
  findHistory(
    @Args('tenantKey', { description: 'Key of the tenant.' }) tenantKey: string,
    @Context() context: GraphqlContext,
  ): Promise<LimitHistory[] | null> {
    return this.histories.find(context, tenantKey);
  }

  @RequireTenantPermission('usage:read', 'tenantKey')
  @Query(() => LimitCrossingConnection, {
    name: 'limitCrossings',
    description: 'Thresholds of limits that a tenant has crossed, newest first.',
  })
  listCrossings(@Args() args: LimitCrossingsArgs): Promise<Connection<LimitCrossing>> {
    return this.crossings.list(args, parsePage(args, crossings), (place) => crossings.encode(place));
  }
}

/** Query cost of summing many tenants' rows. */
const SUMS_OF_ALL = 50;

@Resolver()
export class UsageTopResolver {
  constructor(private readonly top: UsageTopService) {}

  @RequirePermission('usage:read')
  @Query(() => [TenantUsage], {
    name: 'usageTop',
    complexity: SUMS_OF_ALL,
    description: 'Tenants with the most usage in a time range.',
  })
  listTenants(@Args() args: UsageTopArgs): Promise<TenantUsage[]> {
    return this.top.listTenants(args);
  }

  @RequireTenantPermission('usage:read', 'tenantKey')
  @Query(() => [LimitOffender], {
    name: 'limitOffenders',
    complexity: SUMS_OF_ALL,
    description: 'Counters with the most denials: who is rate limited, and by which limit.',
  })
  listOffenders(@Args() args: LimitOffendersArgs): Promise<LimitOffender[]> {
    return this.top.listOffenders(args);
  }
}

const cursors = cursorCodec('decisions', z.string().regex(/^[0-9]{1,18}$/));

@Resolver()
export class DecisionsResolver {
  constructor(private readonly decisions: DecisionsService) {}

  @RequireTenantPermission('usage:read', 'tenantKey')
  @Query(() => DecisionConnection, {
    name: 'decisions',
    description:
      'Sampled decisions of a tenant, newest first: all denials up to a rate, and a share of allowed requests.',
  })
  list(@Args() args: DecisionsArgs): Promise<Connection<Decision>> {
    return this.decisions.list(args, parsePage(args, cursors), (id) => cursors.encode(id));
  }

  @RequireTenantPermission('usage:read', 'tenantKey')
  @Query(() => Decision, {
    name: 'decision',
    nullable: true,
    description:
      'The newest sampled decision with this request id; null if it was not sampled or is no longer stored.',
  })
  findByRequest(
    @Args('requestId', { description: 'Id of the request, as in its response.' }) requestId: string,
    @Args('tenantKey', {
      type: () => String,
      nullable: true,
      description: 'Key of the tenant; optional for operators.',
    })
    tenantKey?: string | null,
  ): Promise<Decision | null> {
    return this.decisions.findByRequest(requestId, tenantKey);
  }
}
