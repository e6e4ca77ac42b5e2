import { Field, ID, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { connectionOf } from '../../../platform/graphql/connection.js';
import { Impact, MutationInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime, Json, JsonObject } from '../../../platform/graphql/scalars.js';
import { UserError } from '../../../platform/graphql/user-error.graphql.js';
import { ChangeSetStatus } from '../../../platform/prisma/schema.js';

registerEnumType(ChangeSetStatus, {
  name: 'ChangeSetStatus',
  description: 'How far a change set has come.',
  valuesMap: {
    DRAFT: { description: 'Changes are being collected.' },
    SUBMITTED: { description: 'Waits for a second person.' },
    APPROVED: { description: 'May be applied.' },
    SCHEDULED: { description: 'Will be applied at its time.' },
    APPLIED: { description: 'Was applied.' },
    FAILED: { description: 'Was due and could not be applied; nothing of it was.' },
    REJECTED: { description: 'A second person said no.' },
    CANCELLED: { description: 'Was given up.' },
  },
});

@ObjectType({ description: 'A mutation that a change set may hold.' })
export class ChangeSetCommand {
  @Field({ description: 'Name of the mutation.' })
  name!: string;

  @Field({
    description: "Type of the mutation's input; `expectedVersion`, `dryRun` and `force` are left out.",
  })
  inputType!: string;

  @Field({ description: 'What whoever collects or applies it needs.' })
  permission!: string;
}

@ObjectType({ description: 'One change of a set.' })
export class ChangeSetItem {
  @Field(() => ID, { description: 'Id of the item.' })
  id!: string;

  @Field({ description: 'Name of the mutation.' })
  command!: string;

  @Field(() => Json, { description: 'Its input.' })
  input!: unknown;
}

@ObjectType({ description: 'A field that a change set changes.' })
export class ChangeSetField {
  @Field({ description: 'Path of the field, such as `limits`; empty for the object as a whole.' })
  path!: string;

  @Field(() => Json, { nullable: true, description: 'Before.' })
  before!: unknown;

  @Field(() => Json, { nullable: true, description: 'After.' })
  after!: unknown;
}

@ObjectType({ description: 'An object that a change set changes.' })
export class ChangeSetDiffEntry {
  @Field(() => Int, { description: 'Which item does it, counted from 0.' })
  item!: number;

  @Field({ description: 'What is done, as the audit trail names it.' })
  action!: string;

  @Field({ description: 'Type of the object, such as `Tier`.' })
  entity!: string;

  @Field({ description: 'Id of the object; empty when it is only made.' })
  entityId!: string;

  @Field(() => String, { nullable: true, description: 'The tenant that it concerns; null when none.' })
  tenantKey!: string | null;

  @Field(() => [ChangeSetField], { description: 'What changes in it.' })
  fields!: ChangeSetField[];
}

@ObjectType({ description: 'What a change set would do now, or did.' })
export class ChangeSetDiff {
  @Field(() => [ChangeSetDiffEntry], { description: 'The objects that change, in order.' })
  entries!: ChangeSetDiffEntry[];

  @Field(() => Impact, {
    nullable: true,
    description: 'Whom it would reach; null once applied, and where no policy changes.',
  })
  impact!: Impact | null;

  @Field(() => [UserError], {
    description: 'Why it cannot be applied; paths begin with `items` and the place.',
  })
  errors!: UserError[];

  @Field({ description: 'Whether it would do something else by now than when it was submitted or approved.' })
  stale!: boolean;
}

@ObjectType({
  implements: () => [Node],
  description: 'Changes of policy, looked at together and made together.',
})
export class ChangeSet extends Node {
  @Field({ description: 'What it is about.' })
  title!: string;

  @Field({ description: 'More about it.' })
  description!: string;

  @Field(() => ChangeSetStatus, { description: 'How far it has come.' })
  status!: ChangeSetStatus;

  @Field(() => Int, { description: 'Raised by every change; what `expectedVersion` is compared with.' })
  version!: number;

  @Field({ description: 'Who began it.' })
  author!: string;

  @Field(() => String, { nullable: true, description: 'Who approved or rejected it.' })
  reviewedBy!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was approved or rejected.' })
  reviewedAt!: Date | null;

  @Field({ description: 'Whether a second person has to approve it.' })
  needsApproval!: boolean;

  @Field(() => String, { nullable: true, description: 'What the reviewer said.' })
  note!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it is to be applied by itself.' })
  scheduledAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was applied.' })
  appliedAt!: Date | null;

  @Field(() => String, { nullable: true, description: 'Who applied it.' })
  appliedBy!: string | null;

  @Field(() => ID, { nullable: true, description: 'The change that applied it: ask `propagation` with it.' })
  changeId!: string | null;

  @Field(() => ID, { nullable: true, description: 'The set that this one takes back.' })
  revertsId!: string | null;

  @Field(() => DateTime, { description: 'When it was begun.' })
  createdAt!: Date;

  @Field(() => [ChangeSetItem], { description: 'Its changes, in the order in which they are made.' })
  items!: ChangeSetItem[];

  @Field(() => ChangeSetDiff, {
    description: 'What it would do now; once applied, what it did. Tried and taken back each time.',
  })
  diff!: ChangeSetDiff;
}

export const ChangeSetConnection = connectionOf(ChangeSet, 'ChangeSet', 'change sets');

@InputType({ description: 'A new change set.' })
export class ChangeSetCreateInput extends MutationInput {
  @Field({ description: 'What it is about.' })
  title!: string;

  @Field(() => String, { nullable: true, description: 'More about it.' })
  description?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether a second person has to approve it, also where the installation asks for none.',
  })
  needsApproval?: boolean | null;
}

@InputType({ description: 'Which change set, as it was seen.' })
export class ChangeSetInput extends MutationInput {
  @Field(() => ID, { description: 'Id of the change set.' })
  id!: string;

  @Field(() => Int, { description: 'The version that was seen.' })
  expectedVersion!: number;
}

@InputType({ description: 'A change to collect.' })
export class ChangeSetAddItemInput extends ChangeSetInput {
  @Field({ description: 'Name of a mutation, one of `changeSetCommands`.' })
  command!: string;

  @Field(() => JsonObject, {
    description: "The mutation's input; `expectedVersion`, `dryRun` and `force` are left out.",
  })
  input!: Record<string, unknown>;
}

@InputType({ description: 'A change to take out.' })
export class ChangeSetRemoveItemInput extends ChangeSetInput {
  @Field(() => ID, { description: 'Id of the item.' })
  itemId!: string;
}

@InputType({ description: "A reviewer's answer." })
export class ChangeSetReviewInput extends ChangeSetInput {
  @Field(() => String, { nullable: true, description: 'A word to the author.' })
  note?: string | null;
}

@InputType({ description: 'When a change set is to be applied.' })
export class ChangeSetScheduleInput extends ChangeSetInput {
  @Field(() => DateTime, { description: 'When; in the future.' })
  at!: Date;
}

@ObjectType({ description: 'Outcome of a step of a change set.' })
export class ChangeSetPayload extends PublishedPayload {
  @Field(() => ChangeSet, { nullable: true, description: 'The change set after the step.' })
  changeSet!: ChangeSet | null;
}
