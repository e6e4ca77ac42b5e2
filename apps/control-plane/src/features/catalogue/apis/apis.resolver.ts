import { Args, Context, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { apiKeySchema } from '@tollgate/contracts';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller } from '../../../platform/access/current-caller.decorator.js';
import { RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/payload.js';
import type { Connection } from '../../../platform/graphql/connection.js';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import { cursorCodec, parsePage, toConnection } from '../../../platform/graphql/paging.js';
import { requestLoader } from '../../../platform/graphql/request-loader.js';
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
} from './apis.graphql.js';
import type { ApiRow, OperationRow } from './apis.repository.js';
import { ApisService } from './apis.service.js';

const OPERATIONS = Symbol('operations by API id');
const cursors = cursorCodec('apis', apiKeySchema);

@Resolver(() => Api)
export class ApisResolver {
  constructor(private readonly service: ApisService) {}

  @RequirePermission('apis:read')
  @Query(() => ApiConnection, { name: 'apis', description: 'APIs, by key.' })
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
    description: 'The API of a key; null when there is none.',
  })
  find(@Args('key', { description: 'Key of the API.' }) key: string): Promise<ApiRow | null> {
    return this.service.findByKey(key);
  }

  @RequirePermission('apis:write')
  @Mutation(() => ApiPayload, { name: 'apiCreate', description: 'Creates an API without operations.' })
  async create(
    @Args('input', { description: 'The new API.' }) input: ApiCreateInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('api', await this.service.create(caller, input));
  }

  @RequirePermission('apis:write')
  @Mutation(() => ApiChangePayload, {
    name: 'apiUpdate',
    description: 'Changes name, description, labels of an API, or what unknown operations get.',
  })
  async update(
    @Args('input', { description: 'The change.' }) input: ApiUpdateInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('api', await this.service.update(caller, input));
  }

  @RequirePermission('apis:write')
  @Mutation(() => ApiDeletePayload, {
    name: 'apiDelete',
    description: 'Deletes an API that no tier has limits on, with its operations and pools.',
  })
  async delete(
    @Args('input', { description: 'Which API.' }) input: ApiDeleteInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('api', await this.service.delete(caller, input));
  }

  @RequirePermission('apis:write')
  @Mutation(() => ApiChangePayload, {
    name: 'operationDelete',
    description: 'Deletes an operation that no limit and no pool names.',
  })
  async deleteOperation(
    @Args('input', { description: 'Which operation.' }) input: OperationDeleteInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('api', await this.service.deleteOperation(caller, input));
  }

  @RequirePermission('apis:write')
  @Mutation(() => ApiPayload, { name: 'operationCreate', description: 'Adds an operation to an API.' })
  async createOperation(
    @Args('input', { description: 'The new operation.' }) input: OperationCreateInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('api', await this.service.createOperation(caller, input));
  }

  @RequirePermission('apis:write')
  @Mutation(() => ApiChangePayload, {
    name: 'operationUpdate',
    description: 'Changes an operation of an API.',
  })
  async updateOperation(
    @Args('input', { description: 'The change.' }) input: OperationUpdateInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('api', await this.service.updateOperation(caller, input));
  }

  @ResolveField()
  operations(@Parent() api: ApiRow, @Context() context: GraphqlContext): Promise<OperationRow[]> {
    return requestLoader<OperationRow[]>(context, OPERATIONS, [], (ids) =>
      this.service.listOperations(ids),
    ).load(api.id);
  }
}
