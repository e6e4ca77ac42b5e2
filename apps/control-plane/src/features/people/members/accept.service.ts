import { Injectable } from '@nestjs/common';
import type { AuditAction } from '@tollgate/contracts/audit-actions';
import { AppConfig } from '../../../config/app-config.js';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentActors } from '../../../platform/access/current-actors.js';
import { mayGrant } from '../../../platform/access/grants.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import {
  invalid,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { Installation } from '../../../platform/installation/installation.js';
import type { Tx } from '../../../platform/prisma/database.js';
import { runInScope } from '../../../platform/tenant-scope.js';
import { TenantsRepository, TenantsService } from '../../customers/index.js';
import { AttemptLimiter, UsersRepository } from '../../identity/index.js';
import { InvitationIssuer, InvitationLinks } from './invitation-issuer.js';
import {
  type InvitationRow,
  InvitationsRepository,
  type InvitationWithTenant,
  MembersRepository,
} from './invitations.repository.js';
import {
  acceptSchema,
  grantOfInvitation,
  type InvitationAcceptInput,
  isOpen,
  signUpSchema,
  type TenantSignUpInput,
} from './members.graphql.js';
import {
  InviteeIdentity,
  type Person,
  personActor,
  UNUSABLE,
  type Visitor,
  visitorActor,
} from './visitor.js';

@Injectable()
export class OpenInvitations {
  constructor(
    private readonly invitations: InvitationsRepository,
    private readonly links: InvitationLinks,
    private readonly actors: CurrentActors,
    private readonly clock: Clock,
  ) {}

  async find(token: string): Promise<InvitationWithTenant | null> {
    const found = await this.invitations.findByHash(this.links.hash(token));
    return found !== null && (await this.isUsable(found)) ? found : null;
  }

  /** Null if the invitation was used in the meantime. */
  async take(tx: Tx, token: string): Promise<InvitationRow | null> {
    const invitation = await this.invitations.lockByHash(tx, this.links.hash(token));
    if (invitation === null || !(await this.isUsable(invitation, tx))) return null;
    await this.invitations.accept(tx, invitation.id, this.clock.now());
    return invitation;
  }

  /** Whether it is open and its inviter may still grant its role. Sign-ups have no inviter. */
  private async isUsable(invitation: InvitationWithTenant, tx?: Tx): Promise<boolean> {
    if (!isOpen(invitation, this.clock.now())) return false;
    const { inviterId, signUpKey, tenant } = invitation;
    if (signUpKey !== null) return true;
    const inviter = inviterId === null ? undefined : await this.actors.find(inviterId, tx);
    return inviter !== undefined && mayGrant(inviter, grantOfInvitation(invitation, tenant?.key));
  }
}

export interface Accepted {
  email: string;
  /** Null for operators. */
  tenantKey: string | null;
}

/** Grants the operator role, adds the member, or creates the tenant of a sign-up. */
@Injectable()
export class InvitationEffects {
  constructor(
    private readonly members: MembersRepository,
    private readonly users: UsersRepository,
    private readonly tenants: TenantsRepository,
    private readonly creation: TenantsService,
    private readonly config: AppConfig,
  ) {}

  /** Errors: INVALID if the tenant no longer exists or cannot be created. */
  async apply(
    change: Change,
    invitation: InvitationRow,
    person: Person,
  ): Promise<Accepted | Refusal<Accepted>> {
    const { email, operatorRole, signUpKey, signUpName } = invitation;
    // An operator role granted in the meantime is not replaced by an older invitation.
    if (operatorRole !== null && (await this.users.findByEmail(email, change.tx))?.role != null)
      return refuse([UNUSABLE]);
    const userId = person.id ?? (await this.createUser(change, person));
    if (operatorRole !== null) {
      await this.users.setRole(change.tx, userId, operatorRole);
      await this.audit(change, 'operator.join', userId, null, { email, role: operatorRole });
      return { email, tenantKey: null };
    }
    let { tenantId } = invitation;
    if (signUpKey !== null) {
      const tierKey = this.config.signUpTier ?? '';
      const made = await this.creation.create(change.caller, {
        key: signUpKey,
        name: signUpName ?? signUpKey,
        tierKey,
      });
      if (!made.ok) {
        const isTaken = made.errors.some(({ code }) => code === UserErrorCode.TAKEN);
        const message = isTaken
          ? `The key "${signUpKey}" is in use. Sign up again with another key.`
          : (made.errors[0]?.message ?? UNUSABLE.message);
        return refuse([invalid(['token'], message)]);
      }
      tenantId = made.value.id;
    }
    const tenant = await this.tenants.findById(tenantId ?? '', change.tx);
    if (tenant === null || tenant.status === 'ARCHIVED') return refuse([UNUSABLE]);
    const role = invitation.role ?? 'OWNER';
    const member = await this.members.join(change.tx, tenant.id, { email, name: person.name, role, userId });
    await this.audit(change, 'member.join', member.id, tenant.key, { email, name: person.name, role });
    await change.notify({ kind: 'member.joined', tenant, data: { email, role } });
    return { email, tenantKey: tenant.key };
  }

