import {
  capacityReportSchema,
  limitBatchSchema,
  limitRequestSchema,
  limitsQuerySchema,
  PROBLEMS,
  type ProblemCode,
  receiptRequestSchema,
  refundByDescriptionSchema,
  refundByReceiptSchema,
  reportRequestSchema,
  reserveRequestSchema,
  resetRequestSchema,
  settleRequestSchema,
} from '@tollgate/contracts';
import { BUILD } from '@tollgate/contracts/environment';
import * as z from 'zod';
import { camelCaseRequestSchema, responseJsonSchema } from '../envoy/json.js';
import {
  amendAnswerSchema,
  batchAnswerSchema,
  capacityAnswerSchema,
  healthSchema,
  limitAnswerSchema,
  problemSchema,
  readinessSchema,
  reservationSchema,
  tenantLimitsSchema,
  versionSchema,
} from './schemas.js';

export interface Endpoint {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  /** Alternatives. */
  readonly body?: readonly z.ZodType[];
  /** Accepts `key` (a tenant API key) instead of `tenant`. */
  readonly takesKey?: boolean;
  readonly query?: z.ZodObject;
  /** Default: text. */
  readonly answer?: z.ZodType;
  /** A denial has the same body with this status. */
  readonly denialStatus?: number;
  /** Scope of the service token; null: open to all. */
  readonly scope: 'decide' | 'reset' | null;
  /** In addition to those of every call with a token or a body. */
  readonly problems: readonly ProblemCode[];
  readonly queryFlags?: Readonly<Record<string, string>>;
}

const DECIDING: readonly ProblemCode[] = [
  'dimension-missing',
  'dimension-invalid',
  'request-id-reused',
  'tenant-unknown',
  'api-unknown',
  'tenant-unavailable',
  'key-invalid',
  'key-scope-missing',
];
const AMENDING: readonly ProblemCode[] = [
  'tenant-unknown',
  'tenant-unavailable',
  'key-invalid',
  'key-scope-missing',
];

const post = (path: string, summary: string, body: z.ZodType | readonly z.ZodType[], answer: z.ZodType) =>
  ({
    method: 'post',
    path,
    name: path.slice('/v1/'.length),
    summary,
    body: [body].flat(),
    takesKey: true,
    answer,
    scope: 'decide',
    problems: answer === amendAnswerSchema ? AMENDING : DECIDING,
  }) as const;

const amend = (path: string, summary: string, body: z.ZodType | readonly z.ZodType[]) =>
  post(path, summary, body, amendAnswerSchema);

export const ENDPOINTS: readonly Endpoint[] = [
  {
    ...post(
      '/v1/limit',
      'Checks all limits of a request and charges them. If one limit denies the request, none is charged',
      limitRequestSchema,
      limitAnswerSchema,
    ),
    queryFlags: {
      status: '`http`: a denied request gets its own status and a problem body that includes the decision',
    },
  },
  {
    method: 'post',
    path: '/v1/limit/batch',
    name: 'limitMany',
    summary: 'Decides up to 1,000 independent requests; returns one decision or problem per item, in order',
    body: [limitBatchSchema],
    answer: batchAnswerSchema,
    scope: 'decide',
    problems: [],
  },
  post(
    '/v1/peek',
    'Returns the decision that `limit` would make, without charging',
    limitRequestSchema,
    limitAnswerSchema,
  ),
  post(
    '/v1/reserve',
    'Like limit, but only reserves the charge: settle or release it before it expires',
    reserveRequestSchema,
    reservationSchema,
  ),
  amend('/v1/settle', 'Replaces a reserved amount with the actual cost, once', settleRequestSchema),
  amend(
    '/v1/release',
    'Cancels a reservation; for other requests, frees their concurrency permits',
    receiptRequestSchema,
  ),
  amend('/v1/renew', 'Extends the expiry of a reservation or of concurrency permits', receiptRequestSchema),
  {
    ...amend('/v1/refund', 'Refunds the charge of a request id, or `cost` units of the described operation', [
      refundByReceiptSchema,
      refundByDescriptionSchema,
    ]),
    problems: DECIDING,
  },
  amend(
    '/v1/report',
    'Reports the outcome of a request, for limits that charge by outcome; once',
    reportRequestSchema,
  ),
  {
    ...amend('/v1/reset', 'Resets the counters of the described operation', resetRequestSchema),
    takesKey: false,
    scope: 'reset',
    problems: [...DECIDING, 'operation-unlimited'],
  },
  {
    method: 'post',
    path: '/v1/capacity',
    name: 'reportCapacity',
    summary: 'Reports the load of a service to a capacity pool',
    body: [capacityReportSchema],
    answer: capacityAnswerSchema,
    scope: 'decide',
    problems: ['pool-unknown'],
  },
  {
    method: 'get',
    path: '/v1/limits',
    name: 'limits',
    summary: 'Lists the effective limits of a tenant; with an API key in the headers, those of the caller',
    query: limitsQuerySchema.partial({ tenant: true }),
    answer: tenantLimitsSchema,
    scope: 'decide',
    problems: AMENDING,
  },
  {
    method: 'post',
    path: '/json',
    name: 'shouldRateLimit',
    summary:
      "Envoy's ShouldRateLimit as JSON; accepts protobuf JSON names in camelCase or snake_case, and numbers as strings",
    body: [camelCaseRequestSchema],
    answer: responseJsonSchema,
    denialStatus: 429,
    scope: 'decide',
    problems: ['dimension-missing', 'dimension-invalid', 'tenant-unavailable'],
  },
  {
    method: 'get',
    path: '/healthz',
    name: 'health',
    summary: 'The process lives',
    answer: healthSchema,
    scope: null,
    problems: [],
  },
  {
    method: 'get',
    path: '/version',
    name: 'version',
    summary: 'Version and commit of this build',
    answer: versionSchema,
    scope: null,
    problems: [],
  },
  {
    method: 'get',
    path: '/readyz',
    name: 'readiness',
    summary:
      'Succeeds when the process has a policy, is not draining and has reached the counters (see `READY_WITHOUT_COUNTERS`)',
    answer: readinessSchema,
    scope: null,
    problems: [
      'not-ready',
      'counters-unreached',
      'quotas-unrestored',
      'overloaded',
      'process-missing',
      'draining',
    ],
  },
];

