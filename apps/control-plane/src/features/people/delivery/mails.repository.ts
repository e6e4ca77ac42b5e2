import { Injectable } from '@nestjs/common';
import type { Mail, Prisma } from '@tollgate/database';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

export type MailRow = Mail;

@Injectable()
export class MailsRepository {
  constructor(private readonly database: Database) {}

  /** Skips existing mails of the same notice and address. */
  async createMany(tx: Tx, mails: Omit<Prisma.MailCreateManyInput, 'id'>[]): Promise<void> {
    const rows = mails.map((mail) => ({ id: newId('mail'), ...mail }));
    await tx.mail.createMany({ data: rows, skipDuplicates: true });
  }

  /** Claims up to `limit` due mails; other workers do not get them before `until`. */
  async claim(now: Date, until: Date, limit: number): Promise<MailRow[]> {
    const rows = await this.database.client.$queryRaw<{ id: string }[]>`
      UPDATE "mail" SET "next_attempt_at" = ${until}, "attempts" = "attempts" + 1 WHERE "id" IN (
        SELECT "id" FROM "mail" WHERE "status" = 'PENDING' AND "next_attempt_at" <= ${now}
        ORDER BY "next_attempt_at" LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ) RETURNING "id"`;
    return this.database.client.mail.findMany({ where: { id: { in: rows.map(({ id }) => id) } } });
  }

  async markSent(id: string, sentAt: Date): Promise<void> {
    await this.database.client.mail.update({
      where: { id },
      data: { status: 'SENT', sentAt, lastError: null },
    });
  }

  /** @param nextAttemptAt null: no further attempt */
  async markFailed(id: string, lastError: string, nextAttemptAt: Date | null): Promise<void> {
    const next = nextAttemptAt === null ? ({ status: 'FAILED' } as const) : { nextAttemptAt };
    await this.database.client.mail.update({ where: { id }, data: { lastError, ...next } });
  }

  listNewest(limit: number): Promise<MailRow[]> {
    return this.database.client.mail.findMany({ orderBy: { id: 'desc' }, take: limit });
  }

  findById(id: string): Promise<MailRow | null> {
    return this.database.client.mail.findUnique({ where: { id } });
  }

  deleteBefore(before: Date, limit: number): Promise<number> {
    return this.database.client.$executeRaw`
      DELETE FROM "mail" WHERE "id" IN (
        SELECT "id" FROM "mail" WHERE "created_at" < ${before} AND "status" <> 'PENDING' LIMIT ${limit})`;
  }
}
