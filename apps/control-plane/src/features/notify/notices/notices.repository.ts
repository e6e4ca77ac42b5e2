import { Injectable } from '@nestjs/common';
import type { MemberRole, Notice, OperatorRole } from '@tollgate/database';
import type { Page } from '../../../platform/graphql/connection.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

export type NoticeRow = Notice;

export type NoticeFilter = { tenantId: string } | 'all';

export interface Recipient {
  tenantId: string | null;
  email: string;
  role: MemberRole | OperatorRole;
}

@Injectable()
export class NoticesRepository {
  constructor(private readonly database: Database) {}

  /** Newest first, with one row more than the page size if there is a next page. */
  list(filter: NoticeFilter, page: Page<string>): Promise<NoticeRow[]> {
    return this.database.client.notice.findMany({
      where: { ...matching(filter), ...(page.after === undefined ? {} : { id: { lt: page.after } }) },
      orderBy: { id: 'desc' },
      take: page.first + 1,
    });
  }

  findById(id: string): Promise<NoticeRow | null> {
    return this.database.client.notice.findUnique({ where: { id } });
  }

  count(filter: NoticeFilter): Promise<number> {
    return this.database.client.notice.count({ where: matching(filter) });
  }

  /** At most `max`. */
  async countNewer(filter: NoticeFilter, readUpTo: string, max: number): Promise<number> {
    const rows = await this.database.client.notice.findMany({
      where: { ...matching(filter), id: { gt: readUpTo } },
      select: { id: true },
      take: max,
    });
    return rows.length;
  }

  /** Empty if the user has read none. */
  async readUpTo(userId: string, tenantId: string): Promise<string> {
    const reader = await this.database.client.noticeReader.findUnique({
      where: { userId_tenantId: { userId, tenantId } },
    });
    return reader?.readUpTo ?? '';
  }

  /** An older `upTo` has no effect. */
  async markRead(userId: string, tenantId: string, upTo: string): Promise<void> {
    await this.database.client.$executeRaw`
      INSERT INTO "notice_reader" ("user_id", "tenant_id", "read_up_to") VALUES (${userId}, ${tenantId}, ${upTo})
      ON CONFLICT ("user_id", "tenant_id") DO UPDATE
        SET "read_up_to" = greatest("notice_reader"."read_up_to", excluded."read_up_to"), "read_at" = now()`;
  }

  /** Oldest first, locked. Skips rows locked by other workers. */
  async lockUndispatched(tx: Tx, limit: number): Promise<NoticeRow[]> {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT "id" FROM "notice" WHERE "dispatched_at" IS NULL ORDER BY "id" LIMIT ${limit} FOR UPDATE SKIP LOCKED`;
    return tx.notice.findMany({ where: { id: { in: rows.map(({ id }) => id) } }, orderBy: { id: 'asc' } });
  }

  async markDispatched(tx: Tx, ids: string[]): Promise<void> {
    await tx.$executeRaw`UPDATE "notice" SET "dispatched_at" = now() WHERE "id" = ANY(${ids})`;
  }

  async listZones(tenantIds: string[], tx: Tx = this.database.client): Promise<Map<string, string>> {
    const rows = await tx.tenant.findMany({
      where: { id: { in: tenantIds } },
      select: { id: true, timeZone: true },
    });
    return new Map(rows.map(({ id, timeZone }) => [id, timeZone]));
  }

  async listMembers(tx: Tx, tenantIds: string[]): Promise<Recipient[]> {
    return tx.member.findMany({
      where: { tenantId: { in: tenantIds } },
      select: { tenantId: true, email: true, role: true },
    });
  }

  async listOperators(tx: Tx): Promise<Recipient[]> {
    const rows = await tx.user.findMany({
      where: { role: { not: null } },
      select: { email: true, role: true },
    });
    return rows.flatMap(({ email, role }) => (role === null ? [] : [{ tenantId: null, email, role }]));
  }

  deleteBefore(before: Date, limit: number): Promise<number> {
    return this.database.client.$executeRaw`
      DELETE FROM "notice" WHERE "id" IN (
        SELECT "id" FROM "notice" WHERE "created_at" < ${before} AND "dispatched_at" IS NOT NULL LIMIT ${limit})`;
  }
}

function matching(filter: NoticeFilter): { tenantId?: string } {
  return filter === 'all' ? {} : filter;
}
