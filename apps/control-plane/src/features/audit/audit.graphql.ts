import { ArgsType, Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import { connectionOf, PageArgs } from '../../platform/graphql/connection.js';
import { Node } from '../../platform/graphql/node.js';
import { DateTime, Json } from '../../platform/graphql/scalars.js';
import { ActorKind } from '../../platform/prisma/schema.js';

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
}

export const AuditEntryConnection = connectionOf(AuditEntry, 'AuditEntry', 'audit entries');

@ArgsType()
export class AuditEntriesArgs extends PageArgs {
  @Field(() => String, { nullable: true, description: 'Only changes that concern the tenant of this key.' })
  tenant?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only changes of this type of object, such as `Tier`.',
  })
  entity?: string | null;
}
