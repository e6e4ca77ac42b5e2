import { Injectable } from '@nestjs/common';
import type { Change } from '../../../platform/changes/change.js';
import { Clock } from '../../../platform/clock/clock.js';
import { newId } from '../../../platform/ids/new-id.js';
import type { TenantRow } from '../../customers/index.js';
import type { NoticeMail, NoticeRow } from '../../notify/index.js';
import { InvitationLinks } from './invitation-links.js';
import { type InvitationRow, InvitationsRepository, type InvitationTo } from './invitations.repository.js';
import { INVITATION_TERM_MS } from './members.graphql.js';

/** The data of an invitation's notice. */
interface InvitationFacts {
  invitationId: string;
  email: string;
  role: string;
  to: string;
  by: string;
  expiresAt: string;
}

const KINDS: readonly string[] = ['member.invited', 'operator.invited', 'signup.requested'];

/**
 * The mail to an invited address, without its link: `MailSender` appends that below the text when it sends the mail, so that
 * no stored text contains it.
 */
export function invitationMailsOf({ id, kind, tenantId, data }: NoticeRow): NoticeMail[] {
  if (!KINDS.includes(kind)) return [];
  const { invitationId, email, role, to, by, expiresAt } = data as unknown as InvitationFacts;
  const isSignUp = kind === 'signup.requested';
  const subject = isSignUp ? `Confirm your address for ${to}` : `${by} invites you to ${to}`;
  const until = `${expiresAt.slice(0, 16).replace('T', ' ')} UTC`;
  const body = [
    isSignUp
      ? `Somebody, probably you, wants to use Tollgate as ${to}.`
      : `${by} invites you to ${to}, as ${role.toLowerCase().replaceAll('_', ' ')}.`,
    '',
    `To ${isSignUp ? 'confirm your address' : 'accept'}, open the link below. It works once, until ${until}.`,
    'If you did not expect this mail, ignore it.',
    '',
  ].join('\n');
  return [{ tenantId, noticeId: id, invitationId, recipient: email, subject, body }];
}

/** Where an invitation leads; null: to operators, or to a tenant that is to be made. */
export type Place = TenantRow | null;

/** Writes invitations down and tells whom they are for, within a change. */
@Injectable()
export class InvitationIssuer {
  constructor(
    private readonly invitations: InvitationsRepository,
    private readonly links: InvitationLinks,
    private readonly clock: Clock,
  ) {}

  async issue(change: Change, place: Place, email: string, to: InvitationTo): Promise<InvitationRow> {
    const now = this.clock.now();
    await this.invitations.putAsideExpired(change.tx, email, now);
    const id = newId('invitation');
    const invitation = await this.invitations.create(change.tx, to, {
      id,
      email,
      ...this.links.issue(id, email),
      ...inviterOf(change),
      expiresAt: new Date(now.getTime() + INVITATION_TERM_MS),
    });
    await this.audit(change, place, invitation, 'invitation.create');
    await this.notify(change, place, invitation);
    return invitation;
  }

  /** An open invitation to this place; locked until the transaction ends. */
  lockOpen({ tx }: Change, place: Place, id: string): Promise<InvitationRow | null> {
    return this.invitations.lockOpen(tx, place?.id ?? null, id);
  }

  /** Revokes the open sign-ups of an address. */
  replaceSignUps({ tx }: Change, email: string): Promise<void> {
    return this.invitations.revokeSignUps(tx, email, this.clock.now());
  }

  /** For another week, under a new link: the one before is worth nothing then. */
  async renew(change: Change, place: Place, { id, email }: InvitationRow): Promise<InvitationRow> {
    const expiresAt = new Date(this.clock.now().getTime() + INVITATION_TERM_MS);
    const renewed = await this.invitations.renew(change.tx, id, {
      ...this.links.issue(id, email),
      ...inviterOf(change),
      expiresAt,
    });
    await this.notify(change, place, renewed);
    await this.audit(change, place, renewed, 'invitation.resend');
    return renewed;
  }

  async revoke(change: Change, place: Place, { id }: InvitationRow): Promise<InvitationRow> {
    const revoked = await this.invitations.revoke(change.tx, id, this.clock.now());
    await this.audit(change, place, revoked, 'invitation.revoke');
    return revoked;
  }

  private audit(change: Change, place: Place, invitation: InvitationRow, action: string): Promise<void> {
    const { id, email, role, operatorRole, signUpKey, expiresAt } = invitation;
    return change.audit({
      action,
      entity: 'Invitation',
      entityId: id,
      ...(place === null ? {} : { tenantKey: place.key }),
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
    place: Place,
    { id, email, role, operatorRole, signUpName, expiresAt }: InvitationRow,
  ): Promise<void> {
    const by = change.caller.actor.name;
    const kind =
      signUpName !== null ? 'signup.requested' : place === null ? 'operator.invited' : 'member.invited';
    return change.notify({
      kind,
      ...(place === null ? {} : { tenant: { id: place.id, key: place.key } }),
      data: {
        invitationId: id,
        email,
        role: role ?? operatorRole ?? 'OWNER',
        to: signUpName ?? place?.name ?? 'Tollgate',
        by,
        expiresAt: expiresAt.toISOString(),
      },
    });
  }
}

/** The caller. An invitation is valid only while its inviter may grant its role. */
function inviterOf({ caller: { actor } }: Change): { invitedBy: string; inviterId: string } {
  return { invitedBy: actor.label, inviterId: actor.id };
}
