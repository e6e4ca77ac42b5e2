import { Args, Extensions, ObjectType, Resolver, Subscription } from '@nestjs/graphql';
import type { UsageFrame } from '@tollgate/contracts';
import {
  RequirePermission,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { EventQueue } from '../../../platform/graphql/stream/open-streams.js';
import { isDenied } from '../ingest/usage-fold.rules.js';
import { LiveFeed } from './live-feed.js';
import type { LiveFrame } from './live-window.js';

@ObjectType({ description: 'Decisions on one API in one second.' })
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

@ObjectType({ description: 'Denied requests of one tenant.' })
export class TenantDenials extends ObjectOf({
  tenantKey: field.string('Key of the tenant.'),
  denied: field.safeInt('Denied requests.'),
}) {}

@ObjectType({ description: 'Decisions of all nodes in one second.' })
export class DecisionSecond extends ObjectOf({
  at: field.dateTime('End of the second.'),
  apis: field.of(() => ApiTick, 'By API; APIs without requests are omitted.').list(),
  mostDenied: field
    .of(() => TenantDenials, 'The most denied tenants of the last minute, in descending order.')
    .list(),
  nodes: field.int('Nodes that report.'),
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

@Resolver()
export class DecisionSecondResolver {
  constructor(private readonly feed: LiveFeed) {}

  @RequirePermission('live:read')
  @Extensions({ usualLength: 1 })
  @Subscription(() => [DecisionSecond], {
    name: 'decisionSeconds',
    description: 'Decisions of all nodes: the last minute, then each second.',
  })
  stream(): EventQueue<{ decisionSeconds: DecisionSecond[] }> {
    const push = (frames: LiveFrame[]) => queue.push({ decisionSeconds: frames.map(secondOf) });
    const { history, unsubscribe } = this.feed.subscribe((frame) => push([frame]));
    const queue = new EventQueue<{ decisionSeconds: DecisionSecond[] }>(unsubscribe);
    push(history);
    return queue;
  }
}

function secondOf({ atMs, apis, mostDenied, nodes }: LiveFrame): DecisionSecond {
  return {
    at: new Date(atMs),
    apis: apis.map(({ api, allowed, denied }) => ({ apiKey: api, allowed, denied })),
    mostDenied: mostDenied.map(({ tenant, denied }) => ({ tenantKey: tenant, denied })),
    nodes,
  };
}
