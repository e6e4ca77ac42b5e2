import { InputType, ObjectType } from '@nestjs/graphql';
import { tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { type Grant, memberGrant, operatorGrant } from '../../../platform/access/grants.js';
import { displayName, optionalNote } from '../../../platform/changes/outcome.js';
import { connectionOf } from '../../../platform/graphql/connection.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { field, InputOf, idField, ObjectOf } from '../../../platform/graphql/object-of.js';
import { MemberRole, OperatorRole } from '../../../platform/prisma/schema.js';
import { Member } from '../../customers/index.js';
import type { InvitationRow } from './invitations.repository.js';

/** @param tenantKey undefined for operators */
export function grantOfInvitation(
  { role, operatorRole }: Pick<InvitationRow, 'role' | 'operatorRole'>,
  tenantKey: string | undefined,
): Grant {
  if (operatorRole !== null) return operatorGrant(operatorRole);
  return memberGrant(role ?? MemberRole.OWNER, tenantKey ?? '');
}

export const INVITATION_TERM_MS = 7 * 86_400_000;

export function isOpen(
  { acceptedAt, revokedAt, expiresAt }: Pick<InvitationRow, 'acceptedAt' | 'revokedAt' | 'expiresAt'>,
  now: Date,
): boolean {
  return acceptedAt === null && revokedAt === null && expiresAt > now;
}

const email = z
  .string()
  .trim()
  .max(254, 'At most 254 characters')
  .pipe(z.email('Enter a valid email address'))
  .transform((address) => address.toLowerCase());

const tenantKey = tenantKeySchema.describe('Key of the tenant.');

export const memberInviteSchema = z.object({
  tenantKey,
  email: email.describe('Email address.'),
  role: z.enum(MemberRole).describe('Role in the tenant.'),
  reason: optionalNote,
});

@InputType({ description: 'A person to invite to a tenant.' })
export class MemberInviteInput extends InputOf(memberInviteSchema, MutationInput) {}

export const operatorInviteSchema = z.object({
  email: email.describe('Email address.'),
  role: z.enum(OperatorRole).describe('Role as an operator.'),
  reason: optionalNote,
});

@InputType({ description: 'A person to invite as an operator.' })
export class OperatorInviteInput extends InputOf(operatorInviteSchema, MutationInput) {}

export const invitationTargetSchema = z.object({
  tenantKey,
  id: idField('Id of the invitation.'),
  reason: optionalNote,
});

@InputType({ description: 'An invitation to a tenant.' })
export class InvitationTargetInput extends InputOf(invitationTargetSchema, MutationInput) {}

export const operatorTargetSchema = invitationTargetSchema.omit({ tenantKey: true });

@InputType({ description: 'An invitation of an operator.' })
export class OperatorInvitationTargetInput extends InputOf(operatorTargetSchema, MutationInput) {}

export const memberRemoveSchema = invitationTargetSchema.extend({ id: idField('Id of the member.') });

@InputType({ description: 'The member to remove from a tenant.' })
export class MemberRemoveInput extends InputOf(memberRemoveSchema, MutationInput) {}

export const memberRoleSchema = memberRemoveSchema.extend({
  role: z.enum(MemberRole).describe('The new role.'),
});

@InputType({ description: "A change of a member's role." })
export class MemberRoleChangeInput extends InputOf(memberRoleSchema, MutationInput) {}

export const acceptSchema = z.object({
  token: z.string().max(200).describe('The part of the link after the `#`.'),
  name: displayName.nullish().describe('Name; required if the address has no account.'),
  password: z
    .string()
    .min(8, 'Use at least 8 characters')
    .max(128, 'Use at most 128 characters')
    .nullish()
    .describe('Password of the existing or new account; not required if signed in to that account.'),
});

@InputType({ description: 'Accepts an invitation.' })
export class InvitationAcceptInput extends InputOf(acceptSchema, MutationInput) {}

export const signUpSchema = z.object({
  key: tenantKeySchema.describe('Permanent key: a–z, 0–9 and inner hyphens, at most 48 characters.'),
  name: displayName.describe('Display name.'),
  email: email.describe('Email address of the owner.'),
  reason: optionalNote,
});

@InputType({ description: 'A tenant to sign up for.' })
export class TenantSignUpInput extends InputOf(signUpSchema, MutationInput) {}

@ObjectType({
  description: 'An open invitation. Only the email contains its link.',
})
export class Invitation extends ObjectOf({
  id: field.id('Id of the invitation.'),
  email: field.string('Email address of the invited person.'),
  role: field.of(() => MemberRole, 'Role in the tenant; null for operators.').nullable(),
  operatorRole: field.of(() => OperatorRole, 'Role as an operator; null for members.').nullable(),
  invitedBy: field.string('The person who sent the invitation.'),
  createdAt: field.dateTime('When the invitation was created.'),
  expiresAt: field.dateTime('When the invitation expires.'),
}) {}

export const InvitationConnection = connectionOf(Invitation, 'Invitation', 'open invitations');

@ObjectType({ description: 'What the holder of an invitation sees before accepting it.' })
export class InvitationView extends ObjectOf({
  email: field.string('Email address of the invited person.'),
  to: field.string('Name of the tenant or installation.'),
  role: field.string('Role granted by the invitation.'),
  hasAccount: field.boolean(
    'Whether the address has an account. If so, its password is required, else a new one.',
  ),
  expiresAt: field.dateTime('When the invitation expires.'),
}) {}

@ObjectType({ description: 'Outcome of a change to an invitation.' })
export class InvitationPayload extends ObjectOf(MutationPayload, {
  invitation: field.of(() => Invitation, 'The invitation.').nullable(),
}) {}

@ObjectType({ description: 'Outcome of a change to a member.' })
export class MemberPayload extends ObjectOf(MutationPayload, {
  member: field
    .of(() => Member, 'The member after the change; for a removal, the member before it.')
    .nullable(),
}) {}

@ObjectType({ description: 'Outcome of accepting an invitation.' })
export class InvitationAcceptPayload extends ObjectOf(MutationPayload, {
  email: field.string('Email address for sign-in.').nullable(),
  tenantKey: field.string('Key of the tenant; null for operators.').nullable(),
}) {}

@ObjectType({ description: 'Outcome of signing up. On success a link is emailed.' })
export class TenantSignUpPayload extends MutationPayload {}
