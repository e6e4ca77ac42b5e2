import { Extensions, Field, ID, InputType, Int, ObjectType } from '@nestjs/graphql';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { DateTime } from '../../../platform/graphql/scalars.js';

@ObjectType({ description: 'A session: one browser that is signed in.' })
export class AccountSession {
  @Field(() => ID, { description: 'Id of the session.' })
  id!: string;

  @Field(() => String, { nullable: true, description: 'User agent of the browser that signed in.' })
  userAgent!: string | null;

  @Field(() => String, { nullable: true, description: 'IP address from which it signed in.' })
  ipAddress!: string | null;

  @Field(() => DateTime, { description: 'When it signed in.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'Last request, to the minute.' })
  lastUsedAt!: Date;

  @Field({ description: 'Whether this request belongs to it.' })
  isCurrent!: boolean;
}

@ObjectType({ description: 'A passkey that signs the account in.' })
export class AccountPasskey {
  @Field(() => ID, { description: 'Id of the passkey.' })
  id!: string;

  @Field(() => String, { nullable: true, description: 'Name that its owner gave it.' })
  name!: string | null;

  @Field(() => DateTime, { description: 'When it was added.' })
  createdAt!: Date;

  @Field({ description: 'Whether a password manager syncs it to other devices.' })
  backedUp!: boolean;
}

@ObjectType({ description: 'How the signed-in person signs in.' })
export class AccountSecurity {
  @Field({ description: 'Whether sign-in with the password asks for a second factor.' })
  twoFactorEnabled!: boolean;

  @Field(() => Int, { description: 'Recovery codes that were not used yet.' })
  recoveryCodesLeft!: number;

  @Extensions({ usualLength: 2 })
  @Field(() => [AccountPasskey], { description: 'Passkeys, oldest first.' })
  passkeys!: AccountPasskey[];

  @Extensions({ usualLength: 5 })
  @Field(() => [AccountSession], { description: 'Active sessions, last used first.' })
  sessions!: AccountSession[];
}

@InputType({ description: 'A session of the signed-in person.' })
export class SessionRevokeInput extends MutationInput {
  @Field(() => ID, { description: 'Id of the session.' })
  id!: string;
}

@InputType({ description: 'All sessions but the one of this request.' })
export class SessionRevokeOthersInput extends MutationInput {}

@ObjectType({ description: 'Outcome of revoking sessions.' })
export class SessionRevokePayload extends MutationPayload {
  @Field(() => Int, { description: 'Sessions that were revoked.' })
  revoked!: number;
}

@InputType({ description: 'An account whose password is to be reset.' })
export class PasswordResetRequestInput extends MutationInput {
  @Field({ description: 'Mail address of the account.' })
  email!: string;
}

@ObjectType({ description: 'Outcome of a request for a password reset.' })
export class PasswordResetRequestPayload extends MutationPayload {}

@InputType({ description: 'The account of somebody who is locked out.' })
export class AccountHelpInput extends MutationInput {
  @Field({ description: 'Mail address of the account.' })
  email!: string;
}

@ObjectType({ description: 'Outcome of helping somebody who is locked out.' })
export class AccountHelpPayload extends MutationPayload {
  @Field(() => String, { nullable: true, description: 'Mail address of the account; null on an error.' })
  email!: string | null;
}
