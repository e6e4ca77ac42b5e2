import { Injectable } from '@nestjs/common';
import type { OperatorRole, SavedView, User } from '@tollgate/database';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

export type OperatorRow = User & { role: OperatorRole };

/** Operators belong to no tenant. */
@Injectable()
export class OperatorsRepository {
  constructor(private readonly database: Database) {}

  /** By email address. */
  async list(): Promise<OperatorRow[]> {
    const where = { role: { not: null } };
    return (await this.database.client.user.findMany({ where, orderBy: { email: 'asc' } })) as OperatorRow[];
  }

  async findById(id: string): Promise<OperatorRow | null> {
    const user = await this.database.client.user.findFirst({ where: { id, role: { not: null } } });
    return user as OperatorRow | null;
  }

  /** Locks the operator and all active owners, so that two owners cannot remove each other concurrently. */
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

  /** Also ends all sessions. */
  async remove(tx: Tx, id: string): Promise<void> {
    await tx.session.deleteMany({ where: { userId: id } });
    await tx.user.update({ where: { id }, data: { role: null } });
  }

  /** Suspending also ends all sessions. */
  async setSuspended(tx: Tx, id: string, suspendedAt: Date | null): Promise<OperatorRow> {
    if (suspendedAt !== null) await tx.session.deleteMany({ where: { userId: id } });
    return (await tx.user.update({ where: { id }, data: { suspendedAt } })) as OperatorRow;
  }
}

export type SavedViewRow = SavedView;

/** Views per operator and list. */
const MAX_VIEWS = 30;

@Injectable()
export class SavedViewsRepository {
  constructor(private readonly database: Database) {}

  list(userId: string, list: string): Promise<SavedViewRow[]> {
    return this.database.client.savedView.findMany({
      where: { userId, list },
      orderBy: { name: 'asc' },
      take: MAX_VIEWS,
    });
  }

  /** Replaces a view of the same name. False if there is no room. */
  async put(userId: string, { list, name, search }: Pick<SavedViewRow, 'list' | 'name' | 'search'>) {
    const { client } = this.database;
    const others = await client.savedView.count({ where: { userId, list, name: { not: name } } });
    if (others >= MAX_VIEWS) return false;
    await client.savedView.upsert({
      where: { userId_list_name: { userId, list, name } },
      create: { id: newId('savedView'), userId, list, name, search },
      update: { search },
    });
    return true;
  }

  /** Returns the list of the removed view; null if the user has no such view. */
  async remove(userId: string, id: string): Promise<string | null> {
    const view = await this.database.client.savedView.findFirst({ where: { id, userId } });
    if (view !== null) await this.database.client.savedView.deleteMany({ where: { id } });
    return view?.list ?? null;
  }
}
