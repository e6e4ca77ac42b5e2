import { tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { type Grant, memberGrant, operatorGrant } from '../../../platform/access/grants.js';
import { displayName, optionalNote } from '../../../platform/changes/text.js';
import { MemberRole, OperatorRole } from '../../../platform/prisma/schema.js';
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