export type Json = Record<string, unknown>;

const WITH_TOKEN: readonly ProblemCode[] = [
  'token-missing',
  'token-invalid',
  'scope-missing',
  'not-ready',
  'overloaded',
  'internal',
];
const WITH_BODY: readonly ProblemCode[] = [
  'body-invalid',
  'body-not-json',
  'body-not-utf8',
  'body-duplicate-field',
  'body-too-large',
  'content-type-unsupported',
  'request-timeout',
];
const DECISIONS: ReadonlySet<string> = new Set(['limit', 'peek', 'shouldRateLimit']);
const HEADERS = {
  'RateLimit-Policy':
    'draft-ietf-httpapi-ratelimit-headers-11: every limit that was checked, unless it is hidden',
  RateLimit: 'draft-ietf-httpapi-ratelimit-headers-11: remaining quota of each limit',
  'Retry-After': 'Seconds; on a denial if waiting helps',
};

export function openApiDocument(): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of ENDPOINTS) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method]: operationOf(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tollgate decision API',
      version: BUILD.version,
      description:
        'Decides whether a request is allowed. A denial is a regular answer; errors are RFC 9457 problems.',
    },
    servers: [{ url: '/' }],
    security: [{ serviceToken: [] }],
    paths,
    components: {
      securitySchemes: {
        serviceToken: { type: 'http', scheme: 'bearer', description: 'A service token, `tga_…`' },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'A tenant API key, `tgk_…`',
        },
      },
      schemas: { Problem: jsonSchema(problemSchema, 'output') },
    },
  };
}

function operationOf(endpoint: Endpoint): Json {
  const { name, summary, scope, body, query, queryFlags = {} } = endpoint;
  const parameters = [
    ...(query === undefined ? [] : queryParameters(query)),
    ...Object.entries(queryFlags).map(([flag, description]) => ({
      name: flag,
      in: 'query',
      description,
      schema: { type: 'string' },
    })),
  ];
  return {
    operationId: name,
    summary,
    ...(scope === null ? { security: [] } : {}),
    ...(scope === 'reset' ? { description: 'Needs a token with the scope `reset` or `admin`.' } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(body, endpoint.takesKey === true) }),
    responses: responsesOf(endpoint),
  };
}

function requestBody(schemas: readonly z.ZodType[], takesKey: boolean): Json {
  const variants = schemas.map((schema) => {
    const json = jsonSchema(schema, 'input');
    return takesKey ? withKey(json) : json;
  });
  const schema = variants.length === 1 ? variants[0] : { anyOf: variants };
  return { required: true, content: { 'application/json': { schema } } };
}

/** A body may send an API key instead of the tenant's name. */
function withKey(schema: Json): Json {
  const { properties, required, ...rest } = schema as { properties: Json; required: string[] };
  return {
    ...rest,
    properties: {
      ...properties,
      key: { type: 'string', description: 'One of the tenant’s API keys, `tgk_…`' },
    },
    required: required.filter((field) => field !== 'tenant'),
    oneOf: [{ required: ['tenant'] }, { required: ['key'] }],
  };
}

function queryParameters(query: z.ZodObject): Json[] {
  const { properties, required = [] } = jsonSchema(query, 'input') as {
    properties: Json;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function responsesOf({ answer, denialStatus, scope, body, problems, name }: Endpoint): Json {
  const met = [...problems, ...(scope === null ? [] : WITH_TOKEN), ...(body === undefined ? [] : WITH_BODY)];
  const byStatus = Map.groupBy(met, (code) => PROBLEMS[code].status);
  const failures = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join('; '),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]);
  const decided = success(answer, name);
  const denied = denialStatus === undefined ? {} : { [denialStatus]: { ...decided, description: 'Denied' } };
  return { 200: decided, ...denied, ...Object.fromEntries(failures) };
}

function success(answer: z.ZodType | undefined, name: string): Json {
  const content =
    answer === undefined
      ? { 'text/plain': { schema: { type: 'string' } } }
      : { 'application/json': { schema: jsonSchema(answer, 'output') } };
  if (!DECISIONS.has(name)) return { description: 'OK', content };
  const headers = Object.entries(HEADERS).map(([header, description]) => [
    header,
    { description, schema: { type: 'string' } },
  ]);
  return { description: 'Decided: allowed or not', headers: Object.fromEntries(headers), content };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}
