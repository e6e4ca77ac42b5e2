import { Field, ID, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { connectionOf } from '../../../platform/graphql/connection.js';
import { Impact, MutationInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime, Json, JsonObject } from '../../../platform/graphql/scalars.js';
import { UserError } from '../../../platform/graphql/user-error.graphql.js';
import { ChangeSetStatus } from '../../../platform/prisma/schema.js';

registerEnumType(ChangeSetStatus, {
  name: 'ChangeSetStatus',
  description: 'Status of a change set.',
  valuesMap: {
    DRAFT: { description: 'Items can be added.' },
    SUBMITTED: { description: 'Waiting for approval.' },
    APPROVED: { description: 'Ready to apply.' },
    SCHEDULED: { description: 'Will be applied at `scheduledAt`.' },
    APPLIED: { description: 'Was applied.' },
    FAILED: { description: 'Was due but could not be applied; nothing changed.' },
    REJECTED: { description: 'Rejected by a reviewer.' },
    CANCELLED: { description: 'Canceled.' },
  },
});

@ObjectType({ description: 'A mutation that change sets support.' })
export class ChangeSetCommand {
  @Field({ description: 'Name of the mutation.' })
  name!: string;

  @Field({
    description: "Type of the mutation's input; `expectedVersion`, `dryRun` and `force` are left out.",
  })
  inputType!: string;

  @Field({ description: 'Permission required to add or apply it.' })
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
  @Field({ description: 'Path of the field, such as `limits`; empty for the whole object.' })
  path!: string;

  @Field(() => Json, { nullable: true, description: 'Before.' })
  before!: unknown;

  @Field(() => Json, { nullable: true, description: 'After.' })
  after!: unknown;
}

@ObjectType({ description: 'An object that a change set changes.' })
export class ChangeSetDiffEntry {
  @Field(() => Int, { description: 'Index of the item, from 0.' })
  item!: number;

  @Field({ description: 'Action, as in the audit trail.' })
  action!: string;

  @Field({ description: 'Type of the object, such as `Tier`.' })
  entity!: string;

  @Field({ description: 'Id of the object; empty if it is created.' })
  entityId!: string;

  @Field(() => String, { nullable: true, description: 'Tenant affected; null if none.' })
  tenantKey!: string | null;

  @Field(() => [ChangeSetField], { description: 'Changed fields.' })
  fields!: ChangeSetField[];
}

@ObjectType({ description: 'The effect of a change set now, or when it was applied.' })
export class ChangeSetDiff {
  @Field(() => [ChangeSetDiffEntry], { description: 'The objects that change, in order.' })
  entries!: ChangeSetDiffEntry[];

  @Field(() => Impact, {
    nullable: true,
    description: 'Affected tenants; null once applied, and if no policy changes.',
  })
  impact!: Impact | null;

  @Field(() => [UserError], {
    description: 'Why it cannot be applied; paths start with `items` and the index.',
  })
  errors!: UserError[];

  @Field({ description: 'Whether its effect has changed since it was submitted or approved.' })
  stale!: boolean;
}

@ObjectType({
  implements: () => [Node],
  description: 'Policy changes that are reviewed and applied together.',
})
export class ChangeSet extends Node {
  @Field({ description: 'Title.' })
  title!: string;

  @Field({ description: 'Description.' })
  description!: string;

  @Field(() => ChangeSetStatus, { description: 'Status.' })
  status!: ChangeSetStatus;

  @Field(() => Int, { description: 'Incremented by every change, for `expectedVersion`.' })
  version!: number;

  @Field({ description: 'Author.' })
  author!: string;

  @Field(() => String, { nullable: true, description: 'Reviewer.' })
  reviewedBy!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was approved or rejected.' })
  reviewedAt!: Date | null;

  @Field({ description: 'Whether it needs approval by a second person.' })
  needsApproval!: boolean;

  @Field(() => String, { nullable: true, description: 'Note of the reviewer.' })
  note!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it is scheduled to be applied.' })
  scheduledAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was applied.' })
  appliedAt!: Date | null;

  @Field(() => String, { nullable: true, description: 'Who applied it.' })
  appliedBy!: string | null;

  @Field(() => ID, { nullable: true, description: 'The change that applied it, for `propagation`.' })
  changeId!: string | null;

  @Field(() => ID, { nullable: true, description: 'The set that this one reverts.' })
  revertsId!: string | null;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: Date;

  @Field(() => [ChangeSetItem], { description: 'Items, in the order of application.' })
  items!: ChangeSetItem[];

  @Field(() => ChangeSetDiff, {
    description: 'Its effect now, computed by a dry run; once applied, its recorded effect.',
  })
  diff!: ChangeSetDiff;
}

export const ChangeSetConnection = connectionOf(ChangeSet, 'ChangeSet', 'change sets');

@InputType({ description: 'A new change set.' })
export class ChangeSetCreateInput extends MutationInput {
  @Field({ description: 'Title.' })
  title!: string;

  @Field(() => String, { nullable: true, description: 'Description.' })
  description?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Requires approval by a second person, even if the installation does not.',
  })
  needsApproval?: boolean | null;
}

@InputType({ description: 'A change set and the version that the caller has read.' })
export class ChangeSetInput extends MutationInput {
  @Field(() => ID, { description: 'Id of the change set.' })
  id!: string;

  @Field(() => Int, { description: 'Version that the caller has read.' })
  expectedVersion!: number;
}

@InputType({ description: 'An item to add.' })
export class ChangeSetAddItemInput extends ChangeSetInput {
  @Field({ description: 'Name of a mutation, one of `changeSetCommands`.' })
  command!: string;

  @Field(() => JsonObject, {
    description: "The mutation's input; `expectedVersion`, `dryRun` and `force` are left out.",
  })
  input!: Record<string, unknown>;
}

@InputType({ description: 'An item to remove.' })
export class ChangeSetRemoveItemInput extends ChangeSetInput {
  @Field(() => ID, { description: 'Id of the item.' })
  itemId!: string;
}

@InputType({ description: 'A review.' })
export class ChangeSetReviewInput extends ChangeSetInput {
  @Field(() => String, { nullable: true, description: 'Note to the author.' })
  note?: string | null;
}

@InputType({ description: 'Schedules a change set.' })
export class ChangeSetScheduleInput extends ChangeSetInput {
  @Field(() => DateTime, { description: 'When; in the future.' })
  at!: Date;
}

@ObjectType({ description: 'Outcome of a mutation of a change set.' })
export class ChangeSetPayload extends PublishedPayload {
  @Field(() => ChangeSet, { nullable: true, description: 'The change set after the step.' })
  changeSet!: ChangeSet | null;
}
