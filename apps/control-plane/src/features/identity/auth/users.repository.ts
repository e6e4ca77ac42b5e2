import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { type OperatorRole, TenantStatus, type User } from '@tollgate/database';
import type { PasswordCost } from '../../../config/app-config.js';
import type { Membership } from '../../../platform/access/ability.js';
import { Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

/** With Argon2id, the library's default. */
export function hashPassword(password: string, cost: PasswordCost): Promise<string> {
  return hash(password, cost);
}

/** False for an invalid hash. */
export async function verifyPassword(stored: { hash: string; password: string }): Promise<boolean> {
  return verify(stored.hash, stored.password).catch(() => false);
}

const PASSWORD_PROVIDER = 'credential';

/** Precision of a session's `lastUsedAt`. */
const TOUCH_MS = 60_000;

@Injectable()
export class UsersRepository {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Email addresses are stored in lower case. */
  findByEmail(email: string, tx: Tx = this.database.client): Promise<User | null> {
    return tx.user.findUnique({ where: { email: email.toLowerCase() } });
  }

  /** Null without a password. */
  async findPasswordHash(userId: string, tx: Tx = this.database.client): Promise<string | null> {
    const account = await tx.account.findFirst({ where: { userId, providerId: PASSWORD_PROVIDER } });
    return account?.password ?? null;
  }

  /** At most once a minute. */
  async touchSession({ id, updatedAt }: { id: string; updatedAt: Date }): Promise<void> {
    const now = this.clock.now();
    if (now.getTime() - updatedAt.getTime() < TOUCH_MS) return;
    await this.database.client.session.updateMany({ where: { id }, data: { updatedAt: now } });
  }

  setRole(tx: Tx, id: string, role: OperatorRole): Promise<User> {
    return tx.user.update({ where: { id }, data: { role } });
  }

  async listMemberships(userId: string): Promise<Membership[]> {
    const rows = await this.database.client.member.findMany({
      where: { userId, tenant: { status: { not: TenantStatus.ARCHIVED } } },
      select: { role: true, tenant: { select: { id: true, key: true, name: true } } },
      orderBy: { tenant: { key: 'asc' } },
    });
    return rows.map(({ role, tenant: { id, key, name } }) => ({
      ...{ tenantId: id, tenantKey: key, tenantName: name },
      role,
    }));
  }

  async listTenantIds(keys: readonly string[]): Promise<string[]> {
    const where = { key: { in: [...keys] } };
    const rows = await this.database.client.tenant.findMany({ where, select: { id: true } });
    return rows.map(({ id }) => id);
  }

  /** The address counts as verified: an admin has entered it, or a link sent to it was opened. */
  async create(
    user: { email: string; name: string; role: OperatorRole | null; passwordHash: string },
    tx: Tx = this.database.client,
  ): Promise<User> {
    const { email, name, role, passwordHash } = user;
    const id = newId('user');
    const account = {
      id: newId('account'),
      accountId: id,
      providerId: PASSWORD_PROVIDER,
      password: passwordHash,
    };
    return tx.user.create({
      data: {
        id,
        email: email.toLowerCase(),
        name,
        role,
        emailVerified: true,
        accounts: { create: account },
      },
    });
  }
}
