import { Args, InputType, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { displayName, invalid, notFound, parseInput } from '../../../platform/changes/outcome.js';
import {
  Input,
  MutationInput,
  MutationPayload,
  type UserError,
} from '../../../platform/graphql/mutation.graphql.js';
import { field, InputOf, idField, ObjectOf } from '../../../platform/graphql/object-of.js';
import { type SavedViewRow, SavedViewsRepository } from './operators.repository.js';

@ObjectType({ description: 'A named filter of a list in the console.' })
export class SavedView extends ObjectOf({
  id: field.id('Id, for `savedViewRemove`.'),
  name: field.string('Name.'),
  search: field.string('Search part of the address, without `?`.'),
}) {}

const list = z
  .string()
  .regex(/^[a-z-]{1,40}$/, 'list must be the name of a page')
  .describe('The list, such as `tenants`.');

const savedViewSetSchema = z.object({
  list,
  name: displayName.describe('Name; a view of the same name is replaced.'),
  search: z.string().max(2000).describe('Search part of the address, without `?`.'),
});

@InputType({ description: 'A view to save.' })
export class SavedViewSetInput extends InputOf(savedViewSetSchema, MutationInput) {}

const savedViewRemoveSchema = z.object({ id: idField('Id of the view.') });

@InputType({ description: 'A view to remove.' })
export class SavedViewRemoveInput extends InputOf(savedViewRemoveSchema, MutationInput) {}

@ObjectType({ description: 'Outcome of changing saved views.' })
export class SavedViewsPayload extends ObjectOf(MutationPayload, {
  views: field
    .of(() => SavedView, 'All views of the viewer and list, by name; null after an error.')
    .list()
    .nullable(),
}) {}

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
    if (!parsed.ok) return failed(parsed.errors);
    if (actor.kind !== 'USER') return failed([invalid([], 'Only people have saved views.')]);
    if (dryRun !== true && !(await this.views.put(actor.id, parsed.data)))
      return failed([invalid(['name'], 'Remove a saved view first.')]);
    return { userErrors: [], views: await this.views.list(actor.id, parsed.data.list) };
  }

  @RequirePermission('tenants:read')
  @Mutation(() => SavedViewsPayload, { name: 'savedViewRemove', description: 'Removes a saved view.' })
  async remove(@Input() input: SavedViewRemoveInput, @CurrentCaller() { actor, dryRun }: Caller) {
    const parsed = parseInput(savedViewRemoveSchema, input);
    if (!parsed.ok) return failed(parsed.errors);
    if (dryRun === true) return { userErrors: [], views: null };
    const list = await this.views.remove(actor.id, parsed.data.id);
    if (list === null) return failed([notFound(['id'], 'saved view with this id')]);
    return { userErrors: [], views: await this.views.list(actor.id, list) };
  }
}

function failed(userErrors: UserError[]): SavedViewsPayload {
  return { userErrors, views: null };
}
