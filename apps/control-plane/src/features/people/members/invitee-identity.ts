import { Injectable } from '@nestjs/common';
import { randomBase62 } from '@tollgate/contracts/service-token';
import { type Refusal, refuse, userError } from '../../../platform/changes/outcome.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { AttemptLimiter, hashPassword, UsersRepository, verifyPassword } from '../../identity/index.js';
import { UNUSABLE } from './open-invitations.js';
import type { Person, Visitor } from './visitor.js';

/** Finds out whether somebody is who an invitation is for, and gives nothing away to those who are not. */
@Injectable()
export class InviteeIdentity {
  /** What a password is compared with where there is none to compare with. */
  private readonly nobodysHash = hashPassword(randomBase62(32));

  constructor(
    private readonly users: UsersRepository,
    private readonly limiter: AttemptLimiter,
  ) {}

  async hasAccount(email: string): Promise<boolean> {
    return (await this.users.findByEmail(email)) !== null;
  }

  /** Refuses the invitation, after as long as it takes to compare a password. */
  async waste(password: string | null | undefined): Promise<Refusal<never>> {
    await verifyPassword({ hash: await this.nobodysHash, password: password ?? '' });
    return refuse([UNUSABLE]);
  }

  /**
   * Who accepts: whoever has signed in under that address, knows its password, or gives it one. Refused: INVALID.
   * @throws ApiError THROTTLED
   */
  async identify(
    { actor, address }: Visitor,
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
    const attempt = await this.limiter.take({ kind: 'password', address, account: email });
    const hash = await this.users.findPasswordHash(user.id);
    if (await verifyPassword({ hash: hash ?? (await this.nobodysHash), password: password ?? '' })) {
      attempt.refund();
      return { id: user.id, email, name: user.name };
    }
    const message = 'This address has an account: give its password, or sign in first.';
    return refuse([userError(UserErrorCode.INVALID, ['password'], message)]);
  }
}
