import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { type Outcome, parseInput, refuse } from '../../../platform/changes/outcome.js';
import { runInScope } from '../../../platform/scope/tenant-scope.js';
import { AttemptLimiter } from '../../identity/index.js';
import { acceptSchema } from './invitation.rules.js';
import { InviteeIdentity } from './invitee-identity.js';
import { type Accepted, Joining } from './joining.js';
import type { InvitationAcceptInput } from './members.graphql.js';
import { OpenInvitations, UNUSABLE } from './open-invitations.js';
import { personActor, type Visitor } from './visitor.js';

/** What somebody is shown who holds an invitation. */
export interface InvitationView {
  email: string;
  to: string;
  role: string;
  hasAccount: boolean;
  expiresAt: Date;
}

/**
 * Lets people in. All of it runs for whoever holds a token: until that is known to be good, nothing else is looked at, and a
 * bad one takes as long to refuse as a good one to accept.
 */
@Injectable()
export class AcceptService {
  constructor(
    private readonly invitations: OpenInvitations,
    private readonly identity: InviteeIdentity,
    private readonly joining: Joining,
    private readonly limiter: AttemptLimiter,
    private readonly changes: ChangeRunner,
  ) {}

  /** What the token is for; null for one that cannot be used. @throws ApiError THROTTLED */
  async find(visitor: Visitor, token: string): Promise<InvitationView | null> {
    await this.limiter.take({ kind: 'invitation', address: visitor.address });
    return runInScope('all', async () => {
      const found = await this.invitations.find(token);
      if (found === null) return null;
      const { email, role, operatorRole, signUpName, tenant, expiresAt } = found;
      const hasAccount = await this.identity.hasAccount(email);
      const to = signUpName ?? tenant?.name ?? 'Tollgate';
      return { email, to, role: role ?? operatorRole ?? 'OWNER', hasAccount, expiresAt };
    });
  }

  /**
   * Accepts an invitation, once: makes an account, or goes on with the one that the address has. Refused: INVALID.
   * @throws ApiError THROTTLED
   */
  async accept(visitor: Visitor, input: InvitationAcceptInput): Promise<Outcome<Accepted>> {
    await this.limiter.take({ kind: 'invitation', address: visitor.address });
    const parsed = parseInput(acceptSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { token, name, password } = parsed.data;
    return runInScope('all', async () => {
      const found = await this.invitations.find(token);
      const person =
        found === null
          ? await this.identity.waste(password)
          : await this.identity.identify(visitor, found.email, name, password);
      if ('ok' in person) return person;
      const { requestId, dryRun } = visitor;
      const caller: Caller = { actor: personActor(person), requestId, dryRun };
      return this.changes.run<Accepted>(caller, { reason: null, onTaken: UNUSABLE }, async (change) => {
        const invitation = await this.invitations.take(change.tx, token);
        return invitation === null ? refuse([UNUSABLE]) : this.joining.join(change, invitation, person);
      });
    });
  }
}
