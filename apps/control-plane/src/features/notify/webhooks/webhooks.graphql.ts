import { Field, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { optionalDescription, optionalNote, orDefault } from '../../../platform/changes/outcome.js';
import { connectionOf } from '../../../platform/graphql/connection.js';
import { InputOf, idField } from '../../../platform/graphql/input-of.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime } from '../../../platform/graphql/scalars.js';
import { WebhookDeliveryStatus, WebhookStatus } from '../../../platform/prisma/schema.js';
import type { SealBinding } from '../../../platform/secrets.js';
import { EVENT_KINDS } from '../notices/notice-messages.js';

/** Binding of an endpoint's sealed signing secret. */
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
export class WebhookAttempt {
  @Field(() => Int, { description: 'Number of the attempt, from 1.' })
  number!: number;

  @Field(() => DateTime, { description: 'When the attempt started.' })
  at!: Date;

  @Field(() => Int, { description: 'Duration in milliseconds; 0 while in progress.' })
  durationMs!: number;

  @Field(() => Int, { nullable: true, description: 'HTTP status of the response; null if there was none.' })
  statusCode!: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Error of a failed attempt, else null. `no response yet`: in progress, or the worker stopped.',
  })
  error!: string | null;
}

@ObjectType({ implements: () => [Node], description: 'The delivery of one event to one endpoint.' })
export class WebhookDelivery extends Node {
  @Field({ description: 'Type of the event, such as `purchase.paid`.' })
  event!: string;

  @Field({ description: 'The request body: `{ type, timestamp, data }`.' })
  body!: string;

  @Field(() => WebhookDeliveryStatus, { description: 'Status.' })
  status!: WebhookDeliveryStatus;

  @Field(() => DateTime, { description: 'When the next attempt is due, if pending.' })
  nextAttemptAt!: Date;

  @Field(() => DateTime, { description: 'When the delivery was created.' })
  createdAt!: Date;

  @Field(() => [WebhookAttempt], { description: 'Attempts, newest first.' })
  log?: WebhookAttempt[];
}

export const WebhookDeliveryConnection = connectionOf(WebhookDelivery, 'WebhookDelivery', 'deliveries');

@ObjectType({
  implements: () => [Node],
  description:
    'A webhook endpoint. Requests are signed according to Standard Webhooks 1.0.0; the secret is returned only once.',
})
export class WebhookEndpoint extends Node {
  @Field(() => String, {
    nullable: true,
    description: "Key of the tenant; null: the operator's own endpoint, for the events of all tenants.",
  })
  tenantKey!: string | null;

  @Field({ description: 'URL that receives the events.' })
  url!: string;

  @Field({ description: 'Purpose.' })
  description!: string;

  @Field(() => [String], { description: 'Event types that it receives; empty: all.' })
  events!: string[];

  @Field(() => WebhookStatus, { description: 'Status.' })
  status!: WebhookStatus;

  @Field(() => String, { nullable: true, description: 'Why the endpoint is disabled; null if enabled.' })
  disabledReason!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Until when events are also signed with the previous secret; null: no previous secret.',
  })
  previousUntil!: Date | null;

  @Field(() => Int, { description: 'Row version, for `expectedVersion`.' })
  version!: number;

  @Field(() => DateTime, { description: 'When the endpoint was created.' })
  createdAt!: Date;
}

@ObjectType({ description: 'Outcome of a change to a webhook endpoint.' })
export class WebhookEndpointPayload extends MutationPayload {
  @Field(() => WebhookEndpoint, { nullable: true, description: 'The endpoint after the change.' })
  endpoint!: WebhookEndpoint | null;
}

@ObjectType({ description: 'Outcome of creating or rotating a secret.' })
export class WebhookEndpointSecretPayload extends WebhookEndpointPayload {
  @Field(() => String, {
    nullable: true,
    description: 'The secret, `whsec_…`, returned only once.',
  })
  secret!: string | null;
}

@ObjectType({ description: 'Outcome of retrying a delivery.' })
export class WebhookDeliveryPayload extends MutationPayload {
  @Field(() => WebhookDelivery, { nullable: true, description: 'The delivery after the change.' })
  delivery!: WebhookDelivery | null;
}
