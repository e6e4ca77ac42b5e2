import { ArgsType, Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime, Json, SafeInt } from '../../../platform/graphql/scalars.js';
import { ActorKind } from '../../../platform/prisma/schema.js';

registerEnumType(ActorKind, {
  name: 'ActorKind',
  description: 'What kind of caller made a change.',
  valuesMap: {
    USER: { description: 'A person who was signed in.' },
    TOKEN: { description: 'A service token.' },
    SYSTEM: { description: 'Tollgate itself.' },
  },
});

@ObjectType({ implements: () => [Node], description: 'One change, as it was made. Entries never change.' })
export class AuditEntry extends Node {
  @Field(() => DateTime, { description: 'When.' })
  at!: Date;

  @Field({ description: 'Who: an address, a token name, or `setup`.' })
  actor!: string;

  @Field(() => ID, { nullable: true, description: 'Id of the user, token or job; null in old entries.' })
  actorId!: string | null;

  @Field(() => ActorKind, { description: 'What kind of caller that is.' })
  actorKind!: ActorKind;

  @Field({ description: 'What was done, such as `tier.publish`.' })
  action!: string;

  @Field({ description: 'Type of what was changed, such as `Tier`.' })
  entity!: string;

  @Field({ description: 'Id of what was changed.' })
  entityId!: string;

  @Field(() => String, { nullable: true, description: 'The tenant that it concerns; null when none.' })
  tenantKey!: string | null;

  @Field(() => Json, { nullable: true, description: 'The object before; null when it was created.' })
  before!: unknown;

  @Field(() => Json, { nullable: true, description: 'The object after; null when it was removed.' })
  after!: unknown;

  @Field(() => String, { nullable: true, description: 'Why, in the words of the actor.' })
  reason!: string | null;

  @Field(() => String, { nullable: true, description: 'The request that did it, as in the logs.' })
  requestId!: string | null;

  @Field(() => ID, { description: 'The change that it is a part of, as `propagation` knows it.' })
  changeId!: string;

  @Field(() => String, { nullable: true, description: 'Network address that the request came from.' })
  address!: string | null;

  @Field(() => String, { nullable: true, description: 'Program that sent the request, as it calls itself.' })
  userAgent!: string | null;

  @Field({ description: "The chain that it belongs to: the tenant's key, or `~platform`." })
  chain!: string;

  @Field(() => SafeInt, { description: 'Place in its chain, from 1, without gaps.' })
  sequence!: bigint;

  @Field({ description: 'Hash of the entry before it in its chain; zeros for the first.' })
  previousHash!: string;

  @Field({ description: 'SHA-256 over all that the entry says and `previousHash`.' })
  hash!: string;
}

export const AuditEntryConnection = connectionOf(AuditEntry, 'AuditEntry', 'audit entries');

@ArgsType()
export class AuditEntriesArgs extends PageArgs {
  @Field(() => String, {
    nullable: true,
    description: "Only changes that concern the tenant of this key. A tenant's own people have to name it.",
  })
  tenant?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only changes of this type of object, such as `Tier`.',
  })
  entity?: string | null;

  @Field(() => String, { nullable: true, description: 'Only changes of the object of this id.' })
  entityId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only changes of this actor: its id or its whole name.',
  })
  actor?: string | null;

  @Field(() => String, { nullable: true, description: 'Only changes of this kind, such as `tier.publish`.' })
  action?: string | null;

  @Field(() => DateTime, { nullable: true, description: 'Only changes from this instant on.' })
  from?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Only changes before this instant.' })
  to?: Date | null;
}

@ObjectType({ description: 'Where a chain of the audit trail does not hold.' })
export class AuditBreak {
  @Field({ description: 'The chain.' })
  chain!: string;

  @Field(() => SafeInt, { description: 'Place of the first entry that does not fit, or that is missing.' })
  sequence!: number;

  @Field(() => ID, { nullable: true, description: 'The entry that stands there; null when none does.' })
  entryId!: string | null;

  @Field({
    description:
      'What is wrong: `gap`, `link`, `content`, `version` of an entry; `truncated`, `head`, `signature` beside its signed head.',
  })
  problem!: string;
}

@ObjectType({ description: 'What a verification of the audit trail found.' })
export class AuditVerification {
  @Field({ description: 'Whether every chain holds.' })
  ok!: boolean;

  @Field(() => Int, { description: 'How many chains were verified.' })
  chains!: number;

  @Field(() => SafeInt, { description: 'How many entries were verified.' })
  entries!: number;

  @Field(() => Int, {
    description: 'Chains whose head was not signed yet: of these, a cut off end would not be found.',
  })
  unsignedChains!: number;

  @Field(() => Int, { description: 'How many chains do not hold.' })
  brokenChains!: number;

  @Field(() => [AuditBreak], { description: 'The first broken link of each, of at most 100 chains.' })
  breaks!: AuditBreak[];

  @Field({ description: 'PEM of the key that heads are signed with; what signs an export too.' })
  publicKey!: string;
}
