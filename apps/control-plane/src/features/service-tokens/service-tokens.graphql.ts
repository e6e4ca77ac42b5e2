import { Field, ID, InputType, ObjectType } from '@nestjs/graphql';
import { Node } from '../../platform/graphql/node.js';
import { DateTime } from '../../platform/graphql/scalars.js';
import { UserError } from '../../platform/graphql/user-error.graphql.js';

@ObjectType({
  implements: () => [Node],
  description: "A machine's credential. The token itself is never kept.",
})
export class ServiceToken extends Node {
  @Field({ description: 'What it is for.' })
  name!: string;

  @Field({ description: 'The part of the token that may be shown.' })
  publicId!: string;

  @Field({ description: 'The last four characters of the token.' })
  lastFour!: string;

  @Field(() => [String], { description: 'What it may do: `decide` or `admin`.' })
  scopes!: string[];

  @Field(() => DateTime, { description: 'When it was issued.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it stops working; null: never.' })
  expiresAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was revoked; null: it was not.' })
  revokedAt!: Date | null;
}

@InputType({ description: 'A new service token.' })
export class ServiceTokenCreateInput {
  @Field({ description: 'What it is for.' })
  name!: string;

  @Field(() => [String], {
    description: '`decide`: may call the decision API. `admin`: may use this GraphQL API. At least one.',
  })
  scopes!: string[];

  @Field(() => DateTime, { nullable: true, description: 'When it stops working; never when left out.' })
  expiresAt?: Date | null;

  @Field(() => String, { nullable: true, description: 'Why, for the audit trail.' })
  reason?: string | null;
}

@InputType({ description: 'Which service token to revoke.' })
export class ServiceTokenRevokeInput {
  @Field(() => ID, { description: 'Id of the token.' })
  id!: string;

  @Field(() => String, { nullable: true, description: 'Why, for the audit trail.' })
  reason?: string | null;
}

@ObjectType({ description: 'Outcome of issuing a service token.' })
export class ServiceTokenCreatePayload {
  @Field(() => ServiceToken, { nullable: true, description: 'The new service token.' })
  serviceToken!: ServiceToken | null;

  @Field(() => String, {
    nullable: true,
    description: 'The token itself. This is the only time that it is shown.',
  })
  token!: string | null;

  @Field(() => [UserError], { description: 'Why nothing changed; empty on success.' })
  userErrors!: UserError[];
}

@ObjectType({ description: 'Outcome of a change to a service token.' })
export class ServiceTokenPayload {
  @Field(() => ServiceToken, { nullable: true, description: 'The service token after the change.' })
  serviceToken!: ServiceToken | null;

  @Field(() => [UserError], { description: 'Why nothing changed; empty on success.' })
  userErrors!: UserError[];
}
