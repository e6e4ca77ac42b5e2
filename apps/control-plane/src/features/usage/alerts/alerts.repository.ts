import { Injectable } from '@nestjs/common';
import type { AlertThreshold } from '@tollgate/database';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

export type AlertThresholdRow = AlertThreshold;

/** Empty names match all APIs or limits. */
export type AlertThresholdSetting = Pick<AlertThreshold, 'tenantId' | 'apiKey' | 'limitName' | 'percents'>;

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

  /** Settings by tenant id, those for all APIs first. */
  async listOf(tx: Tx, tenantIds: readonly string[]): Promise<Map<string, AlertThresholdRow[]>> {
    const rows = await tx.alertThreshold.findMany({
      where: { tenantId: { in: [...tenantIds] } },
      orderBy: [{ apiKey: 'asc' }, { limitName: 'asc' }],
    });
    return Map.groupBy(rows, ({ tenantId }) => tenantId);
  }

  /** The keys of those APIs that exist. */
  async listApiKeys(tx: Tx, keys: readonly string[]): Promise<Set<string>> {
    const apis = await tx.api.findMany({ where: { key: { in: [...keys] } }, select: { key: true } });
    return new Set(apis.map(({ key }) => key));
  }

  /** Creates settings, or changes the percentages of those with the same tenant, API and limit. */
  async put(tx: Tx, settings: readonly AlertThresholdSetting[]): Promise<void> {
    const rows = settings.map((setting) => ({ id: newId('alertThreshold'), ...setting }));
    await tx.$executeRaw`
      INSERT INTO "alert_threshold" ("id", "tenant_id", "api_key", "limit_name", "percents")
      SELECT new."id", new."tenantId", new."apiKey", new."limitName", new."percents"
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS new ("id" text, "tenantId" text, "apiKey" text, "limitName" text, "percents" int[])
      ON CONFLICT ("tenant_id", "api_key", "limit_name")
        DO UPDATE SET "percents" = excluded."percents", "updated_at" = now()`;
  }

  async remove(tx: Tx, settings: readonly Pick<AlertThreshold, 'tenantId' | 'id'>[]): Promise<void> {
    const tenantId = { in: settings.map((setting) => setting.tenantId) };
    await tx.alertThreshold.deleteMany({ where: { tenantId, id: { in: settings.map(({ id }) => id) } } });
  }
}
