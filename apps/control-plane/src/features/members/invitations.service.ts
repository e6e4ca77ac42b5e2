import { Injectable } from '@nestjs/common';
import type { Caller } from '../../platform/access/actor.js';
import type { Change } from '../../platform/changes/change.js';
import { ChangeRunner } from '../../platform/changes/change-runner.js';
import {
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
  taken,
  userError,
} from '../../platform/changes/outcome.js';
import { Clock } from '../../platform/clock/clock.js';
import { UserErrorCode } from '../../platform/graphql/user-error.graphql.js';
import { UsersRepository } from '../auth/index.js';
import { type TenantRow, TenantsRepository } from '../tenants/index.js';
import {
  INVITATION_TERM_MS,
  invitationTargetSchema,
  memberInviteSchema,
  operatorInviteSchema,
  operatorTargetSchema,
} from './invitation.rules.js';
import { InvitationLinks } from './invitation-links.js';
import { type InvitationRow, InvitationsRepository, type InvitationTo } from './invitations.repository.js';
import type {
  InvitationTargetInput,
  MemberInviteInput,
  OperatorInvitationTargetInput,
  OperatorInviteInput,
} from './members.graphql.js';
import { MembersRepository } from './members.repository.js';

/** Where an invitation leads. */
type Place = TenantRow | null;

const ALREADY_INVITED = userError(
  UserErrorCode.TAKEN,
  ['email'],
  'This address is invited already. Send the invitation again, or revoke it.',
);

/** Invites people, to tenants and as operators. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly invitations: InvitationsRepository,
    private readonly members: MembersRepository,
    private readonly users: UsersRepository,
    private readonly tenants: TenantsRepository,
    private readonly links: InvitationLinks,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
  ) {}

  /** Invites somebody to a tenant. Refused: NOT_FOUND, TAKEN for a member and for who is invited already. */
  async inviteMember(caller: Caller, input: MemberInviteInput): Promise<Outcome<InvitationRow>> {
    const parsed = parseInput(memberInviteSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, email, role, reason } = parsed.data;
    return this.changeAt(caller, tenantKey, reason, async (change, tenant) => {
      if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
      const member = await this.members.findByEmail(change.tx, tenant.id, email);
      if (member !== null && member.userId !== null) return refuse([taken(['email'], 'This address')]);
      return this.invite(change, tenant, email, { tenantId: tenant.id, role });
    });
  }

  /** Invites somebody as an operator. Refused: TAKEN for an operator and for who is invited already. */
  async inviteOperator(caller: Caller, input: OperatorInviteInput): Promise<Outcome<InvitationRow>> {
    const parsed = parseInput(operatorInviteSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { email, role, reason } = parsed.data;
    return this.changeAt(caller, null, reason, async (change) => {
      const user = await this.users.findByEmail(email, change.tx);
      if (user !== null && user.role !== null) return refuse([taken(['email'], 'This address')]);
      return this.invite(change, null, email, { operatorRole: role });
    });
  }

  /** Sends an open invitation again, for another week; what was sent before is worth nothing then. Refused: NOT_FOUND. */
  async resend(
    caller: Caller,
    input: InvitationTargetInput | OperatorInvitationTargetInput,
  ): Promise<Outcome<InvitationRow>> {
    return this.changeOpen(caller, input, async (change, place, invitation) => {
      const token = this.links.issue();
      const expiresAt = new Date(this.clock.now().getTime() + INVITATION_TERM_MS);
      const renewed = await this.invitations.renew(change.tx, invitation.id, {
        tokenHash: token.hash,
        expiresAt,
      });
      await this.tell(change, place, renewed, token.sealed);
      return renewed;
    });
  }

  /** Takes an open invitation back. Refused: NOT_FOUND. */
  async revoke(
    caller: Caller,
    input: InvitationTargetInput | OperatorInvitationTargetInput,
  ): Promise<Outcome<InvitationRow>> {
    return this.changeOpen(caller, input, (change, _, invitation) =>
      this.invitations.revoke(change.tx, invitation.id, this.clock.now()),
    );
  }

  /** Writes an invitation down and tells whom it is for. */
  async invite(change: Change, place: Place, email: string, to: InvitationTo): Promise<InvitationRow> {
    const now = this.clock.now();
    await this.invitations.putAsideExpired(change.tx, email, now);
    const token = this.links.issue();
    const invitation = await this.invitations.create(change.tx, to, {
      email,
      tokenHash: token.hash,
      invitedBy: change.caller.actor.label,
      expiresAt: new Date(now.getTime() + INVITATION_TERM_MS),
    });
    await this.audit(change, place, invitation, 'invitation.create');
    await this.tell(change, place, invitation, token.sealed);
    return invitation;
  }

  private async changeOpen(
    caller: Caller,
    input: InvitationTargetInput | OperatorInvitationTargetInput,
    work: (change: Change, place: Place, invitation: InvitationRow) => Promise<InvitationRow>,
  ): Promise<Outcome<InvitationRow>> {
    const schema = 'tenantKey' in input ? invitationTargetSchema : operatorTargetSchema;
    const parsed = parseInput(schema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { id, reason } = parsed.data;
    const tenantKey = 'tenantKey' in parsed.data ? String(parsed.data.tenantKey) : null;
    return this.changeAt(caller, tenantKey, reason, async (change, place) => {
      if (tenantKey !== null && place === null)
        return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
      const open = await this.invitations.lockOpen(change.tx, place?.id ?? null, id);
      if (open === null) return refuse([notFound(['id'], 'open invitation of this id')]);
      const changed = await work(change, place, open);
      const action = changed.revokedAt === null ? 'invitation.resend' : 'invitation.revoke';
      await this.audit(change, place, changed, action);
      return changed;
    });
  }

  /** @param tenantKey null: of operators */
  private changeAt(
    caller: Caller,
    tenantKey: string | null,
    reason: string | null,
    work: (change: Change, place: Place) => Promise<InvitationRow | Refusal<InvitationRow>>,
  ): Promise<Outcome<InvitationRow>> {
    return this.changes.run<InvitationRow>(caller, { reason, onTaken: ALREADY_INVITED }, async (change) =>
      work(change, tenantKey === null ? null : await this.tenants.lockByKey(change.tx, tenantKey)),
    );
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

  private tell(
    change: Change,
    place: Place,
    { email, role, operatorRole, signUpName, expiresAt }: InvitationRow,
    sealedToken: string,
  ): Promise<void> {
    const by = change.caller.actor.name;
    const kind =
      signUpName !== null ? 'signup.requested' : place === null ? 'operator.invited' : 'member.invited';
    return change.notify({
      kind,
      ...(place === null ? {} : { tenant: { id: place.id, key: place.key } }),
      data: {
        email,
        role: role ?? operatorRole ?? 'OWNER',
        to: signUpName ?? place?.name ?? 'Tollgate',
        by,
        expiresAt: expiresAt.toISOString(),
        sealed: { token: sealedToken },
      },
    });
  }
}
