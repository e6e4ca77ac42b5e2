import { createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { GqlExecutionContext } from '@nestjs/graphql';
import { randomBase62 } from '@tollgate/contracts/service-token';
import { abilityOf } from '../../../platform/access/ability.js';
import type { Actor } from '../../../platform/access/actor.js';
import { type Refusal, refuse, userError } from '../../../platform/changes/outcome.js';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { AttemptLimiter, hashPassword, UsersRepository, verifyPassword } from '../../identity/index.js';

/** What whoever holds a token that is good for nothing is told: not why. */
export const UNUSABLE = userError(
  UserErrorCode.INVALID,
  ['token'],
  'This invitation cannot be used: it is unknown, has expired, was used or was taken back. Ask for a new one.',
);

/** Whoever asks without having signed in, or with: what is known of them. */
export interface Visitor {
  actor: Actor | undefined;
  address: string;
  cookie: string | undefined;
  requestId: string;
  dryRun: boolean;
}

/** Whoever an invitation is for, once they have shown that they are. */
export interface Person {
  /** Undefined: somebody new. */
  id: string | undefined;
  email: string;
  name: string;
  passwordHash?: string;
}

/** Somebody who accepts, as the audit trail names them. */
export function personActor({ id, email, name }: Person): Actor {
  return { ...visitorActor(email), id: id ?? 'new', name };
}

/** Somebody who has no account yet, and may do nothing but this. */
export function visitorActor(email: string): Actor {
  const ability = abilityOf(null, []);
  return { kind: 'USER', id: 'new', label: email, name: email, email, role: null, memberships: [], ability };
}

/** Whoever asks, signed in or not. */
export const CurrentVisitor = createParamDecorator(
  async (_: unknown, execution: ExecutionContext): Promise<Visitor> => {
    const graphql = GqlExecutionContext.create(execution);
    const context = graphql.getContext<GraphqlContext>();
    const { input } = graphql.getArgs<{ input?: { dryRun?: unknown } | null }>();
    return {
      actor: await context.actor,
      address: context.req.ip,
      cookie: context.req.headers.cookie,
      requestId: context.requestId,
      dryRun: input?.dryRun === true,
    };
  },
);

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
