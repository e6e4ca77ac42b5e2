import type { WebhookDeliveriesQuery, WebhookEndpointsQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { fieldQuery, pagedQuery } from '../../lib/graphql-request.js';

const WebhookEndpointsDocument = graphql(`
  query WebhookEndpoints($tenantKey: String) {
    webhookEndpoints(tenantKey: $tenantKey) {
      id tenantKey url description events status disabledReason previousUntil version createdAt
    }
  }
`);

export type EndpointInList = WebhookEndpointsQuery['webhookEndpoints'][number];

export const ENDPOINTS = ['webhook-endpoints'] as const;

/** Endpoints of the operators, or of a tenant. */
export const endpointsQuery = (tenantKey?: string) =>
  fieldQuery([...ENDPOINTS, tenantKey ?? null], WebhookEndpointsDocument, { tenantKey: tenantKey ?? null });

export const EndpointCreateDocument = graphql(`
  mutation WebhookEndpointCreate($input: WebhookEndpointCreateInput!) {
    webhookEndpointCreate(input: $input) { secret userErrors { code field message } }
  }
`);

export const EndpointUpdateDocument = graphql(`
  mutation WebhookEndpointUpdate($input: WebhookEndpointUpdateInput!) {
    webhookEndpointUpdate(input: $input) { endpoint { version } userErrors { code field message } }
  }
`);

export const EndpointEnableDocument = graphql(`
  mutation WebhookEndpointEnable($input: WebhookEndpointTargetInput!) {
    webhookEndpointEnable(input: $input) { userErrors { code field message } }
  }
`);

export const EndpointDisableDocument = graphql(`
  mutation WebhookEndpointDisable($input: WebhookEndpointTargetInput!) {
    webhookEndpointDisable(input: $input) { userErrors { code field message } }
  }
`);

export const EndpointDeleteDocument = graphql(`
  mutation WebhookEndpointDelete($input: WebhookEndpointTargetInput!) {
    webhookEndpointDelete(input: $input) { userErrors { code field message } }
  }
`);

export const EndpointTestDocument = graphql(`
  mutation WebhookEndpointTest($input: WebhookEndpointTargetInput!) {
    webhookEndpointTest(input: $input) { userErrors { code field message } }
  }
`);

export const EndpointSecretRotateDocument = graphql(`
  mutation WebhookEndpointSecretRotate($input: WebhookEndpointRotateInput!) {
    webhookEndpointSecretRotate(input: $input) { secret userErrors { code field message } }
  }
`);

const WebhookDeliveriesDocument = graphql(`
  query WebhookDeliveries($endpointId: ID!, $first: Int!, $after: String) {
    webhookDeliveries(endpointId: $endpointId, first: $first, after: $after) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes {
        id event body status nextAttemptAt createdAt
        log { number at durationMs statusCode error }
      }
    }
  }
`);

export const DeliveryRetryDocument = graphql(`
  mutation WebhookDeliveryRetry($input: WebhookDeliveryRetryInput!) {
    webhookDeliveryRetry(input: $input) { userErrors { code field message } }
  }
`);

export type DeliveryInList = WebhookDeliveriesQuery['webhookDeliveries']['nodes'][number];

export const DELIVERIES = ['webhook-deliveries'] as const;

/** Deliveries of an endpoint, newest first; refetched every two seconds. */
export const deliveriesQuery = (endpointId: string) => ({
  ...pagedQuery([...DELIVERIES, endpointId], WebhookDeliveriesDocument, { endpointId, first: 20 }),
  refetchInterval: 2_000,
});
