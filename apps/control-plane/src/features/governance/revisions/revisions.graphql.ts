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
  description: 'What became of something between two revisions.',
  valuesMap: {
    ADDED: { description: 'Only the later one has it.' },
    REMOVED: { description: 'Only the earlier one has it.' },
    CHANGED: { description: 'Both have it, and it differs.' },
  },
});

@ObjectType({ description: 'A change that a revision carried, by its first entry in the audit trail.' })
export class RevisionChange {
  @Field(() => ID, { description: 'The change.' })
  changeId!: string;

  @Field(() => DateTime, { description: 'When it was made.' })
  at!: Date;

  @Field({ description: 'Who made it.' })
  actor!: string;

  @Field({ description: 'What was done, such as `tier.publish`.' })
  action!: string;

  @Field({ description: 'Type of the object that it was done to.' })
  entity!: string;

  @Field(() => ID, { description: 'That object.' })
  entityId!: string;

  @Field(() => String, { nullable: true, description: 'Why, in words of whoever made it.' })
  reason!: string | null;
}

@ObjectType({ description: 'One published state of the policy, as history keeps it.' })
export class PolicyRevision {
  @Field(() => Int, { description: 'Grows with every publication.' })
  number!: number;

  @Field({
    description: '`change`: something was changed; `reconcile`: Redis had lost or altered what it held.',
  })
  cause!: string;

  @Field(() => DateTime, { description: 'When it was published.' })
  publishedAt!: Date;

  @Field(() => Int, { description: 'Revision that brought the catalogue which this one runs.' })
  catalogueRevision!: number;

  @Field({ description: 'SHA-256 of that catalogue, hex.' })
  hash!: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'Length of that catalogue, bytes; null when it is no longer kept, and nobody can go back to it.',
  })
  size!: number | null;

  @Field(() => Int, { description: 'Tenants whose records it wrote.' })
  tenantCount!: number;

  @Field(() => Int, { description: 'Changes that it carried.' })
  changeCount!: number;

  @Field(() => [RevisionChange], { description: 'The first twenty of these changes, and who made them.' })
  changes!: RevisionChange[];
}

@ArgsType()
export class RevisionsArgs extends PageArgs {
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'Only those that brought another catalogue: the ones to go back to.',
  })
  catalogueOnly?: boolean | null;
}

export const PolicyRevisionConnection = connectionOf(PolicyRevision, 'PolicyRevision', 'revisions');

@ObjectType({ description: 'What differs in one limit, operation or pool.' })
export class RevisionDifference {
  @Field({ description: 'Its name; of a limit with its API before it.' })
  name!: string;

  @Field(() => RevisionDifferenceKind, { description: 'What became of it.' })
  kind!: RevisionDifferenceKind;

  @Field(() => String, { nullable: true, description: 'What it was, in words; null when it was not there.' })
  from!: string | null;

  @Field(() => String, { nullable: true, description: 'What it is, in words; null when it is not there.' })
  to!: string | null;
}

@ObjectType({ description: 'What differs in what tenants of a tier get.' })
export class RevisionTierDifference {
  @Field({ description: 'Key of the tier.' })
  key!: string;

  @Field(() => RevisionDifferenceKind, { description: 'What became of it.' })
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

@ObjectType({ description: 'What differs in an API.' })
export class RevisionApiDifference {
  @Field({ description: 'Key of the API.' })
  key!: string;

  @Field(() => RevisionDifferenceKind, { description: 'What became of it.' })
  kind!: RevisionDifferenceKind;

  @Field(() => String, {
    nullable: true,
    description: 'What unconfigured operations got in the one revision.',
  })
  fromUnknownOperations!: string | null;

  @Field(() => String, { nullable: true, description: 'What they get in the other.' })
  toUnknownOperations!: string | null;

  @Field(() => [RevisionDifference], { description: 'Operations that differ.' })
  operations!: RevisionDifference[];

  @Field(() => [RevisionDifference], { description: 'Pools that differ.' })
  pools!: RevisionDifference[];
}

@ObjectType({ description: 'What nodes run under one revision and not, or differently, under another.' })
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

@InputType({ description: 'Which revision to go back to.' })
export class PolicyRollbackInput extends MutationInput {
  @Field(() => Int, { description: 'Number of the revision whose catalogue nodes are to run again.' })
  toRevision!: number;

  @Field(() => Int, { description: 'The newest revision that the caller has seen.' })
  expectedRevision!: number;

  @Field(() => CarryOver, {
    nullable: true,
    defaultValue: CarryOver.KEEP,
    description: 'What becomes of what tenants have used under the versions in force.',
  })
  carryOver?: CarryOver | null;
}

@ObjectType({
  description:
    'What a rollback restored. Tiers got new versions: nothing is taken out of history, and tenants stay on their tiers.',
})
export class PolicyRollback {
  @Field(() => Int, { description: 'The revision that was gone back to.' })
  toRevision!: number;

  @Field(() => [String], { description: 'Keys of the tiers that got a new version, or their old weight.' })
  tiers!: string[];

  @Field(() => [String], { description: 'Keys of the APIs that changed, came back or went.' })
  apis!: string[];

  @Field(() => [String], {
    description: 'Keys of tiers and APIs that are newer than that revision, in use, and stay as they are.',
  })
  kept!: string[];
}

@ObjectType({ description: 'Outcome of a rollback.' })
export class PolicyRollbackPayload extends PublishedPayload {
  @Field(() => PolicyRollback, { nullable: true, description: 'What was restored.' })
  rollback!: PolicyRollback | null;
}
