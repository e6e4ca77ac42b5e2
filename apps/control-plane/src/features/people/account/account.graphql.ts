import { Extensions, Field, ID, InputType, Int, ObjectType } from '@nestjs/graphql';
import * as z from 'zod';
import { optionalNote } from '../../../platform/changes/outcome.js';
import { InputOf, idField } from '../../../platform/graphql/input-of.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { DateTime } from '../../../platform/graphql/scalars.js';

@ObjectType({ description: 'A signed-in browser.' })
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

  @Field({ description: 'Whether it is the session of this request.' })
  isCurrent!: boolean;
}

@ObjectType({ description: 'A passkey of the account.' })
export class AccountPasskey {
  @Field(() => ID, { description: 'Id of the passkey.' })
  id!: string;

  @Field(() => String, { nullable: true, description: 'Name given by its owner.' })
  name!: string | null;

  @Field(() => DateTime, { description: 'When it was added.' })
  createdAt!: Date;

  @Field({ description: 'Whether a password manager syncs it to other devices.' })
  backedUp!: boolean;
}

@ObjectType({ description: 'Sign-in settings of the viewer.' })
export class AccountSecurity {
  @Field({ description: 'Whether sign-in with a password requires a second factor.' })
  twoFactorEnabled!: boolean;

  @Field(() => Int, { description: 'Number of unused recovery codes.' })
  recoveryCodesLeft!: number;

  @Extensions({ usualLength: 2 })
  @Field(() => [AccountPasskey], { description: 'Passkeys, oldest first.' })
  passkeys!: AccountPasskey[];

  @Extensions({ usualLength: 5 })
  @Field(() => [AccountSession], { description: 'Active sessions, last used first.' })
  sessions!: AccountSession[];
}

@InputType({ description: 'The session to revoke.' })
export class SessionRevokeInput extends InputOf(
  z.object({ id: idField('Id of the session.') }),
  MutationInput,
) {}

@InputType({ description: 'Revokes all sessions except that of this request.' })
export class SessionRevokeOthersInput extends MutationInput {}

@ObjectType({ description: 'Outcome of revoking sessions.' })
export class SessionRevokePayload extends MutationPayload {
  @Field(() => Int, { description: 'Number of revoked sessions.' })
  revoked!: number;
}

const email = z.string().trim().max(254).toLowerCase();

export const passwordResetSchema = z.object({
  email: email.pipe(z.email('Enter a valid email address')).describe('Email address of the account.'),
  reason: optionalNote,
});

@InputType({ description: 'The account whose password to reset.' })
export class PasswordResetRequestInput extends InputOf(passwordResetSchema, MutationInput) {}

@ObjectType({ description: 'Outcome of a request for a password reset.' })
export class PasswordResetRequestPayload extends MutationPayload {}

export const accountHelpSchema = z.object({
  email: email.describe('Email address of the account.'),
  reason: optionalNote.refine((reason) => reason !== null, 'Enter a reason, for the audit log'),
});

@InputType({ description: 'The account of a person who is locked out.' })
export class AccountHelpInput extends InputOf(accountHelpSchema, MutationInput) {}

@ObjectType({ description: 'Outcome of helping a person who is locked out.' })
export class AccountHelpPayload extends MutationPayload {
  @Field(() => String, { nullable: true, description: 'Email address of the account; null on an error.' })
  email!: string | null;
}
