import { Injectable } from '@nestjs/common';
import { randomBase62 } from '@tollgate/contracts/service-token';
import { AppConfig } from '../../config/app-config.js';
import { abilityOf } from '../../platform/access/ability.js';
import type { Actor, Caller } from '../../platform/access/actor.js';
import type { Change } from '../../platform/changes/change.js';
import { ChangeRunner } from '../../platform/changes/change-runner.js';
import { type Outcome, parseInput, type Refusal, refuse, userError } from '../../platform/changes/outcome.js';
import { Clock } from '../../platform/clock/clock.js';
import { UserErrorCode } from '../../platform/graphql/user-error.graphql.js';
import { runInScope } from '../../platform/scope/tenant-scope.js';
import { hashPassword, UsersRepository, verifyPassword } from '../auth/index.js';
import { TenantsRepository, TenantsService } from '../tenants/index.js';
import { AttemptLimiter } from './attempt-limiter.js';
import { acceptSchema, signUpSchema } from './invitation.rules.js';
import { InvitationLinks } from './invitation-links.js';
import { type InvitationRow, InvitationsRepository } from './invitations.repository.js';
import { InvitationsService } from './invitations.service.js';
import type { InvitationAcceptInput, TenantSignUpInput } from './members.graphql.js';
import { MembersRepository } from './members.repository.js';

/** Whoever asks without having signed in, or with: what is known of them. */
export interface Visitor {
  actor: Actor | undefined;
  address: string;
  requestId: string;
  dryRun: boolean;
}

/** What an invitation has led to. */
export interface Accepted {
  email: string;
  /** Null: an operator now. */
  tenantKey: string | null;
}

/** What somebody is shown who holds an invitation. */
export interface InvitationView {
  email: string;
  to: string;
  role: string;
  hasAccount: boolean;
  expiresAt: Date;
}

const UNUSABLE = userError(
  UserErrorCode.INVALID,
  ['token'],
  'This invitation cannot be used: it is unknown, has expired, was used or was taken back. Ask for a new one.',
);

/**
 * Lets people in. All of it runs for whoever holds a token: until that is known to be good, nothing else is looked at, and a
 * bad one takes as long to refuse as a good one to accept.
 */
@Injectable()
export class AcceptService {
  /** What a password is compared with where there is none to compare with. */
  private readonly nobodysHash = hashPassword(randomBase62(32));

