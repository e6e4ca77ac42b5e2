import { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import {
  apiKeySchema,
  type Called,
  denialProblem,
  type FieldError,
  type LimitAnswer,
  type LimitRequest,
  limitRequestSchema,
  operationNameSchema,
  PROBLEM_CONTENT_TYPE,
  rateLimitHeaders,
  TollgateError,
  tenantKeySchema,
} from '@tollgate/contracts';
import { type DecisionPlane } from '@tollgate/decision-plane';
import * as z from 'zod';
import { callerKeyOf } from '../auth.js';
import { withSpreadRetry } from '../http/answer.js';
import { respond } from '../http/respond.js';
import { type Route } from '../http/route-table.js';
import { type ServerMetrics } from '../metrics/metrics.js';
import { clientAddress, type TrustedHops } from './client-address.js';

/** How one proxy sends forward-auth requests and handles responses. */
export interface Dialect {
  readonly name: 'nginx' | 'traefik' | 'envoy';
  /** Returns the parameters in the request of the proxy. */
  parametersOf(request: IncomingMessage): string;
  /** Status to respond with, so that the client receives `wanted`. */
  statusFor(wanted: number): number;
}

const PREFIX = '/v1/forward-auth/';

/** Query of the URL configured in the proxy; it does not contain the client's query. */
const inQuery = ({ url = '' }: IncomingMessage): string => {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
};

/**
 * nginx `auth_request` forwards only 401 and 403 and turns other statuses into 500: the real status is in a header.
 */
export const NGINX: Dialect = { name: 'nginx', parametersOf: inQuery, statusFor: () => 403 };

/** Traefik's `forwardAuth`, Caddy's `forward_auth` and most others hand on the answer as it is. */
export const TRAEFIK: Dialect = { name: 'traefik', parametersOf: inQuery, statusFor: (wanted) => wanted };

/**
 * Envoy's HTTP `ext_authz` appends the client's path and query to `path_prefix`: the parameters are the first segment
 * after our prefix, which the client cannot change.
 */
export const ENVOY: Dialect = {
  name: 'envoy',
  parametersOf: ({ url = '' }) => {
    const rest = url.slice(PREFIX.length + 'envoy/'.length);
    return /^[^/?]*/.exec(rest)?.[0] ?? '';
  },
  statusFor: (wanted) => wanted,
};

/** Path of a dialect's endpoint. */
export function pathOf({ name }: Dialect): string {
  return name === 'envoy' ? `${PREFIX}envoy/` : PREFIX + name;
}

/**
 * Forward-auth parameters, configured in the URL that the proxy calls. Clients cannot change that URL, while most
 * proxies forward any client header.
 */
export interface ForwardAuthParameters {
  readonly api: string;
  readonly operation: string;
  /** Undefined: identified by the client's API key. */
  readonly tenant?: string | undefined;
  readonly cost?: number | undefined;
  /** Values of dimensions; those of `from` are read from that header of the request. */
  readonly subject: Readonly<Record<string, string>>;
  readonly from: Readonly<Record<string, string>>;
}

const schema = z.strictObject({
  api: apiKeySchema,
  operation: operationNameSchema,
  tenant: tenantKeySchema.optional(),
  cost: z
    .string()
    .regex(/^[1-9][0-9]{0,9}$/, 'cost must be a whole number of 1 or more')
    .transform(Number)
    .pipe(limitRequestSchema.shape.cost.unwrap())
    .optional(),
});

const DIMENSION = /^(subject|from)\.([a-z][a-z0-9_]{0,31})$/;

/** Cache size. There are few distinct URLs, each requested often. */
const MAX_CACHED = 1000;
const remembered = new Map<string, ForwardAuthParameters>();

/**
 * Reads `api=…&operation=…`, and as wanted `tenant=…`, `cost=…`, `subject.user=…`, `from.device=X-Device-Id`.
 * @throws TollgateError `body-invalid`, naming each parameter that is missing, unknown or wrong
 */
export function readParameters(text: string): ForwardAuthParameters {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const read = parse(text);
  // URLs may contain values such as user ids: bound the cache.
  if (remembered.size >= MAX_CACHED) remembered.clear();
  remembered.set(text, read);
  return read;
}

function parse(text: string): ForwardAuthParameters {
  const plain: Record<string, string> = {};
  const subject: Record<string, string> = {};
  const from: Record<string, string> = {};
  const errors: FieldError[] = [];
  for (const [name, value] of new URLSearchParams(text)) {
    const [, where, dimension] = DIMENSION.exec(name) ?? [];
    if (Object.hasOwn(plain, name)) errors.push({ field: name, message: 'Duplicate parameter' });
    // An anonymous user arrives as an empty value.
    else if (dimension !== undefined && value === '') continue;
    else if (dimension !== undefined) (where === 'from' ? from : subject)[dimension] = value;
    else plain[name] = value;
  }
  const parsed = schema.safeParse(plain);
  for (const issue of parsed.error?.issues ?? []) {
    const fields = issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.join('.')];
    for (const field of fields) errors.push({ field: field.slice(0, 100), message: issue.message });
  }
  if (!parsed.success || errors.length > 0) {
    const detail = 'The forward-auth URL has missing, unknown or invalid parameters';
    throw new TollgateError('body-invalid', { detail, errors });
  }
  return { ...parsed.data, subject, from };
}

