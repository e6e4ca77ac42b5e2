import { InputType, ObjectType } from '@nestjs/graphql';
import * as z from 'zod';
import { optionalNote } from '../../../platform/changes/outcome.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { field, InputOf, idField, ObjectOf } from '../../../platform/graphql/object-of.js';

@ObjectType({ description: 'A signed-in browser.' })
export class AccountSession extends ObjectOf({
  id: field.id('Id of the session.'),
  userAgent: field.string('User agent of the browser that signed in.').nullable(),
  ipAddress: field.string('IP address from which it signed in.').nullable(),
  createdAt: field.dateTime('When it signed in.'),
  lastUsedAt: field.dateTime('Last request, to the minute.'),
  isCurrent: field.boolean('Whether it is the session of this request.'),
}) {}

@ObjectType({ description: 'A passkey of the account.' })
export class AccountPasskey extends ObjectOf({
  id: field.id('Id of the passkey.'),
  name: field.string('Name given by its owner.').nullable(),
  createdAt: field.dateTime('When it was added.'),
  backedUp: field.boolean('Whether a password manager syncs it to other devices.'),
}) {}

@ObjectType({ description: 'Sign-in settings of the viewer.' })
export class AccountSecurity extends ObjectOf({
  twoFactorEnabled: field.boolean('Whether sign-in with a password requires a second factor.'),
  recoveryCodesLeft: field.int('Number of unused recovery codes.'),
  passkeys: field
    .of(() => AccountPasskey, 'Passkeys, oldest first.')
    .list()
    .usualLength(2),
  sessions: field
    .of(() => AccountSession, 'Active sessions, last used first.')
    .list()
    .usualLength(5),
}) {}

@InputType({ description: 'The session to revoke.' })
export class SessionRevokeInput extends InputOf(
  z.object({ id: idField('Id of the session.') }),
  MutationInput,
) {}

@InputType({ description: 'Revokes all sessions except that of this request.' })
export class SessionRevokeOthersInput extends MutationInput {}

@ObjectType({ description: 'Outcome of revoking sessions.' })
export class SessionRevokePayload extends ObjectOf(MutationPayload, {
  revoked: field.int('Number of revoked sessions.'),
}) {}

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
export class AccountHelpPayload extends ObjectOf(MutationPayload, {
  email: field.string('Email address of the account; null on an error.').nullable(),
}) {}
