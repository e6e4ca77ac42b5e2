import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import {
  Impact,
  type ImpactedTenant,
  type ImpactOverrun,
} from '../../../platform/graphql/mutation.graphql.js';
import type { FoundImpact } from './found-impact.js';
import { ImpactDetailsService } from './impact-details.service.js';

@Resolver(() => Impact)
export class ImpactResolver {
  constructor(private readonly details: ImpactDetailsService) {}

  @ResolveField()
  sample(@Parent() impact: FoundImpact): Promise<ImpactedTenant[]> {
    return this.details.sample(impact);
  }

  @ResolveField()
  overruns(@Parent() impact: FoundImpact): Promise<ImpactOverrun[] | null> {
    return this.details.overruns(impact);
  }
}
