import { Injectable } from '@nestjs/common';
import type { Passkey, Session, TwoFactor, User } from '@tollgate/database';
import { Database, type Tx } from '../../../platform/prisma/database.js';

export type AccountRow = User & { passkeys: Passkey[]; sessions: Session[]; twoFactors: TwoFactor[] };

/** Accounts belong to no tenant: each query is limited to one user. */
@Injectable()
export class AccountRepository {
  constructor(private readonly database: Database) {}

  /** Active sessions, last used first; passkeys, oldest first. */
  findWithSecurity(userId: string, now: Date): Promise<AccountRow | null> {
    return this.database.client.user.findUnique({
      where: { id: userId },
      include: {
        passkeys: { orderBy: { createdAt: 'asc' } },
        sessions: { where: { expiresAt: { gt: now } }, orderBy: { updatedAt: 'desc' } },
        twoFactors: { where: { verified: true } },
      },
    });
  }

  async lockByEmail(tx: Tx, email: string): Promise<User | null> {
    await tx.$queryRaw`SELECT 1 FROM "user" WHERE "email" = ${email} FOR UPDATE`;
    return tx.user.findUnique({ where: { email } });
  }

  findSession(tx: Tx, userId: string, id: string): Promise<Session | null> {
    return tx.session.findFirst({ where: { id, userId } });
  }

  async removeSession(tx: Tx, userId: string, id: string): Promise<void> {
    await tx.session.deleteMany({ where: { id, userId } });
  }

  async removeOtherSessions(tx: Tx, userId: string, keptId: string): Promise<number> {
    const { count } = await tx.session.deleteMany({ where: { userId, id: { not: keptId } } });
    return count;
  }

  /** Returns how many there were. */
  async removeSessionsAndPasskeys(tx: Tx, userId: string): Promise<{ sessions: number; passkeys: number }> {
    const sessions = await tx.session.deleteMany({ where: { userId } });
    const passkeys = await tx.passkey.deleteMany({ where: { userId } });
    return { sessions: sessions.count, passkeys: passkeys.count };
  }

  async removeTwoFactor(tx: Tx, userId: string): Promise<void> {
    await tx.twoFactor.deleteMany({ where: { userId } });
    await tx.user.update({ where: { id: userId }, data: { twoFactorEnabled: false } });
  }
}
