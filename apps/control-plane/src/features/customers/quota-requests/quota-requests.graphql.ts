import { ArgsType, InputType, ObjectType } from '@nestjs/graphql';
import { apiKeySchema, limitNameSchema, tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { optionalNote, orDefault, requiredNote } from '../../../platform/changes/outcome.js';
import { connectionOf, Node, PageArgs } from '../../../platform/graphql/connection.js';
import { MutationInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import {
  ArgsOf,
  enumOf,
  field,
  InputOf,
  idField,
  ObjectOf,
  registerEnum,
} from '../../../platform/graphql/object-of.js';
import { SafeInt } from '../../../platform/graphql/scalars.js';
import { kindOfId } from '../../../platform/ids.js';
import { QuotaRequestStatus } from '../../../platform/prisma/schema.js';
import { Tenant } from '../tenants/tenants.graphql.js';

export const QuotaRequestGrant = enumOf('QuotaRequestGrant', 'How an approved request raises the limit.', {
  OVERRIDE: 'By an override that sets the limit.',
  ENTITLEMENT: 'By an entitlement that adds the difference.',
});
export type QuotaRequestGrant = keyof typeof QuotaRequestGrant;

registerEnum(QuotaRequestStatus, 'QuotaRequestStatus', 'Status of a quota request.', {
  OPEN: 'Awaits a decision.',
  COUNTERED: 'An operator has made a counter-offer.',
  APPROVED: 'The limit was raised.',
  DECLINED: 'The limit was not raised.',
  WITHDRAWN: 'The tenant withdrew the request.',
});

@ObjectType({ implements: () => [Node], description: 'A request of a tenant for a higher limit.' })
export class QuotaRequest extends ObjectOf(Node, {
  status: field.of(() => QuotaRequestStatus, 'Status.'),
  apiKey: field.string('Key of the API.'),
  limit: field.string('Name of the limit.'),
  current: field.safeInt('The limit at the time of the request.'),
  wanted: field.safeInt('The requested limit.'),
  why: field.string('Reason for the request.'),
  offered: field.safeInt('The limit that an operator offered or approved.').nullable(),
  until: field
    .dateTime('End of the offered or approved limit; null: none was set, or it does not end.')
    .nullable(),
  answer: field.string('Reply of the operator.').nullable(),
  grantedId: field.id('The override or entitlement that raised the limit.').nullable(),
  requestedBy: field.string('Author.'),
  version: field.int('Row version, for `expectedVersion`.'),
  createdAt: field.dateTime('When it was created.'),
  tenant: field.of(() => Tenant, 'The tenant.'),
}) {}

export const QuotaRequestConnection = connectionOf(QuotaRequest, 'QuotaRequest', 'quota requests');

@ArgsType()
export class QuotaRequestsArgs extends ArgsOf(PageArgs, {
  tenantKey: field.string('Only of this tenant; omitted: all tenants visible to the caller.').optional(),
  status: field.of(() => QuotaRequestStatus, 'Only with this status.').optional(),
}) {}

@ObjectType({ description: 'Outcome of a change to a quota request.' })
export class QuotaRequestPayload extends ObjectOf(PublishedPayload, {
  request: field.of(() => QuotaRequest, 'The request; on CONFLICT as it is now.').nullable(),
  warnings: field.string('Warnings about the applied change.').list(),
}) {}

const amount = z
  .int()
  .min(1, 'A limit is 1 or more')
  .meta({ graphql: () => SafeInt });
const tenantKey = tenantKeySchema.describe('Key of the tenant.');

/** A request as the caller has read it. */
const decision = z.object({
  requestId: idField('The request.').refine(
    (id) => kindOfId(id) === 'quotaRequest',
    'Not the id of a quota request',
  ),
  expectedVersion: z.int().describe('Version of the request that the caller has read.'),
  reason: optionalNote,
});

export const quotaRequestCreateSchema = z.object({
  tenantKey,
  apiKey: apiKeySchema.describe('Key of the API.'),
  limit: limitNameSchema.describe('Name of the limit.'),
  wanted: amount.describe('The requested limit, above the current one.'),
  why: requiredNote('Enter a reason. The decision is based on it.').describe(
    'Reason, for the operator who decides.',
  ),
  reason: optionalNote,
});

@InputType({ description: 'A quota request.' })
export class QuotaRequestCreateInput extends InputOf(quotaRequestCreateSchema, MutationInput) {}

export const quotaRequestApproveSchema = decision.extend({
  as: orDefault(z.enum(QuotaRequestGrant), QuotaRequestGrant.OVERRIDE).meta({
    description: 'How to raise the limit.',
    defaultValue: QuotaRequestGrant.OVERRIDE,
  }),
  expiresAt: z.date().nullish().describe('End; null or omitted: when it is removed.'),
  answer: optionalNote.describe('Reply to the tenant.'),
});

@InputType({ description: 'The quota request to approve.' })
export class QuotaRequestApproveInput extends InputOf(quotaRequestApproveSchema, MutationInput) {}

export const quotaRequestCounterSchema = decision.extend({
  offered: amount.describe('The offered limit, above the current one.'),
  until: z.date().nullish().describe('End of the offered limit; omitted: when it is removed.'),
  answer: requiredNote('Enter a reason for the counter-offer').describe('Reply to the tenant.'),
});

@InputType({ description: 'A counter-offer to a quota request.' })
export class QuotaRequestCounterInput extends InputOf(quotaRequestCounterSchema, MutationInput) {}

export const quotaRequestDeclineSchema = decision.extend({
  answer: requiredNote('Enter a reason for declining').describe('Reason, for the tenant.'),
});

@InputType({ description: 'The quota request to decline.' })
export class QuotaRequestDeclineInput extends InputOf(quotaRequestDeclineSchema, MutationInput) {}

export const quotaRequestOwnSchema = decision.extend({ tenantKey });

@InputType({ description: 'A quota request of the tenant of the caller.' })
export class QuotaRequestOwnInput extends InputOf(quotaRequestOwnSchema, MutationInput) {}

const { OPEN, COUNTERED } = QuotaRequestStatus;

/** Statuses in which each step is allowed. */
export const ALLOWED_IN = {
  approve: [OPEN, COUNTERED],
  counter: [OPEN, COUNTERED],
  decline: [OPEN, COUNTERED],
  accept: [COUNTERED],
  withdraw: [OPEN, COUNTERED],
} as const satisfies Record<string, readonly QuotaRequestStatus[]>;

export type QuotaRequestStep = keyof typeof ALLOWED_IN;
