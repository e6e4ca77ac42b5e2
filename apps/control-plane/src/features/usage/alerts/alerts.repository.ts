import { Injectable } from '@nestjs/common';
import type { AlertThreshold } from '@tollgate/database';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

export type AlertThresholdRow = AlertThreshold;

@Injectable()
export class AlertsRepository {
  constructor(private readonly database: Database) {}

  /** Settings for all APIs first. */
  list(tenantId: string, tx: Tx = this.database.client): Promise<AlertThresholdRow[]> {
    return tx.alertThreshold.findMany({
      where: { tenantId },
      orderBy: [{ apiKey: 'asc' }, { limitName: 'asc' }],
    });
  }

  /** The tenant's setting with this id, or for this API and limit. */
  find(
    tx: Tx,
    tenantId: string,
    which: { id: string } | Pick<AlertThreshold, 'apiKey' | 'limitName'>,
  ): Promise<AlertThresholdRow | null> {
    return tx.alertThreshold.findFirst({ where: { tenantId, ...which } });
  }

  /** Whether an API with this key exists. */
  async hasApi(tx: Tx, key: string): Promise<boolean> {
    return (await tx.api.count({ where: { key } })) > 0;
  }

  /** @param scope empty names match all APIs or limits */
  async put(
    tx: Tx,
    tenantId: string,
    scope: Pick<AlertThreshold, 'apiKey' | 'limitName'>,
    percents: number[],
  ): Promise<void> {
    await tx.alertThreshold.upsert({
      where: { tenantId_apiKey_limitName: { tenantId, ...scope } },
      create: { id: newId('alertThreshold'), tenantId, ...scope, percents },
      update: { percents },
    });
  }

  async remove(tx: Tx, tenantId: string, id: string): Promise<void> {
    await tx.alertThreshold.deleteMany({ where: { id, tenantId } });
  }
}
