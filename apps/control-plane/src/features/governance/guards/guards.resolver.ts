import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { tierKeySchema } from '@tollgate/contracts';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { PublicationGuard, PublicationGuardCancelInput, PublicationGuardPayload } from './guards.graphql.js';
import { type GuardRow, GuardsRepository } from './guards.repository.js';
import { GuardsService } from './guards.service.js';

@Resolver(() => PublicationGuard)
export class GuardsResolver {
  constructor(
    private readonly guards: GuardsRepository,
    private readonly service: GuardsService,
    private readonly clock: Clock,
  ) {}

  @RequirePermission('usage:read')
  @Query(() => PublicationGuard, {
    name: 'publicationGuard',
    nullable: true,
    description: 'The newest guard of a tier; null if no publication was guarded.',
  })
  async find(@Args('tierKey', { description: 'Key of the tier.' }) tierKey: string) {
    if (!tierKeySchema.safeParse(tierKey).success) return null;
    const guard = await this.guards.findNewest(tierKey);
    return guard === null ? null : guardOutput(guard);
  }

  @RequirePermission('tiers:write')
  @Mutation(() => PublicationGuardPayload, {
    name: 'publicationGuardCancel',
    description: 'Ends a guard; the version stays published.',
  })
  async cancel(@Input() input: PublicationGuardCancelInput, @CurrentCaller() caller: Caller) {
    const { guard, ...ending } = payloadOf(
      'guard',
      await this.service.cancel(caller, input, this.clock.now()),
    );
    return { ...ending, guard: guard === null ? null : guardOutput(guard) };
  }
}

/** A guard in the form of {@link PublicationGuard}. */
export const guardOutput = ({ tier, ...guard }: GuardRow) => ({ ...guard, tierKey: tier.key });
