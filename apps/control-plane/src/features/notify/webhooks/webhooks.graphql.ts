import { InputType, ObjectType, registerEnumType } from '@nestjs/graphql';
import { tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { optionalDescription, optionalNote, orDefault } from '../../../platform/changes/outcome.js';
import { connectionOf, Node } from '../../../platform/graphql/connection.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { field, InputOf, idField, ObjectOf } from '../../../platform/graphql/object-of.js';
import { WebhookDeliveryStatus, WebhookStatus } from '../../../platform/prisma/schema.js';
import type { SealBinding } from '../../../platform/secrets.js';
import { EVENT_KINDS } from '../notices/notice-messages.js';

export function secretBinding(endpointId: string): SealBinding {
  return { purpose: 'webhook secret', id: endpointId };
}

/** Endpoints per tenant, and of the operator. */
export const MAX_ENDPOINTS = 20;

const events = z
  .array(
    z.string().refine((kind) => EVENT_KINDS.includes(kind), {
      error: `An event is one of: ${EVENT_KINDS.join(', ')}`,
    }),
  )
  .max(100)
  .refine((list) => new Set(list).size === list.length, 'Duplicate event');

const target = {
  id: idField('Id of the endpoint.'),
  expectedVersion: z.int().describe('The version that the change is based on.'),
  reason: optionalNote,
};

export const webhookEndpointCreateSchema = z.object({
  tenantKey: tenantKeySchema
    .nullish()
    .describe("Key of the tenant; the operator's own endpoint by default.")
    .transform((key) => key ?? null),
  url: z.string().describe('An https:// URL that is reachable from the internet.'),
  description: orDefault(z.string().trim().max(200), '').meta({ description: 'Purpose.', defaultValue: '' }),
  events: orDefault(events, []).describe('Event types to send; all if empty.'),
  reason: optionalNote,
});

@InputType({ description: 'A new webhook endpoint.' })
export class WebhookEndpointCreateInput extends InputOf(webhookEndpointCreateSchema, MutationInput) {}

export const webhookEndpointUpdateSchema = z.object({
  ...target,
  url: z.string().nullish().describe('The new URL.'),
  description: optionalDescription.describe('Purpose.'),
  events: events.nullish().describe('Event types to send; all if empty.'),
});

@InputType({ description: 'A change of a webhook endpoint; omitted fields keep their value.' })
export class WebhookEndpointUpdateInput extends InputOf(webhookEndpointUpdateSchema, MutationInput) {}

export const webhookEndpointRotateSchema = z.object({
  ...target,
  overlapHours: orDefault(z.int().min(0).max(168, 'At most 168 hours'), 24).meta({
    description: 'Hours for which events are also signed with the previous secret, 0 to 168.',
    defaultValue: 24,
  }),
});

@InputType({ description: 'The webhook endpoint whose secret to rotate.' })
export class WebhookEndpointRotateInput extends InputOf(webhookEndpointRotateSchema, MutationInput) {}

export const webhookEndpointTargetSchema = z.object(target);

@InputType({ description: 'A webhook endpoint.' })
export class WebhookEndpointTargetInput extends InputOf(webhookEndpointTargetSchema, MutationInput) {}

export const webhookDeliveryRetrySchema = z.object({
  id: idField('Id of the delivery.'),
  reason: optionalNote,
});

@InputType({ description: 'The delivery to retry.' })
export class WebhookDeliveryRetryInput extends InputOf(webhookDeliveryRetrySchema, MutationInput) {}

/** Schemas that also check the URL. @param checkUrl returns an error message */
export function withUrlCheck(checkUrl: (url: string) => string | undefined) {
  const url = z.string().superRefine((text, context) => {
    const message = checkUrl(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
  return {
    create: webhookEndpointCreateSchema.extend({ url }),
    update: webhookEndpointUpdateSchema.extend({ url: url.nullish() }),
  };
}

registerEnumType(WebhookStatus, {
  name: 'WebhookStatus',
  description: 'Status of a webhook endpoint.',
  valuesMap: {
    ENABLED: { description: 'Events are sent.' },
    DISABLED: { description: 'Nothing is sent. Events that occur meanwhile are not stored for it.' },
  },
});
registerEnumType(WebhookDeliveryStatus, {
  name: 'WebhookDeliveryStatus',
  description: 'Status of a delivery.',
  valuesMap: {
    PENDING: { description: 'An attempt is due or scheduled.' },
    DELIVERED: { description: 'The receiver returned 2xx.' },
    DEAD: { description: 'All attempts failed. It can be retried on request.' },
  },
});

@ObjectType({ description: 'An attempt to deliver an event.' })
export class WebhookAttempt extends ObjectOf({
  number: field.int('Number of the attempt, from 1.'),
  at: field.dateTime('When the attempt started.'),
  durationMs: field.int('Duration in milliseconds; 0 while in progress.'),
  statusCode: field.int('HTTP status of the response; null if there was none.').nullable(),
  error: field
    .string('Error of a failed attempt, else null. `no response yet`: in progress, or the worker stopped.')
    .nullable(),
}) {}

@ObjectType({ implements: () => [Node], description: 'The delivery of one event to one endpoint.' })
export class WebhookDelivery extends ObjectOf(Node, {
  event: field.string('Type of the event, such as `purchase.paid`.'),
  body: field.string('The request body: `{ type, timestamp, data }`.'),
  status: field.of(() => WebhookDeliveryStatus, 'Status.'),
  nextAttemptAt: field.dateTime('When the next attempt is due, if pending.'),
  createdAt: field.dateTime('When the delivery was created.'),
  log: field
    .of(() => WebhookAttempt, 'Attempts, newest first.')
    .list()
    .resolved(),
}) {}

export const WebhookDeliveryConnection = connectionOf(WebhookDelivery, 'WebhookDelivery', 'deliveries');

@ObjectType({
  implements: () => [Node],
  description:
    'A webhook endpoint. Requests are signed according to Standard Webhooks 1.0.0; the secret is returned only once.',
})
export class WebhookEndpoint extends ObjectOf(Node, {
  tenantKey: field
    .string("Key of the tenant; null: the operator's own endpoint, for the events of all tenants.")
    .nullable(),
  url: field.string('URL that receives the events.'),
  description: field.string('Purpose.'),
  events: field.string('Event types that it receives; empty: all.').list(),
  status: field.of(() => WebhookStatus, 'Status.'),
  disabledReason: field.string('Why the endpoint is disabled; null if enabled.').nullable(),
  previousUntil: field
    .dateTime('Until when events are also signed with the previous secret; null: no previous secret.')
    .nullable(),
  version: field.int('Row version, for `expectedVersion`.'),
  createdAt: field.dateTime('When the endpoint was created.'),
}) {}

@ObjectType({ description: 'Outcome of a change to a webhook endpoint.' })
export class WebhookEndpointPayload extends ObjectOf(MutationPayload, {
  endpoint: field.of(() => WebhookEndpoint, 'The endpoint after the change.').nullable(),
}) {}

@ObjectType({ description: 'Outcome of creating or rotating a secret.' })
export class WebhookEndpointSecretPayload extends ObjectOf(WebhookEndpointPayload, {
  secret: field.string('The secret, `whsec_…`, returned only once.').nullable(),
}) {}

@ObjectType({ description: 'Outcome of retrying a delivery.' })
export class WebhookDeliveryPayload extends ObjectOf(MutationPayload, {
  delivery: field.of(() => WebhookDelivery, 'The delivery after the change.').nullable(),
}) {}
