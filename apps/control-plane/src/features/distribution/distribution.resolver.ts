import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { RequirePermission } from '../../platform/access/require-permission.decorator.js';
import { Propagation, Revision } from './distribution.graphql.js';
import { DistributionService } from './distribution.service.js';

@Resolver()
export class DistributionResolver {
  constructor(private readonly service: DistributionService) {}

  @RequirePermission('nodes:read')
  @Query(() => Propagation, {
    name: 'propagation',
    nullable: true,
    description: 'How far a change has travelled; null when there is no such change.',
  })
  findPropagation(
    @Args('changeId', { type: () => ID, description: 'What the mutation answered.' }) changeId: string,
  ): Promise<Propagation | null> {
    return this.service.findPropagation(changeId);
  }

  @RequirePermission('nodes:read')
  @Query(() => Revision, {
    name: 'currentRevision',
    nullable: true,
    description: 'The newest published revision; null before the first.',
  })
  findCurrentRevision(): Promise<Revision | null> {
    return this.service.findCurrentRevision();
  }
}
