import { InputType, ObjectType } from '@nestjs/graphql';
import * as z from 'zod';
import { displayName } from '../../../platform/changes/outcome.js';
import { InputOf, idField } from '../../../platform/graphql/input-of.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { field, ObjectOf } from '../../../platform/graphql/object-of.js';

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

export const savedViewSetSchema = z.object({
  list,
  name: displayName.describe('Name; a view of the same name is replaced.'),
  search: z.string().max(2000).describe('Search part of the address, without `?`.'),
});

@InputType({ description: 'A view to save.' })
export class SavedViewSetInput extends InputOf(savedViewSetSchema, MutationInput) {}

export const savedViewRemoveSchema = z.object({ id: idField('Id of the view.') });

@InputType({ description: 'A view to remove.' })
export class SavedViewRemoveInput extends InputOf(savedViewRemoveSchema, MutationInput) {}

@ObjectType({ description: 'Outcome of changing saved views.' })
export class SavedViewsPayload extends ObjectOf(MutationPayload, {
  views: field
    .of(() => SavedView, 'All views of the viewer and list, by name; null after an error.')
    .list()
    .nullable(),
}) {}
