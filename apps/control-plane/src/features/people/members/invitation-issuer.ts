import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AuditAction } from '@tollgate/contracts/audit-actions';
import { randomBase62 } from '@tollgate/contracts/service-token';
import { AppConfig } from '../../../config/app-config.js';
import type { Change } from '../../../platform/changes/change.js';
import { Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import { Installation } from '../../../platform/installation/installation.js';
import { type SealBinding, SealedSecrets } from '../../../platform/secrets.js';
import { withoutLinks } from '../../../platform/text.js';
import type { TenantRow } from '../../customers/index.js';
import { MailLimits } from '../../identity/index.js';
import type { NoticeMail, NoticeRow } from '../../notify/index.js';
import { type InvitationGrant, type InvitationRow, InvitationsRepository } from './invitations.repository.js';
import { INVITATION_TERM_MS, isOpen } from './members.graphql.js';

/** 190 random bits. */
const TOKEN_LENGTH = 32;

export interface InvitationToken {
  tokenHash: string;
  sealedToken: string;
}

/**
 * Creates links to accept invitations. The token is stored encrypted while the invitation is open, for the mail to the
 * invited address only.
 */
@Injectable()
export class InvitationLinks {
  constructor(
    private readonly invitations: InvitationsRepository,
    private readonly secrets: SealedSecrets,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  issue(invitationId: string, recipient: string): InvitationToken {
    const token = randomBase62(TOKEN_LENGTH);
    const sealedToken = this.secrets.seal(bindingOf(invitationId, recipient), token);
    return { tokenHash: this.hash(token), sealedToken };
  }

  hash(token: string): string {
    return createHash('sha256').update(token).digest('hex');
  }

  /**
   * Undefined once the invitation is closed. The token is in the fragment, which browsers do not send to servers.
   * @throws Error for another recipient, or without the encryption secret
   */
  async find(invitationId: string, recipient: string): Promise<string | undefined> {
    const invitation = await this.invitations.findById(invitationId);
    if (invitation === null || invitation.sealedToken === null || !isOpen(invitation, this.clock.now()))
      return undefined;
    const token = this.secrets.open(bindingOf(invitationId, recipient), invitation.sealedToken);
    return `${this.config.publicOrigin}/invitation#${token}`;
  }
}

function bindingOf(id: string, recipient: string): SealBinding {
  return { purpose: 'invitation', id, recipient };
}

interface InvitationFacts {
  invitationId: string;
  email: string;
  role: string;
  to: string;
  by: string;
  expiresAt: string;
}

const KINDS: readonly string[] = ['member.invited', 'operator.invited', 'signup.requested'];

/** The mail without its link, which `MailSender` appends, so that no stored text contains it. */
export function invitationMailsOf({ id, kind, tenantId, data }: NoticeRow): NoticeMail[] {
  if (!KINDS.includes(kind)) return [];
  const { invitationId, email, role, to, by, expiresAt } = data as unknown as InvitationFacts;
  const isSignUp = kind === 'signup.requested';
  const [inviter, place] = [withoutLinks(by), withoutLinks(to)];
  const subject = isSignUp ? `Confirm your email address for ${place}` : `${inviter} invited you to ${place}`;
  const until = `${expiresAt.slice(0, 16).replace('T', ' ')} UTC`;
  const body = [
    isSignUp
      ? `We received a request to create ${place} with this email address.`
      : `${inviter} invited you to ${place} as ${role.toLowerCase().replaceAll('_', ' ')}.`,
    '',
    `To ${isSignUp ? 'confirm your address' : 'accept'}, open the link below. It can be used once and expires on ${until}.`,
    'If you did not expect this email, you can ignore it.',
    '',
  ].join('\n');
  return [{ tenantId, noticeId: id, invitationId, recipient: email, subject, body }];
}

@Injectable()
export class InvitationIssuer {
  constructor(
    private readonly invitations: InvitationsRepository,
    private readonly links: InvitationLinks,
    private readonly clock: Clock,
    private readonly installation: Installation,
    private readonly limits: MailLimits,
  ) {}

  /** @throws ApiError THROTTLED */
  async issue(
    change: Change,
    tenant: TenantRow | null,
    email: string,
    to: InvitationGrant,
  ): Promise<InvitationRow> {
    // Sign-ups have no actor; `SignUpService` limits them by address.
    if (!('signUpKey' in to)) await this.count(change, tenant, email);
    const now = this.clock.now();
    await this.invitations.closeExpired(change.tx, email, now);
    const id = newId('invitation');
    const invitation = await this.invitations.create(change.tx, to, {
      id,
      email,
      ...this.links.issue(id, email),
      ...inviterOf(change),
      expiresAt: new Date(now.getTime() + INVITATION_TERM_MS),
    });
    await this.audit(change, tenant, invitation, 'invitation.create');
    await this.notify(change, tenant, invitation);
    return invitation;
  }

  lockOpen({ tx }: Change, tenant: TenantRow | null, id: string): Promise<InvitationRow | null> {
    return this.invitations.lockOpen(tx, tenant?.id ?? null, id);
  }

  replaceSignUps({ tx }: Change, email: string): Promise<void> {
    return this.invitations.revokeSignUps(tx, email, this.clock.now());
  }

  /** Extends the invitation by a week; the previous link becomes invalid. @throws ApiError THROTTLED */
  async renew(
    change: Change,
    tenant: TenantRow | null,
    { id, email }: InvitationRow,
  ): Promise<InvitationRow> {
    await this.count(change, tenant, email);
    const expiresAt = new Date(this.clock.now().getTime() + INVITATION_TERM_MS);
    const renewed = await this.invitations.renew(change.tx, id, {
      ...this.links.issue(id, email),
      ...inviterOf(change),
      expiresAt,
    });
    await this.notify(change, tenant, renewed);
    await this.audit(change, tenant, renewed, 'invitation.resend');
    return renewed;
  }

  async revoke(change: Change, tenant: TenantRow | null, { id }: InvitationRow): Promise<InvitationRow> {
    const revoked = await this.invitations.revoke(change.tx, id, this.clock.now());
    await this.audit(change, tenant, revoked, 'invitation.revoke');
    return revoked;
  }

  private count({ caller }: Change, tenant: TenantRow | null, recipient: string): Promise<void> {
    return this.limits.count(caller, { recipient, tenantId: tenant?.id });
  }

  private audit(
    change: Change,
    tenant: TenantRow | null,
    invitation: InvitationRow,
    action: AuditAction,
  ): Promise<void> {
    const { id, email, role, operatorRole, signUpKey, expiresAt } = invitation;
    return change.audit({
      action,
      entityId: id,
      entityName: email,
      ...(tenant === null ? {} : { tenantKey: tenant.key }),
      before: null,
      after: {
        email,
        role: role ?? operatorRole ?? `owner of ${signUpKey}`,
        expiresAt: expiresAt.toISOString(),
      },
    });
  }

  private notify(
    change: Change,
    tenant: TenantRow | null,
    { id, email, role, operatorRole, signUpName, expiresAt }: InvitationRow,
  ): Promise<void> {
    const by = change.caller.actor.name;
    const kind =
      signUpName !== null ? 'signup.requested' : tenant === null ? 'operator.invited' : 'member.invited';
    return change.notify({
      kind,
      ...(tenant === null ? {} : { tenant: { id: tenant.id, key: tenant.key } }),
      data: {
        invitationId: id,
        email,
        role: role ?? operatorRole ?? 'OWNER',
        to: signUpName ?? tenant?.name ?? this.installation.brand.productName,
        by,
        expiresAt: expiresAt.toISOString(),
      },
    });
  }
}

function inviterOf({ caller: { actor } }: Change): { invitedBy: string; inviterId: string } {
  return { invitedBy: actor.label, inviterId: actor.id };
}
