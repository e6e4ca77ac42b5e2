import { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import {
  apiKeySchema,
  type Called,
  countableSubject,
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
import type { DenialLinks } from '../denial-links.js';
import { type Route, respond, withSpreadRetry } from '../http/route.js';
import { clientAddress, type TrustedHops } from './client-address.js';
import { PreflightLimit } from './preflight-limit.js';

/** How a proxy sends forward-auth requests and handles responses. */
export interface Dialect {
  readonly name: 'nginx' | 'traefik' | 'envoy';
  parametersOf(request: IncomingMessage): string;
  /** The client's method, if the proxy does not send it as the parameter `method`. */
  methodOf(request: IncomingMessage): string | undefined;
  /** Status with which the client receives `wanted`. */
  statusFor(wanted: number): number;
}

const PREFIX = '/v1/forward-auth/';

/** Query of the URL in the proxy's configuration, without the client's query. */
const inQuery = ({ url = '' }: IncomingMessage): string => {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
};

/** nginx `auth_request` forwards only 401 and 403; the real status is in a header. */
export const NGINX: Dialect = {
  name: 'nginx',
  parametersOf: inQuery,
  // `auth_request` also forwards what clients write into headers.
  methodOf: () => undefined,
  statusFor: () => 403,
};

/** Traefik's `forwardAuth`, Caddy's `forward_auth` and most others forward the response unchanged. */
export const TRAEFIK: Dialect = {
  name: 'traefik',
  parametersOf: inQuery,
  methodOf: ({ headers }) => headers['x-forwarded-method'] as string | undefined,
  statusFor: (wanted) => wanted,
};

/** Envoy appends the client's path to `path_prefix`: the first segment after our prefix is the proxy's. */
export const ENVOY: Dialect = {
  name: 'envoy',
  parametersOf: ({ url = '' }) => {
    const rest = url.slice(PREFIX.length + 'envoy/'.length);
    return /^[^/?]*/.exec(rest)?.[0] ?? '';
  },
  methodOf: ({ method }) => method,
  statusFor: (wanted) => wanted,
};

export function pathOf({ name }: Dialect): string {
  return name === 'envoy' ? `${PREFIX}envoy/` : PREFIX + name;
}

/** Parameters in the URL that the proxy calls: clients cannot change it, unlike most headers. */
export interface ForwardAuthParameters {
  readonly api: string;
  readonly operation: string;
  /** Default: identified by the client's API key. */
  readonly tenant?: string | undefined;
  readonly cost?: number | undefined;
  /** The client's method, if the proxy can write it into the URL. */
  readonly method?: string | undefined;
  /** Values by dimension; those of `from` are headers of the request. */
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
  method: z.string().max(64).optional(),
});

const DIMENSION = /^(subject|from)\.([a-z][a-z0-9_]{0,31})$/;

/** Few distinct URLs are called often. */
const MAX_CACHED = 1000;
const remembered = new Map<string, ForwardAuthParameters>();

/**
 * Reads `api=…&operation=…` and optional `tenant=…`, `cost=…`, `method=…`, `subject.user=…`, `from.device=X-Device-Id`.
 * @throws TollgateError `body-invalid` with each missing, unknown or invalid parameter
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
    // Proxies send an empty value for an anonymous user.
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

export function subjectOf(
  { subject, from }: ForwardAuthParameters,
  headers: IncomingHttpHeaders,
  ip: string,
): Record<string, string> {
  const read: Record<string, string> = { ip, ...subject };
  for (const [dimension, header] of Object.entries(from)) {
    const value = headers[header.toLowerCase()];
    if (typeof value === 'string' && value !== '') read[dimension] = value;
  }
  return countableSubject(read);
}

/** `/v1/forward-auth/{nginx|traefik|envoy}`: 200 allows; a denial has the status for the client, usually 429. */
export function forwardAuthRoutes(plane: DecisionPlane, links: DenialLinks, trusted: TrustedHops): Route[] {
  const preflights = new PreflightLimit();
  return [NGINX, TRAEFIK, ENVOY].map((dialect) => ({
    method: '*',
    path: pathOf(dialect),
    scope: 'decide',
    decides: true,
    async handle(request, response, _query, metrics) {
      const call = requestOf(request, dialect, trusted);
      const answer =
        'address' in call
          ? preflights.answer(call.address)
          : links.add(call, withSpreadRetry(await plane.limit(call)));
      metrics.decided(call.api, answer);
      const headers = rateLimitHeaders(answer, Date.now(), plane.headerStyles(call.api));
      headers['X-Tollgate-Request-Id'] = answer.requestId;
      if (answer.degraded) headers['X-Tollgate-Degraded'] = 'true';
      if (answer.success) {
        if (answer.delayMs > 0) headers['X-Tollgate-Delay-Ms'] = String(answer.delayMs);
        respond(response, 200, 'text/plain; charset=utf-8', '', headers);
        return;
      }
      const denial = denialProblem(answer, { status: statusOf(answer) });
      headers['X-Tollgate-Status'] = String(denial.status);
      const status = dialect.statusFor(denial.status);
      respond(response, status, PROBLEM_CONTENT_TYPE, JSON.stringify(denial), headers);
    },
  }));
}

/** Never 5xx: proxies treat that as a failure of Tollgate, and some then allow the request. */
function statusOf({ reason }: LimitAnswer): number {
  return reason === 'BLOCKED' ? 403 : 429;
}

/** A request that no key can identify: browsers send preflights without credentials. */
interface Preflight {
  readonly api: string;
  readonly address: string;
}

/** A CORS preflight by the Fetch standard; any other OPTIONS is an ordinary request. */
function isPreflight({ headers }: IncomingMessage, method: string | undefined): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}

function requestOf(
  request: IncomingMessage,
  dialect: Dialect,
  trusted: TrustedHops,
): Called<LimitRequest> | Preflight {
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
  if (key !== undefined) return { ...call, key };
  if (isPreflight(request, parameters.method ?? dialect.methodOf(request))) return { api, address: ip };
  throw new TollgateError('key-missing');
}
