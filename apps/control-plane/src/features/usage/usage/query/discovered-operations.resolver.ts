import { Args, Query, Resolver } from '@nestjs/graphql';
import { RequirePermission } from '../../../../platform/access/require-permission.decorator.js';
import { DiscoveredOperation, DiscoveredOperationsArgs } from './discovered-operations.graphql.js';
import { DiscoveredOperationsService } from './discovered-operations.service.js';

/** What a query costs that adds up many tenants' rows. */
const SUMS_OF_ALL = 50;

@Resolver()
export class DiscoveredOperationsResolver {
  constructor(private readonly service: DiscoveredOperationsService) {}

  @RequirePermission('usage:read')
  @Query(() => [DiscoveredOperation], {
    name: 'discoveredOperations',
    complexity: SUMS_OF_ALL,
    description:
      'Operations that were asked for in the last seven days and that nothing limits, most asked for first.',
  })
  list(@Args() args: DiscoveredOperationsArgs): Promise<DiscoveredOperation[]> {
    return this.service.list(args);
  }
}
