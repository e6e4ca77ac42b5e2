import { Injectable } from '@nestjs/common';
import type { Member, MemberRole } from '@tollgate/database';
import { newId } from '../../../platform/ids.js';
import type { Tx } from '../../../platform/prisma/database.js';

export type MemberRow = Member;

/** Callers lock the tenant. */
@Injectable()
export class MembersRepository {
  findOf(tx: Tx, tenantId: string, id: string): Promise<MemberRow | null> {
    return tx.member.findFirst({ where: { id, tenantId } });
  }

  findByEmail(tx: Tx, tenantId: string, email: string): Promise<MemberRow | null> {
    return tx.member.findUnique({ where: { tenantId_email: { tenantId, email } } });
  }

  countOwners(tx: Tx, tenantId: string): Promise<number> {
    return tx.member.count({ where: { tenantId, role: 'OWNER' } });
  }

  /** Replaces a member entry of the same address that never signed in. */
  async join(
    tx: Tx,
    tenantId: string,
    data: Pick<Member, 'email' | 'name' | 'role'> & { userId: string },
  ): Promise<MemberRow> {
    return tx.member.upsert({
      where: { tenantId_email: { tenantId, email: data.email } },
      create: { id: newId('member'), tenantId, ...data },
      update: data,
    });
  }

  async setRole(tx: Tx, tenantId: string, id: string, role: MemberRole): Promise<MemberRow | null> {
    await tx.member.updateMany({ where: { id, tenantId }, data: { role } });
    return this.findOf(tx, tenantId, id);
  }

  async remove(tx: Tx, tenantId: string, id: string): Promise<void> {
    await tx.member.deleteMany({ where: { id, tenantId } });
  }
}
