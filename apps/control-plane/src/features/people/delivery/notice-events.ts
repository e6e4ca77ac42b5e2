import { Injectable } from '@nestjs/common';
import { newId } from '../../../platform/ids/new-id.js';
import type { Tx } from '../../../platform/prisma/database.js';
import {
  eventOf,
  type NoticeRow,
  WebhookDeliveriesRepository,
  type WebhookEndpointRow,
  WebhookEndpointsRepository,
} from '../../notify/index.js';

/** Makes outgoing events of notices, one for each endpoint that wants them. */
@Injectable()
export class NoticeEvents {
  constructor(
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
  ) {}

  /** @param tenantIds the tenants that the notices are about */
  async make(tx: Tx, notices: NoticeRow[], tenantIds: string[]): Promise<void> {
    const endpoints = await this.endpoints.listEnabled(tx, tenantIds);
    if (endpoints.length === 0) return;
    const rows = notices.flatMap((notice) => {
      const event = eventOf(notice);
      if (event === undefined) return [];
      return endpoints
        .filter((endpoint) => wants(endpoint, event))
        .map(({ id: endpointId, tenantId }) => ({
          ...event,
          id: newId('webhookDelivery'),
          endpointId,
          tenantId,
        }));
    });
    await this.deliveries.createMany(tx, rows);
  }
}

/** The operator's own endpoints get the events of all tenants. */
function wants(
  endpoint: WebhookEndpointRow,
  { event, tenantId }: { event: string; tenantId: string | null },
): boolean {
  const isOf = endpoint.tenantId === null || endpoint.tenantId === tenantId;
  return isOf && (endpoint.events.length === 0 || endpoint.events.includes(event));
}
