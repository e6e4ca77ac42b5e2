import { Injectable } from '@nestjs/common';
import type { MoneyEntry } from '@tollgate/database';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import type { MoneyMove } from './purchase.money.js';
import type { PurchaseRow } from './purchases.repository.js';

export type MoneyEntryRow = MoneyEntry;

/** The ledger of money. Rows are added, never changed. */
@Injectable()
export class MoneyRepository {
  constructor(private readonly database: Database) {}

  /** What is booked for a purchase, a sum for each account and currency. */
  async listBalances(tx: Tx, purchaseId: string): Promise<MoneyMove[]> {
    const sums = await tx.moneyEntry.groupBy({
      by: ['account', 'currency'],
      where: { purchaseId },
      _sum: { amountMinor: true },
    });
    return sums.map(({ account, currency, _sum }) => ({
      account,
      currency,
      amountMinor: Number(_sum.amountMinor ?? 0n),
    }));
  }

  async add(tx: Tx, purchase: PurchaseRow, moves: readonly MoneyMove[]): Promise<void> {
    const data = moves.map(({ account, currency, amountMinor }) => ({
      id: newId('moneyEntry'),
      tenantId: purchase.tenantId,
      purchaseId: purchase.id,
      account,
      currency,
      amountMinor: BigInt(amountMinor),
    }));
    if (data.length > 0) await tx.moneyEntry.createMany({ data });
  }

  /** Entries by time, per purchase id; purchases without any are left out. */
  async list(purchaseIds: string[]): Promise<Map<string, MoneyEntryRow[]>> {
    const rows = await this.database.client.moneyEntry.findMany({
      where: { purchaseId: { in: purchaseIds } },
      orderBy: { id: 'asc' },
    });
    return Map.groupBy(rows, (row) => row.purchaseId);
  }
}