/** Subject of a request: values from the parameters plus the client's address. */
export function subjectOf(
  { subject, from }: ForwardAuthParameters,
  headers: IncomingHttpHeaders,
  ip: string,
): Record<string, string> {
  const read: Record<string, string> = { ip, ...subject };
  for (const [dimension, header] of Object.entries(from)) {
    const value = headers[header.toLowerCase()];
    if (typeof value === 'string' && value !== '') read[dimension] = value.slice(0, 1024);
  }
  return read;
}

/**
 * `/v1/forward-auth/{nginx|traefik|envoy}`: authorizes a request for a proxy. 200 allows it; a denial uses the status
 * that the client should receive, usually 429.
 */
export function forwardAuthRoutes(
  plane: DecisionPlane,
  metrics: ServerMetrics,
  trusted: TrustedHops,
): Route[] {
  return [NGINX, TRAEFIK, ENVOY].map((dialect) => ({
    method: '*',
    path: pathOf(dialect),
    scope: 'decide',
    async handle(request, response) {
      const call = requestOf(request, dialect, trusted);
      const answer = withSpreadRetry(await plane.limit(call));
      metrics.decided(answer);
      const headers = rateLimitHeaders(answer, Date.now(), plane.headerStyles(call.api));
      headers['X-Tollgate-Request-Id'] = answer.requestId;
      if (answer.degraded) headers['X-Tollgate-Degraded'] = 'true';
      if (answer.success) {
        if (answer.delayMs > 0) headers['X-Tollgate-Delay-Ms'] = String(answer.delayMs);
        respond(response, 200, 'text/plain; charset=utf-8', '', headers);
        return;
      }
      const refusal = denialProblem(answer, { status: statusOf(answer) });
      headers['X-Tollgate-Status'] = String(refusal.status);
      const status = dialect.statusFor(refusal.status);
      respond(response, status, PROBLEM_CONTENT_TYPE, JSON.stringify(refusal), headers);
    },
  }));
}

/** Never 5xx: proxies treat that as a failure of Tollgate, and some then allow the request. */
function statusOf({ reason }: LimitAnswer): number {
  return reason === 'BLOCKED' ? 403 : 429;
}

function requestOf(request: IncomingMessage, dialect: Dialect, trusted: TrustedHops): Called<LimitRequest> {
  const parameters = readParameters(dialect.parametersOf(request));
  const { api, operation, tenant, cost } = parameters;
  const forwardedFor = request.headers['x-forwarded-for'];
  const peer = request.socket.remoteAddress ?? '';
  const ip = clientAddress(typeof forwardedFor === 'string' ? forwardedFor : undefined, peer, trusted);
  const call = {
    api,
    operation,
    subject: subjectOf(parameters, request.headers, ip),
    ...(cost === undefined ? {} : { cost }),
  };
  if (tenant !== undefined) return { ...call, tenant };
  const key = callerKeyOf(request);
  if (key === undefined) throw new TollgateError('key-missing');
  return { ...call, key };
}
