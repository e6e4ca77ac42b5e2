import { Args, Field, ObjectType, Resolver, Subscription } from '@nestjs/graphql';
import type { UsageFrame } from '@tollgate/contracts';
import { RequireTenantPermission } from '../../../platform/access/require-permission.decorator.js';
import { DateTime, SafeInt } from '../../../platform/graphql/scalars.js';
import { EventQueue } from '../../../platform/graphql/stream/event-queue.js';
import { LiveFeed } from './live-feed.js';
import { isDenied } from './live-window.js';

@ObjectType({ description: "A tenant's decisions on one API in one second." })
export class ApiTick {
  @Field({ description: 'Key of the API.' })
  apiKey!: string;

  @Field(() => SafeInt, { description: 'Allowed requests.' })
  allowed!: number;

  @Field(() => SafeInt, { description: 'Denied requests.' })
  denied!: number;
}

@ObjectType({ description: "A tenant's decisions in one second, as reported by nodes." })
export class UsageTick {
  @Field(() => DateTime, { description: 'End of the second.' })
  at!: Date;

  @Field(() => SafeInt, { description: 'Allowed requests.' })
  allowed!: number;

  @Field(() => SafeInt, { description: 'Denied requests.' })
  denied!: number;

  @Field(() => [ApiTick], { description: 'By API; APIs without requests are omitted.' })
  apis!: ApiTick[];
}

/** Sums one tenant's decisions between two ticks. */
export class TenantTicks {
  private apis = new Map<string, ApiTick>();

  constructor(private readonly tenantKey: string) {}

  add({ rows }: UsageFrame): void {
    for (const { tenant, api, outcome, count } of rows) {
      if (tenant !== this.tenantKey) continue;
      const sums = this.apis.get(api) ?? { apiKey: api, allowed: 0, denied: 0 };
      this.apis.set(api, sums);
      if (isDenied(outcome)) sums.denied += count;
      else sums.allowed += count;
    }
  }

  /** Decisions since the last call. */
  take(at: Date): UsageTick {
    const apis = [...this.apis.values()].sort((a, b) => a.apiKey.localeCompare(b.apiKey));
    this.apis = new Map();
    const sum = (field: 'allowed' | 'denied') => apis.reduce((total, api) => total + api[field], 0);
    return { at, allowed: sum('allowed'), denied: sum('denied'), apis };
  }
}

const TICK_MS = 1000;

@Resolver()
export class UsageTickResolver {
  constructor(private readonly feed: LiveFeed) {}

  @RequireTenantPermission('usage:read', 'tenantKey')
  @Subscription(() => UsageTick, {
    name: 'usageTick',
    description: "A tenant's decisions, once per second, including idle seconds.",
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
