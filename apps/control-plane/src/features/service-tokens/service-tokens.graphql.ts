import { Field, ID, InputType, ObjectType } from '@nestjs/graphql';
import { MutationInput, MutationPayload } from '../../platform/graphql/mutation.graphql.js';
import { Node } from '../../platform/graphql/node.js';
import { DateTime } from '../../platform/graphql/scalars.js';

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
export class ServiceTokenCreateInput extends MutationInput {
  @Field({ description: 'What it is for.' })
  name!: string;

  @Field(() => [String], {
    description: '`decide`: may call the decision API. `admin`: may use this GraphQL API. At least one.',
  })
  scopes!: string[];

  @Field(() => DateTime, { nullable: true, description: 'When it stops working; never when left out.' })
  expiresAt?: Date | null;
}

@InputType({ description: 'Which service token to revoke.' })
export class ServiceTokenRevokeInput extends MutationInput {
  @Field(() => ID, { description: 'Id of the token.' })
  id!: string;
}

@ObjectType({ description: 'Outcome of issuing a service token.' })
export class ServiceTokenCreatePayload extends MutationPayload {
  @Field(() => ServiceToken, { nullable: true, description: 'The new service token.' })
  serviceToken!: ServiceToken | null;

  @Field(() => String, {
    nullable: true,
    description: 'The token itself. This is the only time that it is shown.',
  })
  token!: string | null;
}

@ObjectType({ description: 'Outcome of a change to a service token.' })
export class ServiceTokenPayload extends MutationPayload {
  @Field(() => ServiceToken, { nullable: true, description: 'The service token after the change.' })
  serviceToken!: ServiceToken | null;
}
