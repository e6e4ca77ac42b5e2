import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import type { Membership } from '../../../platform/access/ability.js';
import { Log } from '../../../platform/logging/log.js';
import { Database } from '../../../platform/prisma/database.js';
import type { OperatorRole } from '../../../platform/prisma/schema.js';
import { AccountEvents, AccountHooks } from './account-events.js';
import { AttemptLimiter } from './attempt-limiter.js';
import { AttemptLimits, KnownDevices } from './attempt-limits.js';
import { type Auth, createAuth } from './auth.js';
import { hashPassword, UsersRepository } from './users.repository.js';

export interface SignedInUser {
  id: string;
  name: string;
  email: string;
  /** Null: no operator. */
  role: OperatorRole | null;
  sessionId: string;
}

/** Operators and how they sign in. */
@Injectable()
export class AuthService {
  private readonly auth: Auth;
  private readonly limits: AttemptLimits;
  /** Receives the secret that better-auth makes within a call of ours. */
  private readonly issued = new AsyncLocalStorage<{ secret?: string }>();

  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    log: Log,
    limiter: AttemptLimiter,
    devices: KnownDevices,
    events: AccountEvents,
    private readonly users: UsersRepository,
  ) {
    this.limits = new AttemptLimits(limiter, devices);
    const hooks = new AccountHooks(events, devices);
    const keep = (secret: string) => Object.assign(this.issued.getStore() ?? {}, { secret });
    const links = { signIn: keep, passwordReset: keep };
    this.auth = createAuth({ config, database, log, limits: this.limits, hooks, links });
  }

  /** Answers a request to one of better-auth's own paths. */
  async handle(request: Request): Promise<Response> {
    const response = await this.database.surfacing(() => this.auth.handler(request));
    this.limits.finish(request, response.status);
    return response;
  }

  /** The user of the session cookie; undefined without a valid one. Asked anew each time: a revoked session ends at once. */
  async findSessionUser(cookie: string | undefined): Promise<SignedInUser | undefined> {
    if (cookie === undefined) return undefined;
    const headers = new Headers({ cookie });
    const found = await this.database.surfacing(() => this.auth.api.getSession({ headers }));
    if (found === null) return undefined;
    const { id, name, email, role, suspendedAt } = found.user;
    if (suspendedAt != null) return undefined;
    await this.users.touchSession(found.session);
    return { id, name, email, role: (role ?? null) as OperatorRole | null, sessionId: found.session.id };
  }

  /** The account of an address; null without one, and for a suspended one. */
  async findAccount(email: string): Promise<{ id: string } | null> {
    const user = await this.users.findByEmail(email);
    return user?.suspendedAt === null ? user : null;
  }

  /** The tenants that a user belongs to. */
  listMemberships(userId: string): Promise<Membership[]> {
    return this.users.listMemberships(userId);
  }

  /** Ids of the tenants of these keys; keys that no tenant has are left out. */
  listTenantIds(keys: readonly string[]): Promise<string[]> {
    return this.users.listTenantIds(keys);
  }

  /** A link that signs `email` in, once, within twelve hours. The user must exist for it to work. */
  issueSignInUrl(email: string): Promise<string> {
    const body = { email: email.toLowerCase(), callbackURL: '/' };
    return this.issue(() => this.auth.api.signInMagicLink({ body, headers: new Headers() }));
  }

  /** A link that sets a new password for `email`, once, within an hour. @throws Error when there is no such account */
  async issuePasswordResetUrl(email: string): Promise<string> {
    const body = { email: email.toLowerCase() };
    const token = await this.issue(() => this.auth.api.requestPasswordReset({ body }));
    // Behind the `#`, which no server and no log gets to see.
    return `${this.config.publicOrigin}/reset-password#${token}`;
  }

  private issue(call: () => Promise<unknown>): Promise<string> {
    const slot: { secret?: string } = {};
    return this.issued.run(slot, async () => {
      await call();
      if (slot.secret === undefined) throw new Error('No link was made');
      return slot.secret;
    });
  }

  /** Creates an operator unless the address has one already; an existing one keeps role and password. */
  async ensureOperator(operator: {
    email: string;
    name: string;
    role: OperatorRole | null;
    password: string;
  }): Promise<void> {
    if ((await this.users.findByEmail(operator.email)) !== null) return;
    const { password, ...rest } = operator;
    await this.users.create({ ...rest, passwordHash: await hashPassword(password) });
  }
}
