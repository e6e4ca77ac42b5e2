import { Field, ID, InputType, ObjectType } from '@nestjs/graphql';
import { tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { type Grant, memberGrant, operatorGrant } from '../../../platform/access/grants.js';
import { displayName, optionalNote } from '../../../platform/changes/text.js';
import { connectionOf } from '../../../platform/graphql/connection.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { DateTime } from '../../../platform/graphql/scalars.js';
import { MemberRole, OperatorRole } from '../../../platform/prisma/schema.js';
import { Member } from '../../customers/index.js';
import type { InvitationRow } from './invitations.repository.js';

/** The role that an invitation grants. @param tenantKey of its tenant; undefined: it is for operators */
export function grantOfInvitation(
  { role, operatorRole }: Pick<InvitationRow, 'role' | 'operatorRole'>,
  tenantKey: string | undefined,
): Grant {
  if (operatorRole !== null) return operatorGrant(operatorRole);
  return memberGrant(role ?? MemberRole.OWNER, tenantKey ?? '');
}

export const INVITATION_TERM_MS = 7 * 86_400_000;

/** Whether the invitation can be accepted at `now`. */
export function isOpen(
  { acceptedAt, revokedAt, expiresAt }: Pick<InvitationRow, 'acceptedAt' | 'revokedAt' | 'expiresAt'>,
  now: Date,
): boolean {
  return acceptedAt === null && revokedAt === null && expiresAt > now;
}

const email = z
  .string()
  .trim()
  .max(254, 'An address has at most 254 characters')
  .pipe(z.email('This is no mail address'))
  .transform((address) => address.toLowerCase());

export const memberInviteSchema = z.object({
  tenantKey: tenantKeySchema,
  email,
  role: z.enum(MemberRole),
  reason: optionalNote,
});

export const operatorInviteSchema = z.object({ email, role: z.enum(OperatorRole), reason: optionalNote });

export const invitationTargetSchema = z.object({
  tenantKey: tenantKeySchema,
  id: z.string(),
  reason: optionalNote,
});

export const operatorTargetSchema = invitationTargetSchema.omit({ tenantKey: true });

export const memberRoleSchema = invitationTargetSchema.extend({ role: z.enum(MemberRole) });

export const acceptSchema = z.object({
  token: z.string().max(200),
  name: displayName.nullish(),
  password: z
    .string()
    .min(8, 'A password has at least 8 characters')
    .max(128, 'A password has at most 128 characters')
    .nullish(),
});

export const signUpSchema = z.object({
  key: tenantKeySchema,
  name: displayName,
  email,
  reason: optionalNote,
});

@ObjectType({
  description: 'An invitation that waits for an answer. Its link is in the mail and nowhere else.',
})
export class Invitation {
  @Field(() => ID, { description: 'Id of the invitation.' })
  id!: string;

  @Field({ description: 'Who is invited.' })
  email!: string;

  @Field(() => MemberRole, { nullable: true, description: 'Role in the tenant; null: as an operator.' })
  role!: MemberRole | null;

  @Field(() => OperatorRole, { nullable: true, description: 'Role as an operator; null: in a tenant.' })
  operatorRole!: OperatorRole | null;

  @Field({ description: 'Who has invited.' })
  invitedBy!: string;

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When its link stops working.' })
  expiresAt!: Date;
}

export const InvitationConnection = connectionOf(Invitation, 'Invitation', 'open invitations');

@ObjectType({ description: 'What the holder of an invitation is shown before accepting it.' })
export class InvitationView {
  @Field({ description: 'Who is invited.' })
  email!: string;

  @Field({ description: 'Name of the tenant, or of this installation.' })
  to!: string;

  @Field({ description: 'Role that comes with it.' })
  role!: string;

  @Field({
    description: 'Whether the address has an account: then its password is asked for, else a new one.',
  })
  hasAccount!: boolean;

  @Field(() => DateTime, { description: 'When the link stops working.' })
  expiresAt!: Date;
}

@InputType({ description: 'Whom to invite to a tenant.' })
export class MemberInviteInput extends MutationInput {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field({ description: 'Mail address.' })
  email!: string;

  @Field(() => MemberRole, { description: 'What they may do in the tenant.' })
  role!: MemberRole;
}

@InputType({ description: 'Whom to invite as an operator.' })
export class OperatorInviteInput extends MutationInput {
  @Field({ description: 'Mail address.' })
  email!: string;

  @Field(() => OperatorRole, { description: 'What they may do.' })
  role!: OperatorRole;
}

@InputType({ description: 'Which invitation of a tenant.' })
export class InvitationTargetInput extends MutationInput {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => ID, { description: 'Id of the invitation.' })
  id!: string;
}

@InputType({ description: 'Which invitation of an operator.' })
export class OperatorInvitationTargetInput extends MutationInput {
  @Field(() => ID, { description: 'Id of the invitation.' })
  id!: string;
}

@InputType({ description: 'Whom to take out of a tenant.' })
export class MemberRemoveInput extends MutationInput {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => ID, { description: 'Id of the membership.' })
  id!: string;
}

@InputType({ description: 'Who gets another role in a tenant.' })
export class MemberRoleChangeInput extends MemberRemoveInput {
  @Field(() => MemberRole, { description: 'What they may do from now on.' })
  role!: MemberRole;
}

@InputType({ description: 'An answer to an invitation.' })
export class InvitationAcceptInput extends MutationInput {
  @Field({ description: 'The text behind the # of the link.' })
  token!: string;

  @Field(() => String, { nullable: true, description: 'Name; needed where the address has no account yet.' })
  name?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Password of the account, or of the new one; not needed by who has signed in as that account.',
  })
  password?: string | null;
}

@InputType({ description: 'A tenant that somebody wants to have.' })
export class TenantSignUpInput extends MutationInput {
  @Field({ description: 'Permanent name: a–z, 0–9 and inner hyphens, at most 48 characters.' })
  key!: string;

  @Field({ description: 'Name for people.' })
  name!: string;

  @Field({ description: 'Mail address of the owner.' })
  email!: string;
}

@ObjectType({ description: 'Outcome of a change to an invitation.' })
export class InvitationPayload extends MutationPayload {
  @Field(() => Invitation, { nullable: true, description: 'The invitation.' })
  invitation!: Invitation | null;
}

@ObjectType({ description: 'Outcome of a change to a member.' })
export class MemberPayload extends MutationPayload {
  @Field(() => Member, { nullable: true, description: 'The member; after a removal as it was.' })
  member!: Member | null;
}

@ObjectType({ description: 'Outcome of accepting an invitation.' })
export class InvitationAcceptPayload extends MutationPayload {
  @Field(() => String, { nullable: true, description: 'Address to sign in with.' })
  email!: string | null;

  @Field(() => String, { nullable: true, description: 'Key of the tenant; null: as an operator.' })
  tenantKey!: string | null;
}

@ObjectType({ description: 'Outcome of signing up: on success a link is on its way.' })
export class TenantSignUpPayload extends MutationPayload {}
