import { Args, Context, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { apiKeySchema } from '@tollgate/contracts';
import { compilePool } from '@tollgate/policy';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import {
  type Connection,
  cursorCodec,
  parsePage,
  toConnection,
} from '../../../platform/graphql/connection.js';
import { type GraphqlContext, requestLoader } from '../../../platform/graphql/context.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { RedisConnections } from '../../../platform/redis.js';
import {
  Api,
  ApiChangePayload,
  ApiConnection,
  ApiCreateInput,
  ApiDeleteInput,
  ApiDeletePayload,
  ApiPayload,
  ApisArgs,
  ApiUpdateInput,
  OperationCreateInput,
  OperationDeleteInput,
  OperationUpdateInput,
  Pool,
  PoolCreateInput,
  PoolDeleteInput,
  type PoolLive,
  PoolUpdateInput,
} from './apis.graphql.js';
import {
  type ApiRow,
  type OperationRow,
  type PoolOfApi,
  type PoolRow,
  poolOfApi,
  toPoolRecord,
} from './apis.repository.js';
import { ApisService } from './apis.service.js';
import { PoolsService } from './pools.service.js';

const OPERATIONS = Symbol('operations by API id');
const cursors = cursorCodec('apis', apiKeySchema);

@Resolver(() => Api)
export class ApisResolver {
  constructor(private readonly service: ApisService) {}

  @RequirePermission('apis:read')
  @Query(() => ApiConnection, { name: 'apis', description: 'Lists APIs by key.' })
  async list(@Args() args: ApisArgs): Promise<Connection<ApiRow>> {
    const page = parsePage(args, cursors);
    const rows = await this.service.list(args.search, page);
    return toConnection(
      rows,
      page,
      (api) => cursors.encode(api.key),
      () => this.service.count(args.search),
    );
  }

  @RequirePermission('apis:read')
  @Query(() => Api, {
    name: 'api',
    nullable: true,
    description: 'Returns an API by key; null if there is none.',
  })
  find(@Args('key', { description: 'Key of the API.' }) key: string): Promise<ApiRow | null> {
    return this.service.findByKey(key);
  }

  @RequirePermission('apis:write')
  @Mutation(() => ApiPayload, { name: 'apiCreate', description: 'Creates an API without operations.' })
  async create(@Input() input: ApiCreateInput, @CurrentCaller() caller: Caller) {
    return payloadOf('api', await this.service.create(caller, input));
  }

  @RequirePermission('apis:write')
  @Mutation(() => ApiChangePayload, {
    name: 'apiUpdate',
    description: 'Changes the fields of an API.',
  })
  async update(@Input() input: ApiUpdateInput, @CurrentCaller() caller: Caller) {
    return payloadOf('api', await this.service.update(caller, input));
  }

  @RequirePermission('apis:write')
  @Mutation(() => ApiDeletePayload, {
    name: 'apiDelete',
    description: 'Deletes an API that no tier has limits on, with its operations and pools.',
  })
  async delete(@Input() input: ApiDeleteInput, @CurrentCaller() caller: Caller) {
    return payloadOf('api', await this.service.delete(caller, input));
  }

  @RequirePermission('apis:write')
  @Mutation(() => ApiChangePayload, {
    name: 'operationDelete',
    description: 'Deletes an operation that no limit and no pool lists.',
  })
  async deleteOperation(@Input() input: OperationDeleteInput, @CurrentCaller() caller: Caller) {
    return payloadOf('api', await this.service.deleteOperation(caller, input));
  }

  @RequirePermission('apis:write')
  @Mutation(() => ApiPayload, { name: 'operationCreate', description: 'Adds an operation to an API.' })
  async createOperation(@Input() input: OperationCreateInput, @CurrentCaller() caller: Caller) {
    return payloadOf('api', await this.service.createOperation(caller, input));
  }

  @RequirePermission('apis:write')
  @Mutation(() => ApiChangePayload, {
    name: 'operationUpdate',
    description: 'Changes an operation of an API.',
  })
  async updateOperation(@Input() input: OperationUpdateInput, @CurrentCaller() caller: Caller) {
    return payloadOf('api', await this.service.updateOperation(caller, input));
  }

  @ResolveField()
  operations(@Parent() api: ApiRow, @Context() context: GraphqlContext): Promise<OperationRow[]> {
    return requestLoader<OperationRow[]>(context, OPERATIONS, [], (ids) =>
      this.service.listOperations(ids),
    ).load(api.id);
  }
}

const POOLS = Symbol('pools by API id');

@Resolver(() => Api)
export class PoolsResolver {
  constructor(private readonly service: PoolsService) {}

  @RequirePermission('apis:write')
  @Mutation(() => ApiChangePayload, { name: 'poolCreate', description: 'Adds a pool to an API.' })
  async create(@Input() input: PoolCreateInput, @CurrentCaller() caller: Caller) {
    return payloadOf('api', await this.service.create(caller, input));
  }

  @RequirePermission('apis:write')
  @Mutation(() => ApiChangePayload, { name: 'poolUpdate', description: 'Changes a pool of an API.' })
  async update(@Input() input: PoolUpdateInput, @CurrentCaller() caller: Caller) {
    return payloadOf('api', await this.service.update(caller, input));
  }

  @RequirePermission('apis:write')
  @Mutation(() => ApiChangePayload, {
    name: 'poolDelete',
    description: 'Deletes a pool that no limit borrows from.',
  })
  async delete(@Input() input: PoolDeleteInput, @CurrentCaller() caller: Caller) {
    return payloadOf('api', await this.service.delete(caller, input));
  }

  @ResolveField()
  async pools(@Parent() api: ApiRow, @Context() context: GraphqlContext): Promise<PoolOfApi[]> {
    const loader = requestLoader<PoolRow[]>(context, POOLS, [], (ids) => this.service.list(ids));
    return (await loader.load(api.id)).map((row) => poolOfApi(row, api.key));
  }
}

@Resolver(() => Pool)
export class PoolLiveResolver {
  constructor(private readonly redis: RedisConnections) {}

  @ResolveField()
  async live(@Parent() { apiKey, ...pool }: PoolOfApi): Promise<PoolLive | null> {
    const reading = await this.redis.readPool(compilePool(apiKey, toPoolRecord(pool)));
    if (reading === null) return null;
    const { capacity, admitted, borrowed } = reading;
    const lendable = Math.floor((capacity * pool.reclaimPercent) / 100) - admitted;
    return { ...reading, spare: Math.max(0, lendable - borrowed) };
  }
}
