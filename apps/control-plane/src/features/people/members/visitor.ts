import { createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { GqlExecutionContext } from '@nestjs/graphql';
import { randomBase62 } from '@tollgate/contracts/service-token';
import { AppConfig } from '../../../config/app-config.js';
import { abilityOf } from '../../../platform/access/ability.js';
import type { Actor } from '../../../platform/access/actor.js';
import { invalid, type Refusal, refuse } from '../../../platform/changes/outcome.js';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import { AttemptLimiter, hashPassword, UsersRepository, verifyPassword } from '../../identity/index.js';

/** Does not reveal why the token is invalid. */
export const UNUSABLE = invalid(
  ['token'],
  'This invitation is no longer valid: it has expired, was used or was revoked. Ask for a new one.',
);

/** A request that may be anonymous. */
export interface Visitor {
  actor: Actor | undefined;
  address: string;
  cookie: string | undefined;
  requestId: string;
  dryRun: boolean;
}

export interface Person {
  /** Undefined: no account yet. */
  id: string | undefined;
  email: string;
  name: string;
  passwordHash?: string;
}

export function personActor({ id, email, name }: Person): Actor {
  return { ...visitorActor(email), id: id ?? 'new', name };
}

export function visitorActor(email: string): Actor {
  const ability = abilityOf(null, []);
  return { kind: 'USER', id: 'new', label: email, name: email, email, role: null, memberships: [], ability };
}

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

@Injectable()
export class InviteeIdentity {
  /** Used if there is no hash, so that the duration is the same. */
  private readonly dummyHash: Promise<string>;

  constructor(
    private readonly config: AppConfig,
    private readonly users: UsersRepository,
    private readonly limiter: AttemptLimiter,
  ) {
    this.dummyHash = hashPassword(randomBase62(32), config.passwordCost);
  }

  async hasAccount(email: string): Promise<boolean> {
    return (await this.users.findByEmail(email)) !== null;
  }

  /** Takes as long as a password comparison. */
  async rejectSlowly(password: string | null | undefined): Promise<Refusal<never>> {
    await verifyPassword({ hash: await this.dummyHash, password: password ?? '' });
    return refuse([UNUSABLE]);
  }

  /**
   * Identifies the person by session, by password, or by a new password without an account. Errors: INVALID. @throws
   * ApiError THROTTLED
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
        ...(name ? [] : [invalid(['name'], 'Enter your name.')]),
        ...(password ? [] : [invalid(['password'], 'Choose a password.')]),
      ];
      if (!name || !password) return refuse(missing);
      const passwordHash = await hashPassword(password, this.config.passwordCost);
      return { id: undefined, email, name, passwordHash };
    }
    if (user.suspendedAt !== null) return this.rejectSlowly(password);
    if (actor?.kind === 'USER' && actor.id === user.id) return { id: user.id, email, name: user.name };
    const attempt = await this.limiter.take({ kind: 'password', address, account: email });
    const hash = await this.users.findPasswordHash(user.id);
    if (await verifyPassword({ hash: hash ?? (await this.dummyHash), password: password ?? '' })) {
      attempt.refund();
      return { id: user.id, email, name: user.name };
    }
    const message = 'This address has an account. Enter its password or sign in first.';
    return refuse([invalid(['password'], message)]);
  }
}
