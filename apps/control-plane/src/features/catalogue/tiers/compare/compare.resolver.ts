import { Args, Query, Resolver } from '@nestjs/graphql';
import { RequirePermission } from '../../../../platform/access/require-permission.decorator.js';
import { TiersRepository, type TierVersionRow } from '../tiers.repository.js';
import { TiersService } from '../tiers.service.js';
import { TierComparison, TierVersionRef } from './compare.graphql.js';
import { findDifferences } from './compare.rules.js';

@Resolver()
export class CompareResolver {
  constructor(
    private readonly service: TiersService,
    private readonly tiers: TiersRepository,
  ) {}

  @RequirePermission('tiers:read')
  @Query(() => TierComparison, {
    name: 'tierCompare',
    nullable: true,
    description: 'In what two versions, of one tier or of two, differ; null when there is no such version.',
  })
  async compare(
    @Args('a', { description: 'The first.' }) a: TierVersionRef,
    @Args('b', { description: 'The second.' }) b: TierVersionRef,
  ) {
    const [first, second] = [await this.find(a), await this.find(b)];
    if (first === null || second === null) return null;
    const limits = await this.tiers.listLimits([first.id, second.id]);
    const differences = findDifferences(limits.get(first.id) ?? [], limits.get(second.id) ?? []);
    return {
      a: first,
      b: second,
      limits: differences,
      loosened: differences.filter(({ loosened }) => loosened).length,
      tightened: differences.filter(({ tightened }) => tightened).length,
    };
  }

  private async find({ tierKey, version }: TierVersionRef): Promise<TierVersionRow | null> {
    const tier = await this.service.findByKey(tierKey);
    return tier === null ? null : this.tiers.findVersion(tier.id, version);
  }
}
