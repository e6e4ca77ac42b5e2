import { Injectable } from '@nestjs/common';
import type { OperatorRole, User } from '@tollgate/database';
import { Database, type Tx } from '../../../platform/prisma/database.js';

/** A user with an operator role. */
export type OperatorRow = User & { role: OperatorRole };

/** Queries on operators. They belong to the installation, not to a tenant. */
@Injectable()
export class OperatorsRepository {
  constructor(private readonly database: Database) {}

  /** All operators, by email address. */
  async list(): Promise<OperatorRow[]> {
    const where = { role: { not: null } };
    return (await this.database.client.user.findMany({ where, orderBy: { email: 'asc' } })) as OperatorRow[];
  }

  async findById(id: string): Promise<OperatorRow | null> {
    const user = await this.database.client.user.findFirst({ where: { id, role: { not: null } } });
    return user as OperatorRow | null;
  }

  /**
   * The operator with this id and all active owners, locked, so that two owners cannot remove each other concurrently.
   */
  async lockWithOwners(tx: Tx, id: string): Promise<{ operator: OperatorRow | null; owners: string[] }> {
    await tx.$queryRaw`SELECT 1 FROM "user" WHERE "id" = ${id} OR "role" = 'OWNER' ORDER BY "id" FOR UPDATE`;
    const owners = await tx.user.findMany({
      where: { role: 'OWNER', suspendedAt: null },
      select: { id: true },
    });
    const operator = await tx.user.findFirst({ where: { id, role: { not: null } } });
    return { operator: operator as OperatorRow | null, owners: owners.map((owner) => owner.id) };
  }

  async setRole(tx: Tx, id: string, role: OperatorRole): Promise<OperatorRow> {
    return (await tx.user.update({ where: { id }, data: { role } })) as OperatorRow;
  }

  /** Removes the role and ends all sessions. */
  async remove(tx: Tx, id: string): Promise<void> {
    await tx.session.deleteMany({ where: { userId: id } });
    await tx.user.update({ where: { id }, data: { role: null } });
  }

  /** Suspends (and ends all sessions) or resumes the operator. */
  async setSuspended(tx: Tx, id: string, suspendedAt: Date | null): Promise<OperatorRow> {
    if (suspendedAt !== null) await tx.session.deleteMany({ where: { userId: id } });
    return (await tx.user.update({ where: { id }, data: { suspendedAt } })) as OperatorRow;
  }
}
