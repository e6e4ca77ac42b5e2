import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InputType, Mutation, ObjectType, Resolver } from '@nestjs/graphql';
import {
  apiKeySchema,
  type LimitAnswer,
  type LimitRequest,
  operationNameSchema,
  type Problem,
  type Reason,
  tenantKeySchema,
} from '@tollgate/contracts';
import * as z from 'zod';
import { AppConfig } from '../../../config/app-config.js';
import type { Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { ApiError } from '../../../platform/api-error.js';
import { ChangeRunner } from '../../../platform/changes/change.js';
import {
  invalid,
  notFound,
  type Outcome,
  optionalNote,
  parseInput,
  refuse,
  withDefault,
} from '../../../platform/changes/outcome.js';
import {
  Input,
  MutationInput,
  MutationPayload,
  type UserError,
} from '../../../platform/graphql/mutation.graphql.js';
import { field, InputOf, ObjectOf } from '../../../platform/graphql/object-of.js';
import { ApisService } from '../../catalogue/index.js';
import { subjectSchema, TenantsRepository } from '../../customers/index.js';
import { AttemptLimiter } from '../../identity/index.js';
import { DecisionPolicy, DecisionReason, type PolicyMode } from '../query/decisions.graphql.js';

const MAX_REQUESTS = 500;
const MAX_DIMENSIONS = 16;

const testRequestSendSchema = z.object({
  tenantKey: tenantKeySchema.describe('Key of the tenant.'),
  apiKey: apiKeySchema.describe('Key of the API.'),
  operation: operationNameSchema.describe('Name of the operation.'),
  subject: withDefault(
    z
      .array(subjectSchema)
      .max(MAX_DIMENSIONS, `Send at most ${MAX_DIMENSIONS} dimensions`)
      .refine(
        (subject) => new Set(subject.map(({ dimension }) => dimension)).size === subject.length,
        'Send each dimension once',
      )
      .describe('Who calls, by dimension.'),
    [],
  ),
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

const TIMEOUT_MS = 2_000;
/** For all requests of one call. */
const DEADLINE_MS = 15_000;
/** How long a new tenant or API may take to reach the nodes. */
const PROPAGATION_MS = 5_000;
const RETRY_AFTER_MS = 100;
const HEADERS = /^(x-)?ratelimit|^retry-after$|^content-type$/;

interface Answered {
  status: number;
  headers: Headers;
  body: LimitAnswer | Problem;
}

/** Sends requests to the decision API on behalf of an operator. They count like the tenant's own. */
@Injectable()
export class TestRequestsService {
  constructor(
    private readonly config: AppConfig,
    private readonly tenants: TenantsRepository,
    private readonly apis: ApisService,
    private readonly attempts: AttemptLimiter,
    private readonly changes: ChangeRunner,
  ) {}

  /**
   * Sends up to `count` requests, one after the other; a dry run reads the decision of one. Errors: INVALID, NOT_FOUND.
   * @throws ApiError THROTTLED, UNAVAILABLE
   */
  async send(caller: Caller, input: TestRequestSendInput): Promise<Outcome<TestRequestResult[]>> {
    const parsed = parseInput(testRequestSendSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, apiKey, operation, subject, count, untilDenied, reason } = parsed.data;
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) return refuse([unknown('tenantKey', `tenant "${tenantKey}"`)]);
    if ((await this.apis.findByKey(apiKey)) === null) return refuse([unknown('apiKey', `API "${apiKey}"`)]);
    await this.attempts.take({ kind: 'test-request', address: '', account: caller.actor.id });
    const values = Object.fromEntries(subject.map(({ dimension, value }) => [dimension, value]));
    const request: LimitRequest = { tenant: tenantKey, api: apiKey, operation, subject: values };
    const path = caller.dryRun === true ? '/v1/peek' : '/v1/limit?status=http';
    const results: TestRequestResult[] = [];
    const endsAt = Date.now() + DEADLINE_MS;
    let problem: Problem | undefined;
    while (results.length < (caller.dryRun === true ? 1 : count) && Date.now() < endsAt) {
      const { status, headers, body } = await this.sendPropagated(path, request);
      if ('code' in body) {
        problem = body;
        break;
      }
      results.push(resultOf(status, headers, body));
      if (untilDenied && !body.success) break;
    }
    if (problem !== undefined && results.length === 0) {
      if (problem.retryable) throw new ApiError('UNAVAILABLE', adviceOf(problem));
      return refuse(toUserErrors(problem));
    }
    if (caller.dryRun === true) return { ok: true, value: results, changeId: null, impact: null };
    return this.changes.run(caller, { reason }, async (change) => {
      await change.audit({
        action: 'testRequest.send',
        entityId: tenant.id,
        entityName: tenant.name,
        tenantKey,
        before: null,
        after: {
          ...{ apiKey, operation, sent: results.length },
          denied: results.filter(({ success }) => !success).length,
        },
      });
      return results;
    });
  }

  /** Waits while a node does not know the tenant or the API yet. */
  private async sendPropagated(path: string, request: LimitRequest): Promise<Answered> {
    const until = Date.now() + PROPAGATION_MS;
    for (;;) {
      const answered = await this.post(path, request);
      const code = 'code' in answered.body ? answered.body.code : undefined;
      const isPropagating = code === 'tenant-unknown' || code === 'api-unknown';
      if (!isPropagating || Date.now() > until) return answered;
      await delay(RETRY_AFTER_MS);
    }
  }

  private async post(path: string, request: LimitRequest): Promise<Answered> {
    const { testRequests } = this.config;
    if (testRequests === undefined) {
      throw new ApiError(
        'UNAVAILABLE',
        'Test requests are not configured. Set DECISION_URL, and DECISION_TOKEN to a service token with the scope decide.',
      );
    }
    const { url, token } = testRequests;
    try {
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(request),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const body = (await response.json()) as LimitAnswer | Problem;
      return { status: response.status, headers: response.headers, body };
    } catch {
      throw new ApiError(
        'UNAVAILABLE',
        'The decision API did not answer. Check that it runs, and DECISION_URL or DECISION_INTERNAL_URL.',
      );
    }
  }
}

function resultOf(status: number, headers: Headers, answer: LimitAnswer): TestRequestResult {
  const { policy, reset, policies, ...decision } = answer;
  return {
    ...decision,
    status,
    headers: [...headers].flatMap(([name, value]) => (HEADERS.test(name) ? [{ name, value }] : [])),
    limitName: policy,
    resetAt: reset === null ? null : new Date(reset),
    policies: policies.map(({ name, label = null, limit, remaining, reset: resetMs, mode, success }) => ({
      ...{ limitName: name, label, limit, remaining, success },
      resetAt: new Date(resetMs),
      mode: mode.toUpperCase() as PolicyMode,
    })),
  };
}

const unknown = (field: string, what: string): UserError => {
  const missing = notFound([field], what);
  return { ...missing, message: `${missing.message} Create it, or choose another one.` };
};

const adviceOf = ({ title, detail }: Problem) =>
  `The decision API cannot answer: ${detail ?? title}. Look at the nodes, and send the request again.`;

const TOKEN_ERRORS: readonly string[] = ['token-missing', 'token-invalid', 'scope-missing'];

function toUserErrors({ code, title, detail, errors = [] }: Problem): UserError[] {
  if (TOKEN_ERRORS.includes(code)) {
    return [invalid([], 'DECISION_TOKEN is not a valid service token with the scope decide.')];
  }
  if (errors.length === 0) return [invalid([], detail ?? title)];
  return errors.map(({ field, message }) => invalid(field.split('.').slice(0, 1), `${field}: ${message}`));
}

@Resolver()
export class TestRequestsResolver {
  constructor(private readonly service: TestRequestsService) {}

  @RequireTenantPermission('test-requests:write', 'input.tenantKey')
  @Mutation(() => TestRequestSendPayload, {
    name: 'testRequestSend',
    description:
      'Sends requests to the decision API as a service would. They count against the limits of the tenant.',
  })
  async send(@Input() input: TestRequestSendInput, @CurrentCaller() caller: Caller) {
    const outcome = await this.service.send(caller, input);
    return outcome.ok
      ? { results: outcome.value, userErrors: [] }
      : { results: [], userErrors: outcome.errors };
  }
}
