import { Injectable } from '@nestjs/common';
import type { AlertThreshold } from '@tollgate/database';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

export type AlertThresholdRow = AlertThreshold;

/** All queries on alert thresholds. */
@Injectable()
export class AlertsRepository {
  constructor(private readonly database: Database) {}

  /** Those for all APIs first. */
  list(tenantId: string, tx: Tx = this.database.client): Promise<AlertThresholdRow[]> {
    return tx.alertThreshold.findMany({
      where: { tenantId },
      orderBy: [{ apiKey: 'asc' }, { limitName: 'asc' }],
    });
  }

  /** The tenant's setting of this id, or for this place. */
  find(
    tx: Tx,
    tenantId: string,
    which: { id: string } | Pick<AlertThreshold, 'apiKey' | 'limitName'>,
  ): Promise<AlertThresholdRow | null> {
    return tx.alertThreshold.findFirst({ where: { tenantId, ...which } });
  }

  /** Whether there is an API of this key. */
  async hasApi(tx: Tx, key: string): Promise<boolean> {
    return (await tx.api.count({ where: { key } })) > 0;
  }

  /** @param place empty names stand for all */
  async put(
    tx: Tx,
    tenantId: string,
    place: Pick<AlertThreshold, 'apiKey' | 'limitName'>,
    percents: number[],
  ): Promise<void> {
    await tx.alertThreshold.upsert({
      where: { tenantId_apiKey_limitName: { tenantId, ...place } },
      create: { id: newId('alertThreshold'), tenantId, ...place, percents },
      update: { percents },
    });
  }

  async remove(tx: Tx, tenantId: string, id: string): Promise<void> {
    await tx.alertThreshold.deleteMany({ where: { id, tenantId } });
  }
}