  constructor(
    private readonly invitations: InvitationsRepository,
    private readonly inviting: InvitationsService,
    private readonly members: MembersRepository,
    private readonly users: UsersRepository,
    private readonly tenants: TenantsRepository,
    private readonly creation: TenantsService,
    private readonly links: InvitationLinks,
    private readonly limiter: AttemptLimiter,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  /** What the token is for; null for one that cannot be used. @throws ApiError THROTTLED */
  async find(visitor: Visitor, token: string): Promise<InvitationView | null> {
    await this.limiter.take('invitation', visitor.address);
    return runInScope('all', async () => {
      const found = await this.invitations.findByHash(this.links.hash(token));
      if (found === null || !this.isOpen(found)) return null;
      const { email, role, operatorRole, signUpName, tenant, expiresAt } = found;
      const hasAccount = (await this.users.findByEmail(email)) !== null;
      const to = signUpName ?? tenant?.name ?? 'Tollgate';
      return { email, to, role: role ?? operatorRole ?? 'OWNER', hasAccount, expiresAt };
    });
  }

  /**
   * Accepts an invitation, once: makes an account, or goes on with the one that the address has. Refused: INVALID.
   * @throws ApiError THROTTLED
   */
  async accept(visitor: Visitor, input: InvitationAcceptInput): Promise<Outcome<Accepted>> {
    await this.limiter.take('invitation', visitor.address);
    const parsed = parseInput(acceptSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { token, name, password } = parsed.data;
    const hash = this.links.hash(token);
    return runInScope('all', async () => {
      const found = await this.invitations.findByHash(hash);
      const person =
        found === null || !this.isOpen(found)
          ? await this.waste(password)
          : await this.identify(visitor, found.email, name, password);
      if ('ok' in person) return person;
      const caller: Caller = {
        actor: actorOf(person),
        requestId: visitor.requestId,
        dryRun: visitor.dryRun,
      };
      return this.changes.run<Accepted>(caller, { reason: null, onTaken: UNUSABLE }, async (change) => {
        const invitation = await this.invitations.lockByHash(change.tx, hash);
        if (invitation === null || !this.isOpen(invitation)) return refuse([UNUSABLE]);
        await this.invitations.accept(change.tx, invitation.id, this.clock.now());
        return this.join(change, invitation, person);
      });
    });
  }

  /**
   * Takes note of somebody who wants a tenant, and sends a link there: nothing is made for an address that nobody has
   * confirmed. Refused: INVALID where nobody may sign up, TAKEN. @throws ApiError THROTTLED
   */
  async signUp(visitor: Visitor, input: TenantSignUpInput): Promise<Outcome<null>> {
    await this.limiter.take('sign-up', visitor.address);
    if (this.config.signUpTier === undefined) {
      const message = 'Nobody may sign up here. Ask the operator for an invitation.';
      return refuse([userError(UserErrorCode.INVALID, null, message)]);
    }
    const parsed = parseInput(signUpSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { key, name, email, reason } = parsed.data;
    const caller = { actor: visitorActor(email), requestId: visitor.requestId, dryRun: visitor.dryRun };
    const onTaken = userError(UserErrorCode.TAKEN, ['email'], 'A link was sent to this address already.');
    return runInScope('all', () =>
      this.changes.run<null>(caller, { reason, onTaken }, async (change) => {
        if ((await this.tenants.findByKey(key)) !== null)
          return refuse([userError(UserErrorCode.TAKEN, ['key'], 'This key is in use already.')]);
        await this.inviting.invite(change, null, email, { signUpKey: key, signUpName: name });
        return null;
      }),
    );
  }

  private isOpen({ acceptedAt, revokedAt, expiresAt }: InvitationRow): boolean {
    return acceptedAt === null && revokedAt === null && expiresAt > this.clock.now();
  }

  private async waste(password: string | null | undefined): Promise<Refusal<never>> {
    await verifyPassword({ hash: await this.nobodysHash, password: password ?? '' });
    return refuse([UNUSABLE]);
  }

  /** Who accepts: whoever has signed in under that address, knows its password, or gives it one. */
  private async identify(
    { actor }: Visitor,
    email: string,
    name: string | null | undefined,
    password: string | null | undefined,
  ): Promise<Person | Refusal<never>> {
    const user = await this.users.findByEmail(email);
    if (user === null) {
      const missing = [
        ...(name ? [] : [userError(UserErrorCode.INVALID, ['name'], 'Say your name.')]),
        ...(password ? [] : [userError(UserErrorCode.INVALID, ['password'], 'Choose a password.')]),
      ];
      if (!name || !password) return refuse(missing);
      return { id: undefined, email, name, passwordHash: await hashPassword(password) };
    }
    if (user.suspendedAt !== null) return this.waste(password);
    if (actor?.kind === 'USER' && actor.id === user.id) return { id: user.id, email, name: user.name };
    await this.limiter.take('password', email);
    const hash = await this.users.findPasswordHash(user.id);
    if (await verifyPassword({ hash: hash ?? (await this.nobodysHash), password: password ?? '' }))
      return { id: user.id, email, name: user.name };
    const message = 'This address has an account: give its password, or sign in first.';
    return refuse([userError(UserErrorCode.INVALID, ['password'], message)]);
  }

  private async join(
    change: Change,
    invitation: InvitationRow,
    person: Person,
  ): Promise<Accepted | Refusal<Accepted>> {
    const { email, operatorRole, signUpKey, signUpName } = invitation;
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
      if (!made.ok) return refuse([userError(UserErrorCode.INVALID, ['token'], firstMessage(made.errors))]);
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
    action: string,
    entityId: string,
    tenantKey: string | null,
    after: Record<string, string>,
  ): Promise<void> {
    const entity = tenantKey === null ? 'User' : 'Member';
    return change.audit({
      action,
      entity,
      entityId,
      ...(tenantKey === null ? {} : { tenantKey }),
      before: null,
      after,
    });
  }
}

interface Person {
  /** Undefined: somebody new. */
  id: string | undefined;
  email: string;
  name: string;
  passwordHash?: string;
}

function actorOf({ id, email, name }: Person): Actor {
  return { ...visitorActor(email), id: id ?? 'new', name };
}

/** Somebody who has no account yet, and may do nothing but this. */
function visitorActor(email: string): Actor {
  const ability = abilityOf(null, []);
  return { kind: 'USER', id: 'new', label: email, name: email, email, role: null, memberships: [], ability };
}

function firstMessage(errors: readonly { message: string }[]): string {
  return errors[0]?.message ?? UNUSABLE.message;
}
