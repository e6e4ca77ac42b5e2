import { Args, ID, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { tenantKeySchema } from '@tollgate/contracts';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { endingOf, type Outcome } from '../../../platform/changes/outcome.js';
import {
  type Connection,
  cursorCodec,
  idOf,
  PageArgs,
  parsePage,
  toConnection,
} from '../../../platform/graphql/connection.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { kindOfId } from '../../../platform/ids.js';
import {
  BulkAction,
  BulkActionConnection,
  BulkActionInput,
  BulkActionItemConnection,
  BulkActionItemsArgs,
  BulkActionPayload,
  BulkActionProgress,
  BulkActionStartInput,
} from './bulk-actions.graphql.js';
import { type BulkActionRow, BulkActionsRepository, type BulkItemRow } from './bulk-actions.repository.js';
import { BulkActionsService, type StartedBulkAction } from './bulk-actions.service.js';

const cursors = cursorCodec('bulkActions', idOf('bulkAction'));
const itemCursors = cursorCodec('bulkActionItems', tenantKeySchema);

/** Query cost of counting the tenants of an action. */
const COUNT_COST = 5;

@Resolver(() => BulkAction)
export class BulkActionsResolver {
  constructor(
    private readonly service: BulkActionsService,
    private readonly actions: BulkActionsRepository,
  ) {}

  @RequirePermission('bulk-actions:read')
  @Query(() => BulkActionConnection, { name: 'bulkActions', description: 'Bulk actions, newest first.' })
  async list(@Args() args: PageArgs): Promise<Connection<BulkActionRow>> {
    const page = parsePage(args, cursors);
    return toConnection(
      await this.actions.list(page),
      page,
      ({ id }) => cursors.encode(id),
      () => this.actions.count(),
    );
  }

  @RequirePermission('bulk-actions:read')
  @Query(() => BulkAction, {
    name: 'bulkAction',
    nullable: true,
    description: 'One bulk action; null when there is none.',
  })
  async find(
    @Args('id', { type: () => ID, description: 'Its id.' }) id: string,
  ): Promise<BulkActionRow | null> {
    return kindOfId(id) === 'bulkAction' ? this.actions.findById(id) : null;
  }

  @RequirePermission('bulk-actions:write')
  @Mutation(() => BulkActionPayload, {
    name: 'bulkActionStart',
    description:
      'Applies one action to many tenants, one change per tenant; a failure does not affect other tenants.',
  })
  async start(@Input() input: BulkActionStartInput, @CurrentCaller() caller: Caller) {
    return payload(await this.service.start(caller, input));
  }

  @RequirePermission('bulk-actions:write')
  @Mutation(() => BulkActionPayload, {
    name: 'bulkActionCancel',
    description: 'Cancels the remaining tenants of a bulk action.',
  })
  async cancel(@Input() input: BulkActionInput, @CurrentCaller() caller: Caller) {
    return payload(await this.service.cancel(caller, input));
  }

  @RequirePermission('bulk-actions:write')
  @Mutation(() => BulkActionPayload, {
    name: 'bulkActionUndo',
    description:
      'Undoes a bulk action with another one; tenants changed since stay as they are. Requires a reason.',
  })
  async undo(@Input() input: BulkActionInput, @CurrentCaller() caller: Caller) {
    return payload(await this.service.undo(caller, input));
  }

  @ResolveField(() => BulkActionProgress, { complexity: COUNT_COST })
  async progress(@Parent() { id, total }: BulkActionRow): Promise<BulkActionProgress> {
    const { PENDING, DONE, FAILED, CANCELED } = await this.actions.countItems(id);
    return { total, pending: PENDING, done: DONE, failed: FAILED, canceled: CANCELED };
  }

  @ResolveField()
  startedBy(@Parent() { actor }: BulkActionRow): string {
    return actor;
  }

  @ResolveField()
  revertedById(@Parent() { id }: BulkActionRow): Promise<string | null> {
    return this.actions.findUndo(id);
  }

  @ResolveField(() => BulkActionItemConnection)
  async items(
    @Parent() { id }: BulkActionRow,
    @Args() args: BulkActionItemsArgs,
  ): Promise<Connection<BulkItemRow>> {
    const page = parsePage(args, itemCursors);
    const status = args.status ?? undefined;
    return toConnection(
      await this.actions.listItems(id, status, page),
      page,
      ({ tenantKey }) => itemCursors.encode(tenantKey),
      () => this.actions.countItemsIn(id, status),
    );
  }
}

function payload(outcome: Outcome<StartedBulkAction>) {
  const { action = null, tenants = 0, tried = 0, refusals = [] } = outcome.ok ? outcome.value : {};
  return {
    bulkAction: action,
    tenants,
    tried,
    refusals,
    ...endingOf(outcome),
  };
}
