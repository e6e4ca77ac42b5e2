import { Args, ID, Mutation, Query, Resolver, Subscription } from '@nestjs/graphql';
import type { Caller } from '../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../platform/access/require-permission.decorator.js';
import { badInput } from '../../platform/api-error.js';
import { Input } from '../../platform/graphql/mutation.graphql.js';
import { EventQueue } from '../../platform/graphql/stream/open-streams.js';
import {
  DecisionNode,
  NodeRetireInput,
  NodeRetirePayload,
  Propagation,
  Revision,
} from './distribution.graphql.js';
import { NodesService } from './nodes.service.js';
import { PropagationFeed, PropagationService } from './propagation.js';

@Resolver()
export class DistributionResolver {
  constructor(private readonly service: PropagationService) {}

  @RequirePermission('nodes:read')
  @Query(() => Propagation, {
    name: 'propagation',
    nullable: true,
    description: 'Returns the propagation of a change; null if there is no such change.',
  })
  findPropagation(
    @Args('changeId', { type: () => ID, description: '`changeId` of the mutation.' }) changeId: string,
  ): Promise<Propagation | null> {
    return this.service.findPropagation(changeId);
  }

  @RequirePermission('nodes:read')
  @Query(() => Revision, {
    name: 'currentRevision',
    nullable: true,
    description: 'Returns the newest published revision; null before the first.',
  })
  findCurrentRevision(): Promise<Revision | null> {
    return this.service.findCurrentRevision();
  }
}

@Resolver()
export class PropagationStreamResolver {
  constructor(
    private readonly service: PropagationService,
    private readonly feed: PropagationFeed,
  ) {}

  @RequirePermission('nodes:read')
  @Subscription(() => Propagation, {
    name: 'propagationChanged',
    description: 'Streams the propagation of a change until every node has applied it.',
  })
  async stream(
    @Args('changeId', { type: () => ID, description: '`changeId` of the mutation.' }) changeId: string,
  ): Promise<EventQueue<{ propagationChanged: Propagation }>> {
    if ((await this.service.findPropagation(changeId)) === null)
      throw badInput('There is no such change, or it published nothing');
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
  @Query(() => [DecisionNode], { name: 'decisionNodes', description: 'Lists decision nodes by id.' })
  list(
    @Args('includeRetired', {
      type: () => Boolean,
      nullable: true,
      defaultValue: false,
      description: 'Include nodes that stopped cleanly or were retired.',
    })
    includeRetired: boolean | null,
  ): Promise<DecisionNode[]> {
    return this.nodes.list(includeRetired ?? false);
  }

  @RequirePermission('nodes:write')
  @Mutation(() => NodeRetirePayload, {
    name: 'nodeRetire',
    description: 'Retires a node that will not return. A node that reports again becomes active.',
  })
  async retire(@CurrentCaller() caller: Caller, @Input() input: NodeRetireInput): Promise<NodeRetirePayload> {
    const outcome = await this.nodes.retire(caller, input);
    if (!outcome.ok) return { node: null, userErrors: outcome.errors };
    const node = (await this.nodes.list(true)).find(({ nodeId }) => nodeId === outcome.value) ?? null;
    return { node, userErrors: [] };
  }
}
