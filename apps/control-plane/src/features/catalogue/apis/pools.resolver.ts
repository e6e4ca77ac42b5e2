import { Args, Context, Mutation, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { compilePool } from '@tollgate/decision-plane/internals';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller } from '../../../platform/access/current-caller.decorator.js';
import { RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/payload.js';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import { requestLoader } from '../../../platform/graphql/request-loader.js';
import { RedisConnections } from '../../../platform/redis/redis-connections.js';
import { Api, ApiChangePayload } from './apis.graphql.js';
import type { ApiRow } from './apis.repository.js';
import { Pool, PoolCreateInput, PoolDeleteInput, type PoolLive, PoolUpdateInput } from './pools.graphql.js';
import type { PoolRow } from './pools.repository.js';
import { PoolsService } from './pools.service.js';

const POOLS = Symbol('pools by API id');

@Resolver(() => Api)
export class PoolsResolver {
  constructor(private readonly service: PoolsService) {}

  @RequirePermission('apis:write')
  @Mutation(() => ApiChangePayload, { name: 'poolCreate', description: 'Adds a pool of capacity to an API.' })
  async create(
    @Args('input', { description: 'The new pool.' }) input: PoolCreateInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('api', await this.service.create(caller, input));
  }

  @RequirePermission('apis:write')
  @Mutation(() => ApiChangePayload, { name: 'poolUpdate', description: 'Changes a pool of an API.' })
  async update(
    @Args('input', { description: 'The change.' }) input: PoolUpdateInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('api', await this.service.update(caller, input));
  }

  @RequirePermission('apis:write')
  @Mutation(() => ApiChangePayload, {
    name: 'poolDelete',
    description: 'Removes a pool that no limit borrows from.',
  })
  async delete(
    @Args('input', { description: 'Which pool.' }) input: PoolDeleteInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('api', await this.service.delete(caller, input));
  }

  @ResolveField()
  async pools(@Parent() api: ApiRow, @Context() context: GraphqlContext): Promise<PoolOfApi[]> {
    const loader = requestLoader<PoolRow[]>(context, POOLS, [], (ids) => this.service.list(ids));
    return (await loader.load(api.id)).map((pool) => ({ ...pool, apiKey: api.key }));
  }
}

/** A pool with the key of its API, by which nodes know it. */
type PoolOfApi = PoolRow & { apiKey: string };

@Resolver(() => Pool)
export class PoolLiveResolver {
  constructor(private readonly redis: RedisConnections) {}

  @ResolveField()
  async live(@Parent() { apiKey, ...pool }: PoolOfApi): Promise<PoolLive | null> {
    const reading = await this.redis.readPool(compilePool(apiKey, pool));
    if (reading === null) return null;
    const { capacity, admitted, borrowed } = reading;
    const lendable = Math.floor((capacity * pool.reclaimPercent) / 100) - admitted;
    return { ...reading, spare: Math.max(0, lendable - borrowed) };
  }
}
