import { Injectable } from '@nestjs/common';
import type { Prisma, WebhookEndpoint } from '@tollgate/database';
import { Database, type Tx } from '../../../platform/prisma/database.js';

export type WebhookEndpointRow = WebhookEndpoint;

/** All queries on endpoints. */
@Injectable()
export class WebhookEndpointsRepository {
  constructor(private readonly database: Database) {}

  list(tenantId: string | null): Promise<WebhookEndpointRow[]> {
    return this.database.client.webhookEndpoint.findMany({ where: { tenantId }, orderBy: { id: 'asc' } });
  }

  count(tx: Tx, tenantId: string | null): Promise<number> {
    return tx.webhookEndpoint.count({ where: { tenantId } });
  }

  /** Enabled endpoints of these tenants and of the operator. */
  listEnabled(tx: Tx, tenantIds: string[]): Promise<WebhookEndpointRow[]> {
    return tx.webhookEndpoint.findMany({
      where: { status: 'ENABLED', OR: [{ tenantId: { in: tenantIds } }, { tenantId: null }] },
    });
  }

  findById(id: string): Promise<WebhookEndpointRow | null> {
    return this.database.client.webhookEndpoint.findUnique({ where: { id } });
  }

  create(tx: Tx, data: Prisma.WebhookEndpointUncheckedCreateInput): Promise<WebhookEndpointRow> {
    return tx.webhookEndpoint.create({ data });
  }

  /** The endpoint, locked until the transaction ends. */
  async lockById(tx: Tx, id: string): Promise<WebhookEndpointRow | null> {
    await tx.$queryRaw`SELECT 1 FROM "webhook_endpoint" WHERE "id" = ${id} FOR UPDATE`;
    return tx.webhookEndpoint.findUnique({ where: { id } });
  }

  update(tx: Tx, id: string, data: Prisma.WebhookEndpointUncheckedUpdateInput): Promise<WebhookEndpointRow> {
    return tx.webhookEndpoint.update({ where: { id }, data: { ...data, version: { increment: 1 } } });
  }

  async remove(tx: Tx, id: string): Promise<void> {
    await tx.webhookEndpoint.delete({ where: { id } });
  }
}
