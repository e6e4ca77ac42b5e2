import { InputType, ObjectType } from '@nestjs/graphql';
import { apiKeySchema, operationNameSchema, type Reason, tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { optionalNote, withDefault } from '../../../platform/changes/outcome.js';
import { InputOf } from '../../../platform/graphql/input-of.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { DecisionPolicy, DecisionReason, subjectSchema } from '../query/decisions.graphql.js';

const MAX_REQUESTS = 500;

export const testRequestSendSchema = z.object({
  tenantKey: tenantKeySchema.describe('Key of the tenant.'),
  apiKey: apiKeySchema.describe('Key of the API.'),
  operation: operationNameSchema.describe('Name of the operation.'),
  subject: withDefault(z.array(subjectSchema).max(16).describe('Who calls, by dimension.'), []),
  count: withDefault(
    z
      .int()
      .min(1, 'Send at least one request')
      .max(MAX_REQUESTS, `Send at most ${MAX_REQUESTS} requests`)
      .describe(`Number of requests, 1 to ${MAX_REQUESTS}, sent one after the other.`),
    1,
  ),
  untilDenied: withDefault(z.boolean().describe('Stop after the first request that is denied.'), false),
  reason: optionalNote,
});

@InputType({ description: 'Test requests to send. A dry run reads the decision without charging.' })
export class TestRequestSendInput extends InputOf(testRequestSendSchema, MutationInput) {}

@ObjectType({ description: 'A response header.' })
export class TestRequestHeader extends ObjectOf({
  name: field.string('Name.'),
  value: field.string('Value.'),
}) {}

@ObjectType({ description: 'The answer of the decision API to one test request.' })
export class TestRequestResult extends ObjectOf({
  status: field.int('HTTP status.'),
  headers: field.of(() => TestRequestHeader, 'Response headers about limits.').list(),
  success: field.boolean('Whether the request was allowed.'),
  reason: field.as<Reason>(() => DecisionReason, 'Reason.'),
  limitName: field.string('The limit that decided; null if none did.').nullable(),
  limit: field.safeInt('Capacity of that limit.').nullable(),
  used: field.safeInt('Used of that limit; null for a degraded decision.').nullable(),
  remaining: field.safeInt('Left of that limit.').nullable(),
  resetAt: field.dateTime('When that limit is unused again.').nullable(),
  retryAfter: field.int('Seconds until a retry; null if it can never be allowed.').nullable(),
  delayMs: field.int('Milliseconds to wait before running the request.'),
  degraded: field.boolean('Whether the decision was made without Redis.'),
  revision: field.int('Policy revision of the decision.'),
  requestId: field.string('Id of the request.'),
  policies: field.of(() => DecisionPolicy, 'Results of all limits.').list(),
}) {}

@ObjectType({ description: 'Outcome of sending test requests.' })
export class TestRequestSendPayload extends ObjectOf(MutationPayload, {
  results: field
    .of(() => TestRequestResult, 'Answers, in the order of the requests.')
    .list()
    .usualLength(10),
}) {}
