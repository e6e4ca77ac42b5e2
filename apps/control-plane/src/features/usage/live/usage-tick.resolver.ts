import { Args, ObjectType, Resolver, Subscription } from '@nestjs/graphql';
import type { UsageFrame } from '@tollgate/contracts';
import { RequireTenantPermission } from '../../../platform/access/require-permission.decorator.js';
import { field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { EventQueue } from '../../../platform/graphql/stream/open-streams.js';
import { isDenied } from '../ingest/usage-fold.rules.js';
import { LiveFeed } from './live-feed.js';

@ObjectType({ description: "A tenant's decisions on one API in one second." })
export class ApiTick extends ObjectOf({
  apiKey: field.string('Key of the API.'),
  allowed: field.safeInt('Allowed requests.'),
  denied: field.safeInt('Denied requests.'),
}) {}

@ObjectType({ description: "A tenant's decisions in one second, as reported by nodes." })
export class UsageTick extends ObjectOf({
  at: field.dateTime('End of the second.'),
  allowed: field.safeInt('Allowed requests.'),
  denied: field.safeInt('Denied requests.'),
  apis: field.of(() => ApiTick, 'By API; APIs without requests are omitted.').list(),
}) {}

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
