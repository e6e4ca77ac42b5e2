import { Module } from '@nestjs/common';
import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import { type Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { endingOf } from '../../../platform/changes/outcome.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { RecordedChangesRepository } from './reverts.repository.js';
import { ChangeReversal, ChangeRevertInput, ChangeRevertPayload, RevertsService } from './reverts.service.js';

/** Requires permission to read the audit trail; a revert also requires that of the change. */
@Resolver()
export class RevertsResolver {
  constructor(private readonly service: RevertsService) {}

  @RequirePermission('audit:read')
  @Query(() => ChangeReversal, {
    name: 'changeReversal',
    nullable: true,
    description: 'Whether a change can be reverted; null if there is no such change.',
  })
  find(
    @Args('changeId', { type: () => ID, description: 'The change id, as returned by its mutation.' })
    changeId: string,
    @CurrentCaller() caller: Caller,
  ): Promise<ChangeReversal | null> {
    return this.service.find(caller, changeId);
  }

  @RequirePermission('audit:read')
  @Mutation(() => ChangeRevertPayload, {
    name: 'changeRevert',
    description:
      'Reverts one change with a new change. Requires the permission of the change, and that its objects have not changed since.',
  })
  async revert(
    @Input() input: ChangeRevertInput,
    @CurrentCaller() caller: Caller,
  ): Promise<ChangeRevertPayload> {
    return endingOf(await this.service.revert(caller, input));
  }
}

/** Reverts single changes, based on the audit trail. */
@Module({ providers: [RecordedChangesRepository, RevertsService, RevertsResolver] })
export class RevertsModule {}
