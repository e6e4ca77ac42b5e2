import { InputType, ObjectType } from '@nestjs/graphql';
import * as z from 'zod';
import { description, displayName, optionalNote, orDefault } from '../../../platform/changes/outcome.js';
import { connectionOf, Node } from '../../../platform/graphql/connection.js';
import {
  Impact,
  MutationInput,
  PublishedPayload,
  UserError,
} from '../../../platform/graphql/mutation.graphql.js';
import { field, InputOf, idField, ObjectOf, registerEnum } from '../../../platform/graphql/object-of.js';
import { DateTime, Json, JsonObject } from '../../../platform/graphql/scalars.js';
import { ChangeSetStatus } from '../../../platform/prisma/schema.js';

registerEnum(ChangeSetStatus, 'ChangeSetStatus', 'Status of a change set.', {
  DRAFT: 'Items can be added.',
  SUBMITTED: 'Waiting for approval.',
  APPROVED: 'Ready to apply.',
  SCHEDULED: 'Will be applied at `scheduledAt`.',
  APPLIED: 'Was applied.',
  FAILED: 'Was due but could not be applied; nothing changed.',
  REJECTED: 'Rejected by a reviewer.',
  CANCELED: 'Canceled.',
});

@ObjectType({ description: 'A mutation that change sets support.' })
export class ChangeSetCommand extends ObjectOf({
  name: field.string('Name of the mutation.'),
  inputType: field.string(
    "Type of the mutation's input; `expectedVersion`, `dryRun` and `force` are left out.",
  ),
  permission: field.string('Permission required to add or apply it.'),
}) {}

@ObjectType({ description: 'One change of a set.' })
export class ChangeSetItem extends ObjectOf({
  id: field.id('Id of the item.'),
  command: field.string('Name of the mutation.'),
  input: field.as<unknown>(() => Json, 'Its input.'),
}) {}

@ObjectType({ description: 'A field that a change set changes.' })
export class ChangeSetField extends ObjectOf({
  path: field.string('Path of the field, such as `limits`; empty for the whole object.'),
  before: field.as<unknown>(() => Json, 'Before.').nullable(),
  after: field.as<unknown>(() => Json, 'After.').nullable(),
}) {}

@ObjectType({ description: 'An object that a change set changes.' })
export class ChangeSetDiffEntry extends ObjectOf({
  item: field.int('Index of the item, from 0.'),
  action: field.string('Action, as in the audit trail.'),
  entity: field.string('Type of the object, such as `Tier`.'),
  entityId: field.string('Id of the object; empty if it is created.'),
  tenantKey: field.string('Tenant affected; null if none.').nullable(),
  fields: field.of(() => ChangeSetField, 'Changed fields.').list(),
}) {}

@ObjectType({ description: 'The effect of a change set now, or when it was applied.' })
export class ChangeSetDiff extends ObjectOf({
  entries: field.of(() => ChangeSetDiffEntry, 'The objects that change, in order.').list(),
  impact: field.of(() => Impact, 'Affected tenants; null once applied, and if no policy changes.').nullable(),
  errors: field
    .of(() => UserError, 'Why it cannot be applied; paths start with `items` and the index.')
    .list(),
  stale: field.boolean('Whether its effect has changed since it was submitted or approved.'),
}) {}

@ObjectType({
  implements: () => [Node],
  description: 'Policy changes that are reviewed and applied together.',
})
export class ChangeSet extends ObjectOf(Node, {
  title: field.string('Title.'),
  description: field.string('Description.'),
  status: field.of(() => ChangeSetStatus, 'Status.'),
  version: field.int('Incremented by every change, for `expectedVersion`.'),
  author: field.string('Author.'),
  reviewedBy: field.string('Reviewer.').nullable(),
  reviewedAt: field.dateTime('When it was approved or rejected.').nullable(),
  needsApproval: field.boolean('Whether it needs approval by a second person.'),
  note: field.string('Note of the reviewer.').nullable(),
  scheduledAt: field.dateTime('When it is scheduled to be applied.').nullable(),
  appliedAt: field.dateTime('When it was applied.').nullable(),
  appliedBy: field.string('Who applied it.').nullable(),
  changeId: field.id('The change that applied it, for `propagation`.').nullable(),
  revertsId: field.id('The set that this one reverts.').nullable(),
  createdAt: field.dateTime('When it was created.'),
  items: field.of(() => ChangeSetItem, 'Items, in the order of application.').list(),
  diff: field.of(
    () => ChangeSetDiff,
    'Its effect now, computed by a dry run; once applied, its recorded effect.',
  ),
}) {}

export const ChangeSetConnection = connectionOf(ChangeSet, 'ChangeSet', 'change sets');

export const changeSetCreateSchema = z.object({
  title: displayName.describe('Title.'),
  description: description.describe('Description.'),
  needsApproval: orDefault(z.boolean(), false).describe(
    'Requires approval by a second person, even if the installation does not.',
  ),
  reason: optionalNote,
});

@InputType({ description: 'A new change set.' })
export class ChangeSetCreateInput extends InputOf(changeSetCreateSchema, MutationInput) {}

export const changeSetSchema = z.object({
  id: idField('Id of the change set.'),
  expectedVersion: z.int().describe('Version that the caller has read.'),
  reason: optionalNote,
});

@InputType({ description: 'A change set and the version that the caller has read.' })
export class ChangeSetInput extends InputOf(changeSetSchema, MutationInput) {}

const addItemSchema = changeSetSchema.extend({
  command: z.string().describe('Name of a mutation, one of `changeSetCommands`.'),
  input: z.record(z.string(), z.unknown()).meta({
    graphql: () => JsonObject,
    description: "The mutation's input; `expectedVersion`, `dryRun` and `force` are left out.",
  }),
});

@InputType({ description: 'An item to add.' })
export class ChangeSetAddItemInput extends InputOf(addItemSchema, MutationInput) {}

const removeItemSchema = changeSetSchema.extend({ itemId: idField('Id of the item.') });

@InputType({ description: 'An item to remove.' })
export class ChangeSetRemoveItemInput extends InputOf(removeItemSchema, MutationInput) {}

export const reviewSchema = changeSetSchema.extend({ note: optionalNote.describe('Note to the author.') });

@InputType({ description: 'A review.' })
export class ChangeSetReviewInput extends InputOf(reviewSchema, MutationInput) {}

const scheduleSchema = changeSetSchema.extend({
  at: z.date().meta({ graphql: () => DateTime, description: 'When; in the future.' }),
});

@InputType({ description: 'Schedules a change set.' })
export class ChangeSetScheduleInput extends InputOf(scheduleSchema, MutationInput) {}

@ObjectType({ description: 'Outcome of a mutation of a change set.' })
export class ChangeSetPayload extends ObjectOf(PublishedPayload, {
  changeSet: field.of(() => ChangeSet, 'The change set after the step.').nullable(),
}) {}
