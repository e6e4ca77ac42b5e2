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

/** The use that the signing secret of an endpoint is sealed for. */
export function secretBinding(endpointId: string): SealBinding {
  return { purpose: 'webhook secret', id: endpointId };
}

/** Endpoints that one tenant, or the operator, may have. */
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

/** The schemas whose URLs are checked too. @param checkUrl returns an error message */
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
  description: 'Whether events are sent to an endpoint.',
  valuesMap: {
    ENABLED: { description: 'Events are sent.' },
    DISABLED: { description: 'Nothing is sent; events that come meanwhile are not kept for it.' },
  },
});
registerEnumType(WebhookDeliveryStatus, {
  name: 'WebhookDeliveryStatus',
  description: 'What became of an event on its way to an endpoint.',
  valuesMap: {
    PENDING: { description: 'It will be tried, or tried again.' },
    DELIVERED: { description: 'The receiver answered 2xx.' },
    DEAD: { description: 'Every attempt failed; it is tried again only on request.' },
  },
});

@ObjectType({ description: 'One attempt to deliver an event.' })
export class WebhookAttempt {
  @Field(() => Int, { description: '1 for the first.' })
  number!: number;

  @Field(() => DateTime, { description: 'When it began.' })
  at!: Date;

  @Field(() => Int, { description: 'How long it took, milliseconds; 0 while it is in progress.' })
  durationMs!: number;

  @Field(() => Int, { nullable: true, description: 'HTTP status of the answer; null when none came.' })
  statusCode!: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Why it failed; null when it did not. `no answer yet`: it is in progress, or the worker stopped.',
  })
  error!: string | null;
}

@ObjectType({ implements: () => [Node], description: 'One event on its way to one endpoint.' })
export class WebhookDelivery extends Node {
  @Field({ description: 'Kind of the event, such as `purchase.paid`.' })
  event!: string;

  @Field({ description: 'The text that is sent: `{ type, timestamp, data }`.' })
  body!: string;

  @Field(() => WebhookDeliveryStatus, { description: 'What became of it.' })
  status!: WebhookDeliveryStatus;

  @Field(() => DateTime, { description: 'When the next attempt is due, while it is pending.' })
  nextAttemptAt!: Date;

  @Field(() => DateTime, { description: 'When the event was made.' })
  createdAt!: Date;

  @Field(() => [WebhookAttempt], { description: 'Attempts, newest first.' })
  log?: WebhookAttempt[];
}

export const WebhookDeliveryConnection = connectionOf(WebhookDelivery, 'WebhookDelivery', 'deliveries');

@ObjectType({
  implements: () => [Node],
  description:
    'Where events are sent, signed as Standard Webhooks 1.0.0 has it. The secret is shown when it is made.',
})
export class WebhookEndpoint extends Node {
  @Field(() => String, {
    nullable: true,
    description: "Key of the tenant; null: the operator's own, for all events.",
  })
  tenantKey!: string | null;

  @Field({ description: 'Where events go.' })
  url!: string;

  @Field({ description: 'What it is for.' })
  description!: string;

  @Field(() => [String], { description: 'Kinds of events that it gets; empty: all.' })
  events!: string[];

  @Field(() => WebhookStatus, { description: 'Whether events are sent.' })
  status!: WebhookStatus;

  @Field(() => String, { nullable: true, description: 'Why nothing is sent; null while events are.' })
  disabledReason!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Until when events are signed with the secret before as well; null: there was none.',
  })
  previousUntil!: Date | null;

  @Field(() => Int, { description: 'Row version, for `expectedVersion`.' })
  version!: number;

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;
}

@ObjectType({ description: 'Outcome of a change of an endpoint.' })
export class WebhookEndpointPayload extends MutationPayload {
  @Field(() => WebhookEndpoint, { nullable: true, description: 'The endpoint after the change.' })
  endpoint!: WebhookEndpoint | null;
}

@ObjectType({ description: 'Outcome of making a secret.' })
export class WebhookEndpointSecretPayload extends WebhookEndpointPayload {
  @Field(() => String, {
    nullable: true,
    description: 'The secret, `whsec_…`. This is the only time that it is shown.',
  })
  secret!: string | null;
}

@ObjectType({ description: 'Outcome of beginning a delivery anew.' })
export class WebhookDeliveryPayload extends MutationPayload {
  @Field(() => WebhookDelivery, { nullable: true, description: 'The delivery after the change.' })
  delivery!: WebhookDelivery | null;
}
