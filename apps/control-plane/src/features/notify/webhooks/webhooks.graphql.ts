import { Field, ID, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { optionalDescription, optionalNote, orDefault } from '../../../platform/changes/text.js';
import { connectionOf } from '../../../platform/graphql/connection.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime } from '../../../platform/graphql/scalars.js';
import { WebhookDeliveryStatus, WebhookStatus } from '../../../platform/prisma/schema.js';
import type { SealBinding } from '../../../platform/secrets/sealed-secrets.js';

/** The use that the signing secret of an endpoint is sealed for. */
export function secretBinding(endpointId: string): SealBinding {
  return { purpose: 'webhook secret', id: endpointId };
}

/** Endpoints that one tenant, or the operator, may have. */
export const MAX_ENDPOINTS = 20;

const events = (kinds: readonly string[]) =>
  z
    .array(
      z.string().refine((kind) => kinds.includes(kind), { error: `An event is one of: ${kinds.join(', ')}` }),
    )
    .max(100)
    .refine((list) => new Set(list).size === list.length, 'An event is named twice');

const target = z.string();
const id = z.string();
const expectedVersion = z.int();

/** @param kinds every kind of event that there is @param checkUrl what is wrong with a URL */
export function webhookSchemas(kinds: readonly string[], checkUrl: (url: string) => string | undefined) {
  const url = target.superRefine((text, context) => {
    const message = checkUrl(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
  return {
    create: z.object({
      tenantKey: tenantKeySchema.nullish().transform((key) => key ?? null),
      url,
      description: orDefault(z.string().trim().max(200), ''),
      events: orDefault(events(kinds), []),
      reason: optionalNote,
    }),
    update: z.object({
      id,
      expectedVersion,
      url: url.nullish(),
      description: optionalDescription,
      events: events(kinds).nullish(),
      reason: optionalNote,
    }),
    rotate: z.object({
      id,
      expectedVersion,
      overlapHours: orDefault(z.int().min(0).max(168, 'Two secrets overlap for a week at most'), 24),
      reason: optionalNote,
    }),
    retry: z.object({ id, reason: optionalNote }),
    target: z.object({ id, expectedVersion, reason: optionalNote }),
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

@InputType({ description: 'A new endpoint for events.' })
export class WebhookEndpointCreateInput extends MutationInput {
  @Field(() => String, { nullable: true, description: "Key of the tenant; left out: the operator's own." })
  tenantKey?: string | null;

  @Field({ description: 'Where events go: an https:// address that everybody can reach.' })
  url!: string;

  @Field(() => String, { nullable: true, defaultValue: '', description: 'What it is for.' })
  description?: string | null;

  @Field(() => [String], { nullable: true, description: 'Kinds of events; all when empty or left out.' })
  events?: string[] | null;
}

@InputType({ description: 'A change of an endpoint; what is left out stays as it is.' })
export class WebhookEndpointUpdateInput extends MutationInput {
  @Field(() => ID, { description: 'Which endpoint.' })
  id!: string;

  @Field(() => Int, { description: 'The version that the change is based on.' })
  expectedVersion!: number;

  @Field(() => String, { nullable: true, description: 'Where events go from now on.' })
  url?: string | null;

  @Field(() => String, { nullable: true, description: 'What it is for.' })
  description?: string | null;

  @Field(() => [String], { nullable: true, description: 'Kinds of events; empty: all.' })
  events?: string[] | null;
}

@InputType({ description: 'A new secret for an endpoint.' })
export class WebhookEndpointRotateInput extends MutationInput {
  @Field(() => ID, { description: 'Which endpoint.' })
  id!: string;

  @Field(() => Int, { description: 'The version that the change is based on.' })
  expectedVersion!: number;

  @Field(() => Int, {
    nullable: true,
    defaultValue: 24,
    description: 'For how many hours events are signed with the old secret as well, 0 to 168.',
  })
  overlapHours?: number | null;
}

@InputType({ description: 'Which endpoint.' })
export class WebhookEndpointTargetInput extends MutationInput {
  @Field(() => ID, { description: 'Which endpoint.' })
  id!: string;

  @Field(() => Int, { description: 'The version that the change is based on.' })
  expectedVersion!: number;
}

@InputType({ description: 'Which delivery to begin anew.' })
export class WebhookDeliveryRetryInput extends MutationInput {
  @Field(() => ID, { description: 'Which delivery.' })
  id!: string;
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
