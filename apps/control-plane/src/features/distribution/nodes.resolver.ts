import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../platform/access/actor.js';
import { CurrentCaller } from '../../platform/access/current-caller.decorator.js';
import { RequirePermission } from '../../platform/access/require-permission.decorator.js';
import { DecisionNode, NodeRetireInput, NodeRetirePayload } from './nodes.graphql.js';
import { NodesService } from './nodes.service.js';

@Resolver(() => DecisionNode)
export class NodesResolver {
  constructor(private readonly nodes: NodesService) {}

  @RequirePermission('nodes:read')
  @Query(() => [DecisionNode], { name: 'decisionNodes', description: 'Processes that decide, by name.' })
  list(
    @Args('includeRetired', {
      type: () => Boolean,
      nullable: true,
      defaultValue: false,
      description: 'Those too that stopped in order or were retired.',
    })
    includeRetired: boolean | null,
  ): Promise<DecisionNode[]> {
    return this.nodes.list(includeRetired ?? false);
  }

  @RequirePermission('nodes:write')
  @Mutation(() => NodeRetirePayload, {
    name: 'nodeRetire',
    description: 'Says that a node will not come back. One that reports again is back all the same.',
  })
  async retire(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'Which node.' }) input: NodeRetireInput,
  ): Promise<NodeRetirePayload> {
    const outcome = await this.nodes.retire(caller, input);
    if (!outcome.ok) return { node: null, userErrors: outcome.errors };
    const node = (await this.nodes.list(true)).find(({ nodeId }) => nodeId === outcome.value) ?? null;
    return { node, userErrors: [] };
  }
}
