import { Args, ID, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import { PolicyCommands } from '../../../platform/changes/policy-commands.js';
import {
  type Connection,
  cursorCodec,
  PageArgs,
  parsePage,
  toConnection,
} from '../../../platform/graphql/connection.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { kindOfId } from '../../../platform/ids.js';
import { type DiffEntry, fieldChanges } from './change-set.rules.js';
import { ChangeSetItemsService } from './change-set-items.service.js';
import { ChangeSetTrial } from './change-set-trial.js';
import {
  ChangeSet,
  ChangeSetAddItemInput,
  ChangeSetCommand,
  ChangeSetConnection,
  ChangeSetCreateInput,
  ChangeSetDiff,
  ChangeSetInput,
  ChangeSetPayload,
  ChangeSetRemoveItemInput,
  ChangeSetReviewInput,
  ChangeSetScheduleInput,
} from './change-sets.graphql.js';
import { type ChangeSetRow, ChangeSetsRepository } from './change-sets.repository.js';
import { ChangeSetsService } from './change-sets.service.js';

const cursors = cursorCodec(
  'changeSets',
  z.string().refine((id) => kindOfId(id) === 'changeSet'),
);

@Resolver(() => ChangeSet)
export class ChangeSetsResolver {
  constructor(
    private readonly service: ChangeSetsService,
    private readonly itemsService: ChangeSetItemsService,
    private readonly sets: ChangeSetsRepository,
    private readonly trial: ChangeSetTrial,
    private readonly commands: PolicyCommands,
  ) {}

  @RequirePermission('change-sets:read')
  @Query(() => ChangeSetConnection, { name: 'changeSets', description: 'Change sets, newest first.' })
  async list(@Args() args: PageArgs): Promise<Connection<ChangeSetRow>> {
    const page = parsePage(args, cursors);
    const rows = await this.sets.list(page);
    return toConnection(
      rows,
      page,
      ({ id }) => cursors.encode(id),
      () => this.sets.count(),
    );
  }

  @RequirePermission('change-sets:read')
  @Query(() => ChangeSet, {
    name: 'changeSet',
    nullable: true,
    description: 'One change set; null when there is none.',
  })
  async find(
    @Args('id', { type: () => ID, description: 'Its id.' }) id: string,
  ): Promise<ChangeSetRow | null> {
    return kindOfId(id) === 'changeSet' ? this.sets.findById(id) : null;
  }

  @RequirePermission('change-sets:read')
  @Query(() => [ChangeSetCommand], {
    name: 'changeSetCommands',
    description: 'Mutations that change sets support.',
  })
  listCommands(): ChangeSetCommand[] {
    return this.commands.list().map(({ name, inputType, permission }) => ({ name, inputType, permission }));
  }

  @RequirePermission('change-sets:write')
  @Mutation(() => ChangeSetPayload, { name: 'changeSetCreate', description: 'Creates a change set.' })
  async create(@Input() input: ChangeSetCreateInput, @CurrentCaller() caller: Caller) {
    return payloadOf('changeSet', await this.service.create(caller, input));
  }

  @RequirePermission('change-sets:write')
  @Mutation(() => ChangeSetPayload, { name: 'changeSetAddItem', description: 'Adds an item.' })
  async addItem(@Input() input: ChangeSetAddItemInput, @CurrentCaller() caller: Caller) {
    return payloadOf('changeSet', await this.itemsService.add(caller, input));
  }

  @RequirePermission('change-sets:write')
  @Mutation(() => ChangeSetPayload, {
    name: 'changeSetRemoveItem',
    description: 'Removes an item.',
  })
  async removeItem(@Input() input: ChangeSetRemoveItemInput, @CurrentCaller() caller: Caller) {
    return payloadOf('changeSet', await this.itemsService.remove(caller, input));
  }

  @RequirePermission('change-sets:write')
  @Mutation(() => ChangeSetPayload, {
    name: 'changeSetSubmit',
    description: 'Submits a set for approval; approves it if none is required.',
  })
  async submit(@Input() input: ChangeSetInput, @CurrentCaller() caller: Caller) {
    return payloadOf('changeSet', await this.service.submit(caller, input));
  }

  @RequirePermission('change-sets:approve')
  @Mutation(() => ChangeSetPayload, {
    name: 'changeSetApprove',
    description: 'Approves the set of another author.',
  })
  async approve(@Input() input: ChangeSetReviewInput, @CurrentCaller() caller: Caller) {
    return payloadOf('changeSet', await this.service.approve(caller, input));
  }

  @RequirePermission('change-sets:approve')
  @Mutation(() => ChangeSetPayload, { name: 'changeSetReject', description: 'Rejects a set.' })
  async reject(@Input() input: ChangeSetReviewInput, @CurrentCaller() caller: Caller) {
    return payloadOf('changeSet', await this.service.reject(caller, input));
  }

  @RequirePermission('change-sets:write')
  @Mutation(() => ChangeSetPayload, {
    name: 'changeSetSchedule',
    description:
      'Schedules an approved set. If it cannot be applied then, it becomes FAILED and nothing changes.',
  })
  async schedule(@Input() input: ChangeSetScheduleInput, @CurrentCaller() caller: Caller) {
    return payloadOf('changeSet', await this.service.schedule(caller, input));
  }

  @RequirePermission('change-sets:write')
  @Mutation(() => ChangeSetPayload, {
    name: 'changeSetApply',
    description: 'Applies an approved set atomically, as one change and one revision.',
  })
  async apply(@Input() input: ChangeSetInput, @CurrentCaller() caller: Caller) {
    return payloadOf('changeSet', await this.service.apply(caller, input));
  }

  @RequirePermission('change-sets:write')
  @Mutation(() => ChangeSetPayload, { name: 'changeSetCancel', description: 'Cancels a set.' })
  async cancel(@Input() input: ChangeSetInput, @CurrentCaller() caller: Caller) {
    return payloadOf('changeSet', await this.service.cancel(caller, input));
  }

  @RequirePermission('change-sets:write')
  @Mutation(() => ChangeSetPayload, {
    name: 'changeSetRevert',
    description: 'Creates a draft that reverts an applied set.',
  })
  async revert(@Input() input: ChangeSetInput, @CurrentCaller() caller: Caller) {
    return payloadOf('changeSet', await this.itemsService.revert(caller, input));
  }

  @ResolveField()
  needsApproval(@Parent() set: ChangeSetRow): boolean {
    return this.service.needsApproval(set);
  }

  @ResolveField()
  async diff(@Parent() set: ChangeSetRow): Promise<ChangeSetDiff> {
    const kept = (set.reviewedDiff ?? []) as unknown as DiffEntry[];
    const isOver = set.status === 'APPLIED' || set.status === 'CANCELED';
    if (isOver) return { entries: kept.map(describe), impact: null, errors: [], stale: false };
    const { diff, impact, errors, digest } = await this.trial.attempt(set);
    const isReviewed = ['SUBMITTED', 'APPROVED', 'SCHEDULED'].includes(set.status);
    const failed = set.status === 'FAILED' && errors.length === 0 ? ((set.errors ?? []) as never[]) : errors;
    return {
      entries: diff.map(describe),
      impact,
      errors: failed,
      stale: isReviewed && digest !== set.reviewedDigest,
    };
  }
}

function describe({ before, after, ...rest }: DiffEntry) {
  return { ...rest, fields: fieldChanges(before, after) };
}
