import { ArgsType, Field, ID, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { MutationInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { DateTime } from '../../../platform/graphql/scalars.js';
import { CarryOver } from '../../../platform/prisma/schema.js';

export enum RevisionDifferenceKind {
  ADDED = 'ADDED',
  REMOVED = 'REMOVED',
  CHANGED = 'CHANGED',
}

registerEnumType(RevisionDifferenceKind, {
  name: 'RevisionDifferenceKind',
  description: 'Kind of difference between two revisions.',
  valuesMap: {
    ADDED: { description: 'Only in the later one.' },
    REMOVED: { description: 'Only in the earlier one.' },
    CHANGED: { description: 'Different in both.' },
  },
});

@ObjectType({ description: 'A change in a revision, by its first audit entry.' })
export class RevisionChange {
  @Field(() => ID, { description: 'The change.' })
  changeId!: string;

  @Field(() => DateTime, { description: 'When it was created.' })
  at!: Date;

  @Field({ description: 'Author.' })
  actor!: string;

  @Field({ description: 'Action, such as `tier.publish`.' })
  action!: string;

  @Field({ description: 'Type of the changed object.' })
  entity!: string;

  @Field(() => ID, { description: 'Id of the changed object.' })
  entityId!: string;

  @Field(() => String, { nullable: true, description: 'Reason given by the actor.' })
  reason!: string | null;
}

@ObjectType({ description: 'A published state of the policy.' })
export class PolicyRevision {
  @Field(() => Int, { description: 'Grows with every publication.' })
  number!: number;

  @Field({
    description: '`change`: a change was published; `reconcile`: Redis had lost or altered the policy.',
  })
  cause!: string;

  @Field(() => DateTime, { description: 'When it was published.' })
  publishedAt!: Date;

  @Field(() => Int, { description: 'Revision that introduced its catalogue.' })
  catalogueRevision!: number;

  @Field({ description: 'SHA-256 of that catalogue, hex.' })
  hash!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'Size of that catalogue in bytes; null if it was deleted, so that no rollback is possible.',
  })
  size!: number | null;

  @Field(() => Int, { description: 'Tenants whose records it wrote.' })
  tenantCount!: number;

  @Field(() => Int, { description: 'Number of changes.' })
  changeCount!: number;

  @Field(() => [RevisionChange], { description: 'The first twenty changes.' })
  changes!: RevisionChange[];
}

@ArgsType()
export class RevisionsArgs extends PageArgs {
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'Only revisions with a new catalogue, to roll back to.',
  })
  catalogueOnly?: boolean | null;
}

export const PolicyRevisionConnection = connectionOf(PolicyRevision, 'PolicyRevision', 'revisions');

@ObjectType({ description: 'A difference in a limit, operation or pool.' })
export class RevisionDifference {
  @Field({ description: 'Name; of a limit prefixed with its API.' })
  name!: string;

  @Field(() => RevisionDifferenceKind, { description: 'Status.' })
  kind!: RevisionDifferenceKind;

  @Field(() => String, { nullable: true, description: 'Old value, in words; null if absent.' })
  from!: string | null;

  @Field(() => String, { nullable: true, description: 'New value, in words; null if absent.' })
  to!: string | null;
}

@ObjectType({ description: 'A difference in a tier.' })
export class RevisionTierDifference {
  @Field({ description: 'Key of the tier.' })
  key!: string;

  @Field(() => RevisionDifferenceKind, { description: 'Status.' })
  kind!: RevisionDifferenceKind;

  @Field(() => Int, { nullable: true, description: 'Version in force in the one revision.' })
  fromVersion!: number | null;

  @Field(() => Int, { nullable: true, description: 'Version in force in the other.' })
  toVersion!: number | null;

  @Field(() => Int, { nullable: true, description: 'Share of spare capacity in the one revision.' })
  fromWeight!: number | null;

  @Field(() => Int, { nullable: true, description: 'Share of spare capacity in the other.' })
  toWeight!: number | null;

  @Field(() => [RevisionDifference], { description: 'Limits that differ.' })
  limits!: RevisionDifference[];
}

@ObjectType({ description: 'A difference in an API.' })
export class RevisionApiDifference {
  @Field({ description: 'Key of the API.' })
  key!: string;

  @Field(() => RevisionDifferenceKind, { description: 'Status.' })
  kind!: RevisionDifferenceKind;

  @Field(() => String, {
    nullable: true,
    description: 'Handling of unconfigured operations in the first revision.',
  })
  fromUnknownOperations!: string | null;

  @Field(() => String, { nullable: true, description: 'Handling in the second revision.' })
  toUnknownOperations!: string | null;

  @Field(() => [RevisionDifference], { description: 'Operations that differ.' })
  operations!: RevisionDifference[];

  @Field(() => [RevisionDifference], { description: 'Pools that differ.' })
  pools!: RevisionDifference[];
}

@ObjectType({ description: 'The differences between two revisions.' })
export class RevisionDiff {
  @Field(() => Int, { description: 'The revision that is compared.' })
  from!: number;

  @Field(() => Int, { description: 'The revision that it is compared with.' })
  to!: number;

  @Field(() => [RevisionTierDifference], { description: 'Tiers that differ, by key.' })
  tiers!: RevisionTierDifference[];

  @Field(() => [RevisionApiDifference], { description: 'APIs that differ, by key.' })
  apis!: RevisionApiDifference[];
}

@InputType({ description: 'The revision to roll back to.' })
export class PolicyRollbackInput extends MutationInput {
  @Field(() => Int, { description: 'Number of the revision to restore.' })
  toRevision!: number;

  @Field(() => Int, { description: 'The newest revision that the caller has read.' })
  expectedRevision!: number;

  @Field(() => CarryOver, {
    nullable: true,
    defaultValue: CarryOver.KEEP,
    description: 'Carry-over of existing usage.',
  })
  carryOver?: CarryOver | null;
}

@ObjectType({
  description:
    'Result of a rollback. Tiers get new versions; history is kept and tenants stay on their tiers.',
})
export class PolicyRollback {
  @Field(() => Int, { description: 'The restored revision.' })
  toRevision!: number;

  @Field(() => [String], { description: 'Keys of tiers with a new version or weight.' })
  tiers!: string[];

  @Field(() => [String], { description: 'Keys of APIs that were changed, restored or deleted.' })
  apis!: string[];

  @Field(() => [String], {
    description: 'Keys of tiers and APIs newer than that revision that are in use and stay unchanged.',
  })
  kept!: string[];
}

@ObjectType({ description: 'Outcome of a rollback.' })
export class PolicyRollbackPayload extends PublishedPayload {
  @Field(() => PolicyRollback, { nullable: true, description: 'What was restored.' })
  rollback!: PolicyRollback | null;
}
