import { Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { summarizeLimit } from '@tollgate/contracts';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import { requestLoader } from '../../../platform/graphql/request-loader.js';
import { type LimitRecord, policyOf } from './limit-record.js';
import { Limit } from './limits.graphql.js';
import { TierVersionLoader } from './tier-version.loader.js';
import { TierVersion } from './tiers.graphql.js';
import { TiersRepository, type TierVersionRow } from './tiers.repository.js';

const TENANT_COUNTS = Symbol('tenants by tier version id');

@Resolver(() => TierVersion)
export class TierVersionsResolver {
  constructor(
    private readonly versionLoader: TierVersionLoader,
    private readonly tiers: TiersRepository,
  ) {}

  @ResolveField()
  tenantCount(@Parent() { id }: TierVersionRow, @Context() context: GraphqlContext): Promise<number> {
    return requestLoader(context, TENANT_COUNTS, 0, (ids) => this.tiers.countTenantsOn(ids)).load(id);
  }

  @ResolveField()
  limits(@Parent() version: TierVersionRow, @Context() context: GraphqlContext): Promise<LimitRecord[]> {
    return this.versionLoader.limits(context, version.id);
  }
}

@Resolver(() => Limit)
export class LimitsResolver {
  @ResolveField()
  summary(@Parent() limit: LimitRecord): string {
    return summarizeLimit(policyOf(limit));
  }
}
