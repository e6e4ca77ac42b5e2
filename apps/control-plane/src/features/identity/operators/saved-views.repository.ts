import { Injectable } from '@nestjs/common';
import type { SavedView } from '@tollgate/database';
import { newId } from '../../../platform/ids.js';
import { Database } from '../../../platform/prisma/database.js';

export type SavedViewRow = SavedView;

/** Views per operator and list. */
const MAX_VIEWS = 30;

/** Saved views of operators. */
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
