import { Args, ID, Mutation, Query, Resolver, Subscription } from '@nestjs/graphql';
import { type Caller } from '../../platform/access/actor.js';
import { CurrentCaller } from '../../platform/access/current-caller.decorator.js';
import { RequirePermission } from '../../platform/access/require-permission.decorator.js';
import { badInput } from '../../platform/errors/api-error.js';
import { EventQueue } from '../../platform/graphql/stream/event-queue.js';
import {
  DecisionNode,
  NodeRetireInput,
  NodeRetirePayload,
  Propagation,
  Revision,
} from './distribution.graphql.js';
import { NodesService } from './nodes.service.js';
import { DistributionService, PropagationFeed } from './propagation.js';

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

@Resolver()
export class PropagationStreamResolver {
  constructor(
    private readonly service: DistributionService,
    private readonly feed: PropagationFeed,
  ) {}

  @RequirePermission('nodes:read')
  @Subscription(() => Propagation, {
    name: 'propagationChanged',
    description: 'How far a change has travelled: now, at each step, and at last when every node runs it.',
  })
  async stream(
    @Args('changeId', { type: () => ID, description: 'What the mutation answered.' }) changeId: string,
  ): Promise<EventQueue<{ propagationChanged: Propagation }>> {
    if ((await this.service.findPropagation(changeId)) === null)
      throw badInput('There is no such change, or it had nothing to publish');
    const stop = new AbortController();
    const queue = new EventQueue<{ propagationChanged: Propagation }>(() => stop.abort());
    void this.pass(this.feed.follow(changeId, stop.signal), queue);
    return queue;
  }

  private async pass(
    followed: AsyncIterable<Propagation>,
    queue: EventQueue<{ propagationChanged: Propagation }>,
  ): Promise<void> {
    for await (const propagation of followed) queue.push({ propagationChanged: propagation });
    queue.end();
  }
}

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
