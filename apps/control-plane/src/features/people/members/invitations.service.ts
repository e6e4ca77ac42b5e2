import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import { checkGrant, memberGrant, operatorGrant } from '../../../platform/access/grants.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import {
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
  taken,
  userError,
} from '../../../platform/changes/outcome.js';
import { UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { type TenantRow, TenantsRepository } from '../../customers/index.js';
import { UsersRepository } from '../../identity/index.js';
import { InvitationIssuer } from './invitation-issuer.js';
import { type InvitationRow, MembersRepository } from './invitations.repository.js';
import {
  grantOfInvitation,
  type InvitationTargetInput,
  invitationTargetSchema,
  type MemberInviteInput,
  memberInviteSchema,
  type OperatorInvitationTargetInput,
  type OperatorInviteInput,
  operatorInviteSchema,
  operatorTargetSchema,
} from './members.graphql.js';

const ALREADY_INVITED = userError(
  UserErrorCode.TAKEN,
  ['email'],
  'This address is already invited. Resend or revoke the invitation.',
);

/** Callers cannot grant permissions that they lack. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly issuer: InvitationIssuer,
    private readonly members: MembersRepository,
    private readonly users: UsersRepository,
    private readonly tenants: TenantsRepository,
    private readonly changes: ChangeRunner,
  ) {}

  /** Errors: NOT_FOUND; TAKEN for members and invited addresses. */
  async inviteMember(caller: Caller, input: MemberInviteInput): Promise<Outcome<InvitationRow>> {
    const parsed = parseInput(memberInviteSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, email, role, reason } = parsed.data;
    return this.changeAt(caller, tenantKey, reason, async (change, tenant) => {
      if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
      const member = await this.members.findByEmail(change.tx, tenant.id, email);
      if (member !== null && member.userId !== null) return refuse([taken(['email'], 'This address')]);
      // Accepting replaces a member entry that never signed in, so the caller must be able to grant its role too.
      const current = member && checkGrant(caller.actor, memberGrant(member.role, tenantKey), ['email']);
      const excess = current ?? checkGrant(caller.actor, memberGrant(role, tenantKey), ['role']);
      if (excess !== undefined) return refuse([excess]);
      return this.issuer.issue(change, tenant, email, { tenantId: tenant.id, role });
    });
  }

  /** Errors: TAKEN for operators and invited addresses. */
  async inviteOperator(caller: Caller, input: OperatorInviteInput): Promise<Outcome<InvitationRow>> {
    const parsed = parseInput(operatorInviteSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { email, role, reason } = parsed.data;
    return this.changeAt(caller, null, reason, async (change) => {
      const user = await this.users.findByEmail(email, change.tx);
      if (user !== null && user.role !== null) return refuse([taken(['email'], 'This address')]);
      const excess = checkGrant(caller.actor, operatorGrant(role), ['role']);
      if (excess !== undefined) return refuse([excess]);
      return this.issuer.issue(change, null, email, { operatorRole: role });
    });
  }

  /** The new link is valid for a week; the previous one becomes invalid. Errors: NOT_FOUND. */
  async resend(
    caller: Caller,
    input: InvitationTargetInput | OperatorInvitationTargetInput,
  ): Promise<Outcome<InvitationRow>> {
    return this.changeOpen(caller, input, async (change, tenant, invitation) => {
      const excess = checkGrant(caller.actor, grantOfInvitation(invitation, tenant?.key), ['id']);
      return excess === undefined
        ? this.issuer.renew(change, tenant, invitation)
        : refuse([excess], invitation);
    });
  }

  /** Errors: NOT_FOUND. */
  async revoke(
    caller: Caller,
    input: InvitationTargetInput | OperatorInvitationTargetInput,
  ): Promise<Outcome<InvitationRow>> {
    return this.changeOpen(caller, input, (change, tenant, invitation) =>
      this.issuer.revoke(change, tenant, invitation),
    );
  }

  private async changeOpen(
    caller: Caller,
    input: InvitationTargetInput | OperatorInvitationTargetInput,
    work: (
      change: Change,
      tenant: TenantRow | null,
      invitation: InvitationRow,
    ) => Promise<InvitationRow | Refusal<InvitationRow>>,
  ): Promise<Outcome<InvitationRow>> {
    const schema = 'tenantKey' in input ? invitationTargetSchema : operatorTargetSchema;
    const parsed = parseInput(schema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { id, reason } = parsed.data;
    const tenantKey = 'tenantKey' in parsed.data ? String(parsed.data.tenantKey) : null;
    return this.changeAt(caller, tenantKey, reason, async (change, tenant) => {
      if (tenantKey !== null && tenant === null)
        return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
      const open = await this.issuer.lockOpen(change, tenant, id);
      return open === null
        ? refuse([notFound(['id'], 'open invitation with this id')])
        : work(change, tenant, open);
    });
  }

  /** @param tenantKey null: operators */
  private changeAt(
    caller: Caller,
    tenantKey: string | null,
    reason: string | null,
    work: (change: Change, tenant: TenantRow | null) => Promise<InvitationRow | Refusal<InvitationRow>>,
  ): Promise<Outcome<InvitationRow>> {
    return this.changes.run<InvitationRow>(caller, { reason, onTaken: ALREADY_INVITED }, async (change) =>
      work(change, tenantKey === null ? null : await this.tenants.lockByKey(change.tx, tenantKey)),
    );
  }
}
