import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { LimitAnswer, LimitRequest, Problem } from '@tollgate/contracts';
import { AppConfig } from '../../../config/app-config.js';
import type { Caller } from '../../../platform/access/actor.js';
import { ApiError } from '../../../platform/api-error.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { invalid, notFound, type Outcome, parseInput, refuse } from '../../../platform/changes/outcome.js';
import type { UserError } from '../../../platform/graphql/user-error.graphql.js';
import { ApisService } from '../../catalogue/index.js';
import { TenantsRepository } from '../../customers/index.js';
import { AttemptLimiter } from '../../identity/index.js';
import type { PolicyMode } from '../query/decisions.graphql.js';
import {
  type TestRequestResult,
  type TestRequestSendInput,
  testRequestSendSchema,
} from './test-requests.graphql.js';

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
    if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
    if ((await this.apis.findByKey(apiKey)) === null)
      return refuse([notFound(['apiKey'], `API "${apiKey}"`)]);
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
    if (problem !== undefined && results.length === 0) return refuse(toUserErrors(problem));
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
    policies: policies.map(({ name, limit, remaining, reset: resetMs, mode, success }) => ({
      ...{ limitName: name, limit, remaining, success },
      resetAt: new Date(resetMs),
      mode: mode.toUpperCase() as PolicyMode,
    })),
  };
}

const TOKEN_ERRORS: readonly string[] = ['token-missing', 'token-invalid', 'scope-missing'];

function toUserErrors({ code, title, detail, errors = [] }: Problem): UserError[] {
  if (TOKEN_ERRORS.includes(code)) {
    return [invalid([], 'DECISION_TOKEN is not a valid service token with the scope decide.')];
  }
  if (errors.length === 0) return [invalid([], detail ?? title)];
  return errors.map(({ field, message }) => invalid(field.split('.').slice(0, 1), `${field}: ${message}`));
}
