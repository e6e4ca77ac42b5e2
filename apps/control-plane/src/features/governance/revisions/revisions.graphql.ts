import { ArgsType, InputType, ObjectType } from '@nestjs/graphql';
import * as z from 'zod';
import { optionalNote, withDefault } from '../../../platform/changes/outcome.js';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { MutationInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { ArgsOf, enumOf, field, InputOf, ObjectOf } from '../../../platform/graphql/object-of.js';
import { CarryOver } from '../../../platform/prisma/schema.js';
import { EffectiveLimit } from '../../customers/index.js';

export const RevisionDifferenceKind = enumOf(
  'RevisionDifferenceKind',
  'Kind of difference between two revisions.',
  {
    ADDED: 'Only in the later one.',
    REMOVED: 'Only in the earlier one.',
    CHANGED: 'Different in both.',
  },
);
export type RevisionDifferenceKind = keyof typeof RevisionDifferenceKind;

@ObjectType({ description: 'A change in a revision, by one of its audit entries.' })
export class RevisionChange extends ObjectOf({
  changeId: field.id('The change.'),
  at: field.dateTime('When it was created.'),
  actor: field.string('Author.'),
  action: field.string('Action, such as `tier.publish`.'),
  entity: field.string('Type of the changed object.'),
  entityId: field.id('Id of the changed object.'),
  entityName: field
    .string('Name of the object at that time; null in entries of earlier versions.')
    .nullable(),
  entityKey: field
    .string("Key in the object's address, if it is neither its id nor the key of the tenant.")
    .nullable(),
  tenantKey: field.string('Tenant affected; null if none.').nullable(),
  reason: field.string('Reason given by the actor.').nullable(),
  changeSetId: field.id('The change set that it applied; null if none.').nullable(),
  changeSetTitle: field.string('Title of that change set.').nullable(),
}) {}

@ObjectType({ description: 'A published state of the policy.' })
export class PolicyRevision extends ObjectOf({
  number: field.int('Grows with every publication.'),
  cause: field.string('`change`: a change was published; `reconcile`: Redis had lost or altered the policy.'),
  publishedAt: field.dateTime('When it was published.'),
  catalogueRevision: field.int('Revision that introduced its catalogue.'),
  hash: field.string('SHA-256 of that catalogue, hex.'),
  size: field
    .int('Size of that catalogue in bytes; null if it was deleted, so that no rollback is possible.')
    .nullable(),
  tenantCount: field.int('Tenants whose records it wrote.'),
  changeCount: field.int('Number of changes.'),
  changes: field.of(() => RevisionChange, 'The first twenty changes.').list(),
}) {}

@ArgsType()
export class RevisionsArgs extends ArgsOf(PageArgs, {
  catalogueOnly: field.boolean('Only revisions with a new catalogue, to roll back to.').optional(false),
}) {}

export const PolicyRevisionConnection = connectionOf(PolicyRevision, 'PolicyRevision', 'revisions');

@ObjectType({ description: 'A difference in a limit, operation, pool or subject rule.' })
export class RevisionDifference extends ObjectOf({
  name: field.string(
    'Name; of a limit prefixed with its API; of a subject rule, dimension, pattern and API.',
  ),
  kind: field.of(() => RevisionDifferenceKind, 'Status.'),
  from: field.string('Old value, in words; null if absent.').nullable(),
  to: field.string('New value, in words; null if absent.').nullable(),
}) {}

@ObjectType({ description: 'A difference in a tier.' })
export class RevisionTierDifference extends ObjectOf({
  key: field.string('Key of the tier.'),
  kind: field.of(() => RevisionDifferenceKind, 'Status.'),
  fromVersion: field.int('Version in force in the one revision.').nullable(),
  toVersion: field.int('Version in force in the other.').nullable(),
  fromWeight: field.int('Share of spare capacity in the one revision.').nullable(),
  toWeight: field.int('Share of spare capacity in the other.').nullable(),
  limits: field.of(() => RevisionDifference, 'Limits that differ.').list(),
}) {}

@ObjectType({ description: 'A difference in an API.' })
export class RevisionApiDifference extends ObjectOf({
  key: field.string('Key of the API.'),
  kind: field.of(() => RevisionDifferenceKind, 'Status.'),
  fromUnknownOperations: field
    .string('Handling of unconfigured operations in the first revision.')
    .nullable(),
  toUnknownOperations: field.string('Handling in the second revision.').nullable(),
  operations: field.of(() => RevisionDifference, 'Operations that differ.').list(),
  pools: field.of(() => RevisionDifference, 'Pools that differ.').list(),
}) {}

@ObjectType({ description: 'The differences between two revisions.' })
export class RevisionDiff extends ObjectOf({
  from: field.int('The revision that is compared.'),
  to: field.int('The revision that it is compared with.'),
  tiers: field.of(() => RevisionTierDifference, 'Tiers that differ, by key.').list(),
  apis: field.of(() => RevisionApiDifference, 'APIs that differ, by key.').list(),
  subjectRules: field
    .of(() => RevisionDifference, 'Rules for subjects of all tenants that differ; starts are not compared.')
    .list(),
}) {}

const revision = z.int().min(1).max(2_147_483_647);

@ObjectType({ description: 'Who made an adjustment of a limit, and why.' })
export class AdjustmentOrigin extends ObjectOf({
  adjustmentId: field.id('The entitlement, override or boost.'),
  actor: field.string('Author.'),
  at: field.dateTime('When it was created.'),
  reason: field.string('Reason given by the author.').nullable(),
  purchaseId: field.id('The purchase that grants it; null if none.').nullable(),
  changeId: field.id('The change that created it.').nullable(),
}) {}

@ObjectType({ description: 'Since when a limit had its value.' })
export class LimitIntroduction extends ObjectOf({
  revision: field.int('The revision that introduced the value.'),
  at: field.dateTime('When the value took effect.'),
  isScheduled: field.boolean('Whether an adjustment started or ended at this time, without a new revision.'),
  changes: field
    .of(() => RevisionChange, "The changes of the tier's limit and of adjustments that introduced the value.")
    .list(),
}) {}

@ObjectType({ description: "A tenant's limit as it was in a revision, with the sources of its value." })
export class LimitLadder extends ObjectOf({
  revision: field.int('The revision.'),
  publishedAt: field.dateTime('When it was published; null if the revision is no longer stored.').nullable(),
  tierKey: field.string("Key of the tenant's tier then."),
  tierName: field.string('Its current name.'),
  tierVersion: field.int('Version of the tier in effect.'),
  limit: field.of(() => EffectiveLimit, 'The limit, without a live counter.'),
  sources: field.of(() => AdjustmentOrigin, 'Authors and reasons of the adjustments.').list(),
  tierChange: field
    .of(
      () => RevisionChange,
      'The change that gave the tenant the limit of its tier: its publication, or a later move of the tenant; null if that is no longer stored.',
    )
    .nullable(),
  introduced: field
    .of(() => LimitIntroduction, 'Since when it had its value; null if that is no longer stored.')
    .nullable(),
}) {}

@ArgsType()
export class LimitLadderArgs extends ArgsOf({
  tenantKey: field.string('Key of the tenant.'),
  apiKey: field.string('Key of the API.'),
  limitName: field.string('Name of the limit.'),
  revision: field.int('The revision; default: the newest.').optional(),
  at: field.dateTime('A time during the revision, for scheduled changes; default: now.').optional(),
  subjectRuleId: field
    .id(
      'A subject rule of the tenant: the limit is that of its subjects, and the rule the last step if it changes the limit.',
    )
    .optional(),
}) {}

export const rollbackSchema = z.object({
  toRevision: revision.describe('Number of the revision to restore.'),
  expectedRevision: revision.describe(
    'The newest revision, which the caller has read; rejected if the policy has changed since, also by a change that is not published yet.',
  ),
  carryOver: withDefault(z.enum(CarryOver), CarryOver.KEEP).describe('Carry-over of existing usage.'),
  subjectRules: withDefault(z.boolean(), true).describe(
    'Whether to restore the rules for subjects of all tenants as well. False leaves them as they are, such as addresses denied since.',
  ),
  reason: optionalNote.refine((reason) => reason !== null, 'Enter a reason'),
});

@InputType({ description: 'The revision to roll back to.' })
export class PolicyRollbackInput extends InputOf(rollbackSchema, MutationInput) {}

@ObjectType({
  description:
    'Result of a rollback. Tiers get new versions; history is kept and tenants stay on their tiers.',
})
export class PolicyRollback extends ObjectOf({
  toRevision: field.int('The restored revision.'),
  tiers: field.string('Keys of tiers with a new version or weight.').list(),
  apis: field.string('Keys of APIs that were changed, restored or deleted.').list(),
  subjectRules: field
    .string('Rules for subjects of all tenants that were set or removed, such as `ip 203.0.113.0/24`.')
    .list(),
  kept: field
    .string('Keys of tiers and APIs newer than that revision that are in use and stay unchanged.')
    .list(),
}) {}

@ObjectType({ description: 'Outcome of a rollback.' })
export class PolicyRollbackPayload extends ObjectOf(PublishedPayload, {
  rollback: field.of(() => PolicyRollback, 'What was restored.').nullable(),
}) {}
