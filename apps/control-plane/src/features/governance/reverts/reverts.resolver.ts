import { Module } from '@nestjs/common';
import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import { type Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { endingOf } from '../../../platform/changes/outcome.js';
import { RecordedChangesRepository } from './reverts.repository.js';
import { ChangeReversal, ChangeRevertInput, ChangeRevertPayload, RevertsService } from './reverts.service.js';

/** Whoever may read the trail may ask; what takes a change back asks for the permission of the change itself. */
@Resolver()
export class RevertsResolver {
  constructor(private readonly service: RevertsService) {}

  @RequirePermission('audit:read')
  @Query(() => ChangeReversal, {
    name: 'changeReversal',
    nullable: true,
    description: 'Whether a change can be taken back; null when there is no such change.',
  })
  find(
    @Args('changeId', { type: () => ID, description: 'What the mutation answered.' }) changeId: string,
    @CurrentCaller() caller: Caller,
  ): Promise<ChangeReversal | null> {
    return this.service.find(caller, changeId);
  }

  @RequirePermission('audit:read')
  @Mutation(() => ChangeRevertPayload, {
    name: 'changeRevert',
    description:
      'Takes one change back, as a change of its own. Whoever may make the change may take it back, while nobody has changed the same since.',
  })
  async revert(
    @Args('input', { description: 'Which change.' }) input: ChangeRevertInput,
    @CurrentCaller() caller: Caller,
  ): Promise<ChangeRevertPayload> {
    return endingOf(await this.service.revert(caller, input));
  }
}

/** Takes single changes back, by what the audit trail says of them. */
@Module({ providers: [RecordedChangesRepository, RevertsService, RevertsResolver] })
export class RevertsModule {}
