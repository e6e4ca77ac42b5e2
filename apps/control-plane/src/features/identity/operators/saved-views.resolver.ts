import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { notFound, parseInput, userError } from '../../../platform/changes/outcome.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import {
  SavedView,
  SavedViewRemoveInput,
  SavedViewSetInput,
  SavedViewsPayload,
  savedViewRemoveSchema,
  savedViewSetSchema,
} from './saved-views.graphql.js';
import { type SavedViewRow, SavedViewsRepository } from './saved-views.repository.js';

@Resolver()
export class SavedViewsResolver {
  constructor(private readonly views: SavedViewsRepository) {}

  @RequirePermission('tenants:read')
  @Query(() => [SavedView], { name: 'savedViews', description: 'Saved views of the viewer, by name.' })
  list(
    @Args('list', { description: 'The list, such as `tenants`.' }) list: string,
    @CurrentCaller() { actor }: Caller,
  ): Promise<SavedViewRow[]> {
    return this.views.list(actor.id, list);
  }

  @RequirePermission('tenants:read')
  @Mutation(() => SavedViewsPayload, {
    name: 'savedViewSet',
    description: 'Saves a view of the viewer. It is a preference: the audit trail does not record it.',
  })
  async set(@Input() input: SavedViewSetInput, @CurrentCaller() { actor, dryRun }: Caller) {
    const parsed = parseInput(savedViewSetSchema, input);
    if (!parsed.ok) return { userErrors: parsed.errors, views: null };
    if (actor.kind !== 'USER')
      return failed(userError(UserErrorCode.INVALID, [], 'Only people have saved views.'));
    if (dryRun !== true && !(await this.views.put(actor.id, parsed.data)))
      return failed(userError(UserErrorCode.INVALID, ['name'], 'Remove a saved view first.'));
    return { userErrors: [], views: await this.views.list(actor.id, parsed.data.list) };
  }

  @RequirePermission('tenants:read')
  @Mutation(() => SavedViewsPayload, { name: 'savedViewRemove', description: 'Removes a saved view.' })
  async remove(@Input() input: SavedViewRemoveInput, @CurrentCaller() { actor, dryRun }: Caller) {
    const parsed = parseInput(savedViewRemoveSchema, input);
    if (!parsed.ok) return { userErrors: parsed.errors, views: null };
    if (dryRun === true) return { userErrors: [], views: null };
    const list = await this.views.remove(actor.id, parsed.data.id);
    if (list === null) return failed(notFound(['id'], 'saved view with this id'));
    return { userErrors: [], views: await this.views.list(actor.id, list) };
  }
}

function failed(error: ReturnType<typeof userError>): SavedViewsPayload {
  return { userErrors: [error], views: null };
}
