import { ArgsType, Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime, Json, SafeInt } from '../../../platform/graphql/scalars.js';
import { ActorKind } from '../../../platform/prisma/schema.js';

registerEnumType(ActorKind, {
  name: 'ActorKind',
  description: 'Kind of caller.',
  valuesMap: {
    USER: { description: 'A signed-in user.' },
    TOKEN: { description: 'A service token.' },
    SYSTEM: { description: 'Tollgate itself.' },
  },
});

@ObjectType({ implements: () => [Node], description: 'One recorded change. Entries are immutable.' })
export class AuditEntry extends Node {
  @Field(() => DateTime, { description: 'Time.' })
  at!: Date;

  @Field({ description: 'Actor: an email address, a token name, or `setup`.' })
  actor!: string;

  @Field(() => ID, { nullable: true, description: 'Id of the user, token or job; null in old entries.' })
  actorId!: string | null;

  @Field(() => ActorKind, { description: 'Kind of caller.' })
  actorKind!: ActorKind;

  @Field({ description: 'Action, such as `tier.publish`.' })
  action!: string;

  @Field({ description: 'Type of the changed object, such as `Tier`.' })
  entity!: string;

  @Field({ description: 'Id of the changed object.' })
  entityId!: string;

  @Field(() => String, { nullable: true, description: 'Tenant affected; null if none.' })
  tenantKey!: string | null;

  @Field(() => Json, { nullable: true, description: 'The object before; null when it was created.' })
  before!: unknown;

  @Field(() => Json, { nullable: true, description: 'The object after; null when it was removed.' })
  after!: unknown;

  @Field(() => String, { nullable: true, description: 'Reason given by the actor.' })
  reason!: string | null;

  @Field(() => String, { nullable: true, description: 'Request id, as in the logs.' })
  requestId!: string | null;

  @Field(() => ID, { description: 'The change it belongs to, for `propagation`.' })
  changeId!: string;

  @Field(() => String, { nullable: true, description: 'Network address of the client.' })
  address!: string | null;

  @Field(() => String, { nullable: true, description: 'User agent of the client.' })
  userAgent!: string | null;

  @Field({ description: "Its chain: the tenant's key, or `~platform`." })
  chain!: string;

  @Field(() => SafeInt, { description: 'Position in its chain, from 1, without gaps.' })
  sequence!: bigint;

  @Field({ description: 'Hash of the entry before it in its chain; zeros for the first.' })
  previousHash!: string;

  @Field({ description: 'SHA-256 over the entry and `previousHash`.' })
  hash!: string;
}

export const AuditEntryConnection = connectionOf(AuditEntry, 'AuditEntry', 'audit entries');

@ArgsType()
export class AuditEntriesArgs extends PageArgs {
  @Field(() => String, {
    nullable: true,
    description: 'Only changes of this tenant. Required for members of a tenant.',
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
    description: 'Only changes by this actor: id or full name.',
  })
  actor?: string | null;

  @Field(() => String, { nullable: true, description: 'Only changes of this kind, such as `tier.publish`.' })
  action?: string | null;

  @Field(() => DateTime, { nullable: true, description: 'Only changes from this instant on.' })
  from?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Only changes before this instant.' })
  to?: Date | null;
}

@ObjectType({ description: 'A broken link of an audit chain.' })
export class AuditBreak {
  @Field({ description: 'The chain.' })
  chain!: string;

  @Field(() => SafeInt, { description: 'Position of the first invalid or missing entry.' })
  sequence!: number;

  @Field(() => ID, { nullable: true, description: 'The entry at this position; null if missing.' })
  entryId!: string | null;

  @Field({
    description:
      'Problem: `gap`, `link`, `content`, `version` of an entry; `truncated`, `head`, `signature` compared with its signed head.',
  })
  problem!: string;
}

@ObjectType({ description: 'Result of an integrity check of the audit trail.' })
export class AuditVerification {
  @Field({ description: 'Whether all chains are intact.' })
  ok!: boolean;

  @Field(() => Int, { description: 'How many chains were verified.' })
  chains!: number;

  @Field(() => SafeInt, { description: 'How many entries were verified.' })
  entries!: number;

  @Field(() => Int, {
    description: 'Chains without a signed head yet: truncation of these cannot be detected.',
  })
  unsignedChains!: number;

  @Field(() => Int, { description: 'Number of broken chains.' })
  brokenChains!: number;

  @Field(() => [AuditBreak], { description: 'The first broken link of each, of at most 100 chains.' })
  breaks!: AuditBreak[];

  @Field({ description: 'PEM of the key that signs heads and exports.' })
  publicKey!: string;
}
