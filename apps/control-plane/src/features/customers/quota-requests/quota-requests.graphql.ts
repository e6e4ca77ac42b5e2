import { ArgsType, Field, ID, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { apiKeySchema, limitNameSchema, tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { optionalNote, orDefault } from '../../../platform/changes/outcome.js';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { MutationInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { ArgsOf, field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { DateTime, SafeInt } from '../../../platform/graphql/scalars.js';
import { kindOfId } from '../../../platform/ids.js';
import { QuotaRequestStatus } from '../../../platform/prisma/schema.js';
import { Tenant } from '../tenants/tenants.graphql.js';

export enum QuotaRequestGrant {
  OVERRIDE = 'OVERRIDE',
  ENTITLEMENT = 'ENTITLEMENT',
}

registerEnumType(QuotaRequestStatus, {
  name: 'QuotaRequestStatus',
  description: 'What became of a request for a higher limit.',
  valuesMap: {
    OPEN: { description: 'Nobody has answered.' },
    COUNTERED: { description: 'An operator offers another number.' },
    APPROVED: { description: 'The limit was raised.' },
    DECLINED: { description: 'The limit stays.' },
    WITHDRAWN: { description: 'The tenant does not want it any more.' },
  },
});
registerEnumType(QuotaRequestGrant, {
  name: 'QuotaRequestGrant',
  description: 'What an approval makes of a request.',
  valuesMap: {
    OVERRIDE: { description: 'An override that sets the limit.' },
    ENTITLEMENT: { description: 'An entitlement that adds what is missing.' },
  },
});

@ObjectType({ implements: () => [Node], description: 'A tenant’s request for a higher limit.' })
export class QuotaRequest extends ObjectOf(Node, {
  status: field.of(() => QuotaRequestStatus, 'Status.'),
  apiKey: field.string('Key of the API.'),
  limit: field.string('Name of the limit.'),
  current: field.safeInt('What the limit was when it was asked for.'),
  wanted: field.safeInt('What is asked for.'),
  why: field.string('Why.'),
  offered: field.safeInt('What an operator offers, or has approved.').nullable(),
  until: field.dateTime('Until when that holds; null: nobody has said, or for good.').nullable(),
  answer: field.string('What the operator said.').nullable(),
  grantedId: field.id('The override or entitlement that it came to.').nullable(),
  requestedBy: field.string('Who asked.'),
  version: field.int('Row version, for `expectedVersion`.'),
  createdAt: field.dateTime('When it was created.'),
  tenant: field.of(() => Tenant, 'Who asks.'),
}) {}

export const QuotaRequestConnection = connectionOf(
  QuotaRequest,
  'QuotaRequest',
  'requests for higher limits',
);

@ArgsType()
export class QuotaRequestsArgs extends ArgsOf(PageArgs, {
  tenantKey: field.string('Only of this tenant; omitted: all tenants visible to the caller.').optional(),
  status: field.of(() => QuotaRequestStatus, 'Only with this status.').optional(),
}) {}

@InputType({ description: 'A request for a higher limit.' })
export class QuotaRequestCreateInput extends MutationInput {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field({ description: 'Key of the API.' })
  apiKey!: string;

  @Field({ description: 'Name of the limit.' })
  limit!: string;

  @Field(() => SafeInt, { description: 'What it should be: more than it is.' })
  wanted!: number;

  @Field({ description: 'Why, for whoever decides.' })
  why!: string;
}

/** A request as an operator has seen it. */
@InputType({ isAbstract: true })
abstract class QuotaRequestDecision extends MutationInput {
  @Field(() => ID, { description: 'The request.' })
  requestId!: string;

  @Field(() => Int, { description: 'Version of the request that the caller has seen.' })
  expectedVersion!: number;
}

@InputType({ description: 'A request that is granted.' })
export class QuotaRequestApproveInput extends QuotaRequestDecision {
  @Field(() => QuotaRequestGrant, {
    nullable: true,
    defaultValue: QuotaRequestGrant.OVERRIDE,
    description: 'What it is made of it.',
  })
  as?: QuotaRequestGrant | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'End; omitted: in 30 days; null: when it is removed.',
  })
  expiresAt?: Date | null;

  @Field(() => String, { nullable: true, description: 'A word to the tenant.' })
  answer?: string | null;
}

@InputType({ description: 'Another number that is offered.' })
export class QuotaRequestCounterInput extends QuotaRequestDecision {
  @Field(() => SafeInt, { description: 'What the limit would be: more than it is.' })
  offered!: number;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it would end by itself; left out: when it is removed.',
  })
  until?: Date | null;

  @Field({ description: 'A word to the tenant.' })
  answer!: string;
}

@InputType({ description: 'A request that is not granted.' })
export class QuotaRequestDeclineInput extends QuotaRequestDecision {
  @Field({ description: 'Why, for the tenant.' })
  answer!: string;
}

/** A request of the caller's own tenant. */
@InputType({ description: 'A request of the caller’s own tenant.' })
export class QuotaRequestOwnInput extends MutationInput {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => ID, { description: 'The request.' })
  requestId!: string;

  @Field(() => Int, { description: 'Version of the request that the caller has seen.' })
  expectedVersion!: number;
}

@ObjectType({ description: 'Outcome of a change to a request for a higher limit.' })
export class QuotaRequestPayload extends ObjectOf(PublishedPayload, {
  request: field.of(() => QuotaRequest, 'The request; on CONFLICT as it is now.').nullable(),
  warnings: field.string('Warnings about the applied change.').list(),
}) {}

const amount = z.int().min(1, 'A limit is 1 or more');
const requestId = z
  .string()
  .refine((id) => kindOfId(id) === 'quotaRequest', 'Not the id of a request for a higher limit');
const said = (message: string) =>
  optionalNote.transform((text, context) => {
    if (text !== null) return text;
    context.issues.push({ code: 'custom', message, input: text });
    return z.NEVER;
  });
const decision = { requestId, expectedVersion: z.int(), reason: optionalNote };

export const quotaRequestCreateSchema = z.object({
  tenantKey: tenantKeySchema,
  apiKey: apiKeySchema,
  limit: limitNameSchema,
  wanted: amount,
  why: said('Say why: it is what the decision goes by'),
  reason: optionalNote,
});

export const quotaRequestApproveSchema = z.object({
  ...decision,
  as: orDefault(z.enum(QuotaRequestGrant), QuotaRequestGrant.OVERRIDE),
  expiresAt: z.date().nullish(),
  answer: optionalNote,
});

export const quotaRequestCounterSchema = z.object({
  ...decision,
  offered: amount,
  until: z.date().nullish(),
  answer: said('Say why you offer this'),
});

export const quotaRequestDeclineSchema = z.object({ ...decision, answer: said('Say why it is declined') });

export const quotaRequestOwnSchema = z.object({ ...decision, tenantKey: tenantKeySchema });

const { OPEN, COUNTERED } = QuotaRequestStatus;

/** In which status each thing can be done. */
export const POSSIBLE = {
  approve: [OPEN, COUNTERED],
  counter: [OPEN, COUNTERED],
  decline: [OPEN, COUNTERED],
  accept: [COUNTERED],
  withdraw: [OPEN, COUNTERED],
} as const satisfies Record<string, readonly QuotaRequestStatus[]>;

export type QuotaRequestStep = keyof typeof POSSIBLE;
