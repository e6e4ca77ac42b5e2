import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import type { Membership } from '../../../platform/access/ability.js';
import { Log } from '../../../platform/log.js';
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
  role: OperatorRole | null;
  sessionId: string;
  signedInAt: Date;
}

@Injectable()
export class AuthService {
  private readonly auth: Auth;
  private readonly limits: AttemptLimits;
  /** Captures the secret that better-auth generates. */
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

  async handle(request: Request): Promise<Response> {
    const response = await this.database.surfacing(() => this.auth.handler(request));
    this.limits.finish(request, response.status);
    return response;
  }

  /** Never cached, so that a revoked session ends immediately. */
  async findSessionUser(cookie: string | undefined): Promise<SignedInUser | undefined> {
    if (cookie === undefined) return undefined;
    const headers = new Headers({ cookie });
    const found = await this.database.surfacing(() => this.auth.api.getSession({ headers }));
    if (found === null) return undefined;
    const { id, name, email, role, suspendedAt } = found.user;
    if (suspendedAt != null) return undefined;
    await this.users.touchSession(found.session);
    const session = { sessionId: found.session.id, signedInAt: new Date(found.session.createdAt) };
    return { id, name, email, role: (role ?? null) as OperatorRole | null, ...session };
  }

  /** The account with this email address; null if there is none or it is suspended. */
  async findAccount(email: string): Promise<{ id: string } | null> {
    const user = await this.users.findByEmail(email);
    return user?.suspendedAt === null ? user : null;
  }

  listMemberships(userId: string): Promise<Membership[]> {
    return this.users.listMemberships(userId);
  }

  /** Unknown keys are omitted. */
  listTenantIds(keys: readonly string[]): Promise<string[]> {
    return this.users.listTenantIds(keys);
  }

  /** Valid for twelve hours, once. Works only if the user exists. */
  issueSignInUrl(email: string): Promise<string> {
    const body = { email: email.toLowerCase(), callbackURL: '/' };
    return this.issue(() => this.auth.api.signInMagicLink({ body, headers: new Headers() }));
  }

  /** Valid for one hour, once. @throws Error if the account does not exist */
  async issuePasswordResetUrl(email: string): Promise<string> {
    const body = { email: email.toLowerCase() };
    const token = await this.issue(() => this.auth.api.requestPasswordReset({ body }));
    // The fragment is not sent to servers and does not appear in logs.
    return `${this.config.publicOrigin}/reset-password#${token}`;
  }

  private issue(call: () => Promise<unknown>): Promise<string> {
    const slot: { secret?: string } = {};
    return this.issued.run(slot, async () => {
      await call();
      if (slot.secret === undefined) throw new Error('better-auth returned no link');
      return slot.secret;
    });
  }

  /** An existing user with this address keeps role and password. */
  async ensureOperator(operator: {
    email: string;
    name: string;
    role: OperatorRole | null;
    password: string;
  }): Promise<void> {
    if ((await this.users.findByEmail(operator.email)) !== null) return;
    const { password, ...rest } = operator;
    const passwordHash = await hashPassword(password, this.config.passwordCost);
    await this.users.create({ ...rest, passwordHash });
  }
}
