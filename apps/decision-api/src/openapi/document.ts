import { PROBLEMS, type ProblemCode } from '@tollgate/contracts';
import * as z from 'zod';
import { VERSION } from '../version.js';
import { problemSchema } from './answers.js';
import { ENDPOINTS, type Endpoint } from './endpoints.js';

/** A part of an OpenAPI document or JSON Schema. */
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
  RateLimit: 'The same draft: what is left of each',
  'Retry-After': 'Seconds; on a refusal that waiting can cure',
};

/** The door's OpenAPI 3.1 document, made of the schemas that it checks by. */
export function openApiDocument(): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of ENDPOINTS) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method]: operationOf(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tollgate decision API',
      version: VERSION,
      description:
        'May this request pass? Refusing one is an answer, not an error; errors are RFC 9457 problems.',
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
          description: 'A tenant’s own key, `tgk_…`',
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

/** A body may send one of the tenant's keys in place of its name. */
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

function responsesOf({ answer, refusalStatus, scope, body, problems, name }: Endpoint): Json {
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
  const refused =
    refusalStatus === undefined ? {} : { [refusalStatus]: { ...decided, description: 'Refused' } };
  return { 200: decided, ...refused, ...Object.fromEntries(failures) };
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
