import { Injectable } from '@nestjs/common';
import { BulkActionsRepository } from '../../customers/index.js';
import { AuditRepository } from '../../governance/index.js';
import { OperatorsService, ServiceTokensService } from '../../identity/index.js';
import {
  NoticesRepository,
  WebhookDeliveriesRepository,
  WebhookEndpointsRepository,
} from '../../notify/index.js';
import { type NodeTypes, ofOperators, ofTenant } from './node-types.js';

/** Where events go, and what became of them. */
@Injectable()
export class WebhookNodes {
  readonly types: NodeTypes;

  constructor(endpoints: WebhookEndpointsRepository, deliveries: WebhookDeliveriesRepository) {
    this.types = {
      webhookEndpoint: ofTenant(
        'WebhookEndpoint',
        'webhooks:read',
        (id) => endpoints.findById(id),
        ({ tenantKey }) => tenantKey,
      ),
      webhookDelivery: ofTenant(
        'WebhookDelivery',
        'webhooks:read',
        (id) => deliveries.findById(id),
        ({ endpoint }) => endpoint.tenantKey,
      ),
    };
  }
}

/** Who administers, what was done, and what is told of it. */
@Injectable()
export class RecordNodes {
  readonly types: NodeTypes;

  constructor(
    operators: OperatorsService,
    serviceTokens: ServiceTokensService,
    audit: AuditRepository,
    notices: NoticesRepository,
    bulkActions: BulkActionsRepository,
    webhooks: WebhookNodes,
  ) {
    this.types = {
      ...webhooks.types,
      user: ofOperators('Operator', 'operators:read', (id) => operators.findById(id)),
      serviceToken: ofOperators('ServiceToken', 'service-tokens:read', (id) => serviceTokens.findById(id)),
      bulkAction: ofOperators('BulkAction', 'bulk-actions:read', (id) => bulkActions.findById(id)),
      auditEntry: ofOperators('AuditEntry', 'audit:read', (id) => audit.findById(id)),
      notice: ofTenant(
        'Notice',
        'notices:read',
        (id) => notices.findById(id),
        ({ tenantKey }) => tenantKey,
      ),
    };
  }
}