  private async createUser(change: Change, { email, name, passwordHash = '' }: Person): Promise<string> {
    return (await this.users.create({ email, name, role: null, passwordHash }, change.tx)).id;
  }

  private audit(
    change: Change,
    action: AuditAction,
    entityId: string,
    tenantKey: string | null,
    after: { email: string; role: string; name?: string },
  ): Promise<void> {
    return change.audit({
      action,
      entityId,
      entityName: after.email,
      ...(tenantKey === null ? {} : { tenantKey }),
      before: null,
      after,
    });
  }
}

/** Visible before acceptance. */
export interface InvitationView {
  email: string;
  to: string;
  role: string;
  hasAccount: boolean;
  expiresAt: Date;
}

/** Accepts invitations for anyone with a token. Rejecting an invalid token takes as long as accepting a valid one. */
@Injectable()
export class AcceptService {
  constructor(
    private readonly invitations: OpenInvitations,
    private readonly identity: InviteeIdentity,
    private readonly effects: InvitationEffects,
    private readonly limiter: AttemptLimiter,
    private readonly changes: ChangeRunner,
    private readonly installation: Installation,
  ) {}

  /** Null for an invalid token. @throws ApiError THROTTLED */
  async find(visitor: Visitor, token: string): Promise<InvitationView | null> {
    await this.limiter.take({ kind: 'invitation', address: visitor.address });
    return runInScope('all', async () => {
      const found = await this.invitations.find(token);
      if (found === null) return null;
      const { email, role, operatorRole, signUpName, tenant, expiresAt } = found;
      const hasAccount = await this.identity.hasAccount(email);
      const to = signUpName ?? tenant?.name ?? this.installation.brand.productName;
      return { email, to, role: role ?? operatorRole ?? 'OWNER', hasAccount, expiresAt };
    });
  }

  /** Creates an account or uses the existing one of the address. Errors: INVALID. @throws ApiError THROTTLED */
  async accept(visitor: Visitor, input: InvitationAcceptInput): Promise<Outcome<Accepted>> {
    await this.limiter.take({ kind: 'invitation', address: visitor.address });
    const parsed = parseInput(acceptSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { token, name, password } = parsed.data;
    return runInScope('all', async () => {
      const found = await this.invitations.find(token);
      const person =
        found === null
          ? await this.identity.rejectSlowly(password)
          : await this.identity.identify(visitor, found.email, name, password);
      if ('ok' in person) return person;
      const { requestId, dryRun } = visitor;
      const caller: Caller = { actor: personActor(person), requestId, dryRun };
      return this.changes.run<Accepted>(caller, { reason: null, onTaken: UNUSABLE }, async (change) => {
        const invitation = await this.invitations.take(change.tx, token);
        return invitation === null ? refuse([UNUSABLE]) : this.effects.apply(change, invitation, person);
      });
    });
  }
}

@Injectable()
export class SignUpService {
  constructor(
    private readonly issuer: InvitationIssuer,
    private readonly limiter: AttemptLimiter,
    private readonly changes: ChangeRunner,
    private readonly config: AppConfig,
  ) {}

  /**
   * Emails a link that creates the tenant when it is opened. The response does not reveal which keys and addresses
   * exist. A repeated sign-up replaces the link. Errors: INVALID if sign-up is closed. @throws ApiError THROTTLED
   */
  async signUp(visitor: Visitor, input: TenantSignUpInput): Promise<Outcome<null>> {
    const { address } = visitor;
    await this.limiter.take({ kind: 'sign-up', address, account: String(input.email) });
    if (this.config.signUpTier === undefined) {
      const message = 'Sign-up is closed. Ask the operator for an invitation.';
      return refuse([userError(UserErrorCode.INVALID, null, message)]);
    }
    const parsed = parseInput(signUpSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { key, name, email, reason } = parsed.data;
    if (visitor.dryRun) return { ok: true, value: null, changeId: null, impact: null };
    const caller = { actor: visitorActor(email), requestId: visitor.requestId };
    return runInScope('all', () =>
      this.changes.run<null>(caller, { reason }, async (change) => {
        await this.issuer.replaceSignUps(change, email);
        await this.issuer.issue(change, null, email, { signUpKey: key, signUpName: name });
        return null;
      }),
    );
  }
}
