import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import type { Membership } from '../../platform/access/ability.js';
import { Log } from '../../platform/logging/log.js';
import { Database } from '../../platform/prisma/database.js';
import type { OperatorRole } from '../../platform/prisma/schema.js';
import { AttemptLimiter } from './attempt-limiter.js';
import { AttemptLimits } from './attempt-limits.js';
import { type Auth, createAuth } from './auth.js';
import { KnownDevices } from './known-devices.js';
import { hashPassword } from './password.js';
import { UsersRepository } from './users.repository.js';

export interface SignedInUser {
  id: string;
  name: string;
  email: string;
  /** Null: no operator. */
  role: OperatorRole | null;
}

/** Operators and how they sign in. */
@Injectable()
export class AuthService {
  private readonly auth: Auth;
  private readonly limits: AttemptLimits;
  private readonly links = new Map<string, string>();

  constructor(
    config: AppConfig,
    private readonly database: Database,
    log: Log,
    limiter: AttemptLimiter,
    private readonly users: UsersRepository,
  ) {
    const devices = new KnownDevices(config.sessionSecret, config.publicOrigin.startsWith('https:'));
    this.limits = new AttemptLimits(limiter, devices);
    this.auth = createAuth(config, database, log, this.limits, ({ email, url }) =>
      this.links.set(email, url),
    );
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
    return { id, name, email, role: (role ?? null) as OperatorRole | null };
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
  async issueSignInUrl(email: string): Promise<string> {
    const address = email.toLowerCase();
    await this.auth.api.signInMagicLink({
      body: { email: address, callbackURL: '/' },
      headers: new Headers(),
    });
    const url = this.links.get(address);
    this.links.delete(address);
    if (url === undefined) throw new Error('No sign-in link was made');
    return url;
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
