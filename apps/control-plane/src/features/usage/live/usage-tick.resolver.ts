import { Args, Resolver, Subscription } from '@nestjs/graphql';
import { RequireTenantPermission } from '../../../platform/access/require-permission.decorator.js';
import { EventQueue } from '../../../platform/graphql/stream/event-queue.js';
import { LiveFeed } from './live-feed.js';
import { TenantTicks } from './tenant-ticks.js';
import { UsageTick } from './usage-tick.graphql.js';

const TICK_MS = 1000;

@Resolver()
export class UsageTickResolver {
  constructor(private readonly feed: LiveFeed) {}

  @RequireTenantPermission('usage:read', 'tenantKey')
  @Subscription(() => UsageTick, {
    name: 'usageTick',
    description: "A tenant's decisions, each second anew; quiet seconds have one too.",
  })
  stream(
    @Args('tenantKey', { description: 'Key of the tenant.' }) tenantKey: string,
  ): EventQueue<{ usageTick: UsageTick }> {
    const ticks = new TenantTicks(tenantKey);
    const stop = this.feed.onFrame((frame) => ticks.add(frame));
    const timer = setInterval(() => queue.push({ usageTick: ticks.take(new Date()) }), TICK_MS);
    const queue = new EventQueue<{ usageTick: UsageTick }>(() => {
      clearInterval(timer);
      stop();
    });
    return queue;
  }
}
