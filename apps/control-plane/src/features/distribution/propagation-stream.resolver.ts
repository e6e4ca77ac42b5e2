import { Args, ID, Resolver, Subscription } from '@nestjs/graphql';
import { RequirePermission } from '../../platform/access/require-permission.decorator.js';
import { badInput } from '../../platform/errors/api-error.js';
import { EventQueue } from '../../platform/graphql/stream/event-queue.js';
import { Propagation } from './distribution.graphql.js';
import { DistributionService } from './distribution.service.js';
import { PropagationFeed } from './propagation-feed.js';

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
