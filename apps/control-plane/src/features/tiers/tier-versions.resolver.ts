import { Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { summarizeLimit } from '@tollgate/contracts';
import type { GraphqlContext } from '../../platform/graphql/context.js';
import { type LimitRecord, policyOf } from './limit-record.js';
import { TierVersionLoader } from './tier-version.loader.js';
import { Limit, TierVersion } from './tiers.graphql.js';
import type { TierVersionRow } from './tiers.repository.js';

@Resolver(() => TierVersion)
export class TierVersionsResolver {
  constructor(private readonly versionLoader: TierVersionLoader) {}

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
