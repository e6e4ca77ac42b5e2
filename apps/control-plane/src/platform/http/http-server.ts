import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import { MAX_CONFIG_BYTES } from '@tollgate/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppConfig } from '../../config/app-config.js';
import { ApiError, STATUS_OF_API_ERROR } from '../api-error.js';
import { type GraphqlBody, screenDocument } from '../graphql/document-limits.js';
import { scopeRequests } from '../tenant-scope.js';
import { isStorable, UNSTORABLE_TEXT } from '../text.js';

export const MAX_BODY_BYTES = 64 * 1024;

/** Of a GraphQL request with a configuration: in its JSON string, quotation marks take two bytes. */
const MAX_GRAPHQL_BODY_BYTES = 2 * MAX_CONFIG_BYTES + MAX_BODY_BYTES;

/**
 * Larger bodies up to this size are read and discarded, because closing the connection of a sender would lose the
 * response.
 */
const DISCARDED_BODY_BYTES = 16 * 1024 * 1024;

export const GRAPHQL_PATH = '/graphql';

export const GRAPHQL_STREAM_PATH = '/graphql/stream';

const GRAPHQL_PATHS: readonly (string | undefined)[] = [GRAPHQL_PATH, GRAPHQL_STREAM_PATH];

export const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  // Mantine sets style attributes.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Orchestrators request these every few seconds. */
export const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Installs the checks of all requests. */
export function guardHttpServer(fastify: FastifyInstance, config: AppConfig): void {
  const allowed = allowedOrigins(config);
  const headers = securityHeaders(config);
  scopeRequests(fastify);
  fastify.addHook('onRoute', (route) => {
    if (route.url === GRAPHQL_PATH) route.bodyLimit = MAX_GRAPHQL_BODY_BYTES;
  });
  fastify.addHook('onRequest', async (request, reply) => {
    reply.headers(headers).header('X-Request-Id', request.id);
    const isSafe = request.method === 'GET' || request.method === 'HEAD';
    if (!isSafe && isForeign(request, allowed))
      return refuse(reply, 403, 'FORBIDDEN', 'Foreign origin.', request);
    if (isForGraphql(request) && guardGraphql(request, reply) !== undefined) return reply;
    if (isTooLarge(request)) throw new TooLargeError();
  });
  fastify.addHook('preHandler', async (request, reply) => {
    if (!isForGraphql(request)) {
      // Webhook bodies are verified by their signature.
      const parts = [request.params, request.query, Buffer.isBuffer(request.body) ? null : request.body];
      return isStorable(parts) ? undefined : refuse(reply, 400, 'BAD_USER_INPUT', UNSTORABLE_TEXT, request);
    }
    const fault = screenDocument((request.body ?? {}) as GraphqlBody);
    if (fault !== undefined) return refuse(reply, 400, 'BAD_USER_INPUT', fault, request);
  });
  fastify.addHook('onSend', async (request, reply, payload) =>
    isForGraphql(request) && typeof payload === 'string' ? compress(payload, request, reply) : payload,
  );
  fastify.addHook('onResponse', async (request, reply) => {
    const tookMs = Math.round(reply.elapsedTime);
    // Without the query, which may contain a sign-in token.
    const path = pathOf(request).slice(0, 200);
    const level = PROBES.has(path) ? 'debug' : 'info';
    request.log[level]({ method: request.method, path, status: reply.statusCode, tookMs }, 'request');
  });
}

/** Charges each GraphQL document before it is read. Call it before routes are added. */
export function chargeDocuments(
  fastify: FastifyInstance,
  charge: (request: FastifyRequest) => Promise<void>,
): void {
  fastify.addHook('preValidation', async (request, reply) => {
    if (!isForGraphql(request)) return;
    try {
      await charge(request);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { code, facts, headers, message } = error;
      return reply
        .status(STATUS_OF_API_ERROR[code])
        .headers(headers)
        .send({ errors: [{ message, extensions: { ...facts, code, requestId: request.id } }] });
    }
  });
}

const COMPRESSED_FROM_CHARACTERS = 1_400;
const BROTLI_QUALITY = 4;

/**
 * Compresses a response that does not fit into one packet. Its secrets are safe: other sites cannot send GraphQL requests
 * ({@link isForeign}), and so cannot guess at them by the length of responses.
 */
async function compress(
  payload: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | Buffer> {
  reply.header('Vary', 'Accept-Encoding');
  if (payload.length < COMPRESSED_FROM_CHARACTERS) return payload;
  const encoding = negotiate(request.headers['accept-encoding'] ?? '', ['br', 'gzip']);
  if (encoding === null) return payload;
  reply.header('Content-Encoding', encoding).removeHeader('Content-Length');
  if (encoding === 'gzip') return promisify(gzip)(payload);
  return promisify(brotliCompress)(payload, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
}

export class TooLargeError extends Error {
  readonly statusCode = 413;
}

/** By `content-length`; bodies without it are counted while they are read. */
function isTooLarge({ headers, routeOptions }: FastifyRequest): boolean {
  const length = Number(headers['content-length'] ?? 0);
  return length > (routeOptions.bodyLimit ?? MAX_BODY_BYTES) && length <= DISCARDED_BODY_BYTES;
}

/** By route and path: `/%67raphql` has the route, and a method without a route has only the path. */
export function isForGraphql(request: FastifyRequest): boolean {
  return GRAPHQL_PATHS.includes(request.routeOptions.url) || GRAPHQL_PATHS.includes(pathOf(request));
}

/** Accepts JSON by POST only, which forms and links of other sites cannot send. */
function guardGraphql(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  reply.header('Cache-Control', 'no-store');
  if (request.method !== 'POST') {
    reply.header('Allow', 'POST');
    return refuse(reply, 405, 'BAD_USER_INPUT', 'Send GraphQL requests by POST.', request);
  }
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    return refuse(reply, 415, 'BAD_USER_INPUT', 'Send the body as application/json.', request);
  }
  return undefined;
}

function refuse(
  reply: FastifyReply,
  status: number,
  code: string,
  message: string,
  request: FastifyRequest,
): FastifyReply {
  return reply.status(status).send({ errors: [{ message, extensions: { code, requestId: request.id } }] });
}

function securityHeaders(config: AppConfig): Record<string, string> {
  return {
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(config.publicOrigin.startsWith('https:')
      ? { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' }
      : {}),
  };
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?')[0] ?? '';
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** Origins of the console in browsers. The names of loopback count as one. */
export function allowedOrigins(config: Pick<AppConfig, 'publicOrigin'>): string[] {
  const url = new URL(config.publicOrigin);
  if (!LOOPBACK.includes(url.hostname)) return [config.publicOrigin];
  return LOOPBACK.map((host) => `${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}`);
}

/** The origin of the request if it is allowed, else the public one. */
export function originOf(request: FastifyRequest, config: Pick<AppConfig, 'publicOrigin'>): string {
  const { protocol } = new URL(config.publicOrigin);
  const used = `${protocol}//${request.headers.host}`;
  return allowedOrigins(config).includes(used) ? used : config.publicOrigin;
}

/**
 * Whether another site may have sent the request. Browsers send an origin with every unsafe request; other clients send
 * neither origin nor cookie.
 */
export function isForeign(request: FastifyRequest, allowed: readonly string[]): boolean {
  const { origin } = request.headers;
  if (origin !== undefined) return !allowed.includes(origin);
  const site = request.headers['sec-fetch-site'];
  if (
    request.headers.cookie !== undefined &&
    request.headers.authorization === undefined &&
    isUnsafe(request)
  )
    return site !== 'same-origin';
  // Links in mails are cross-site navigations, which change nothing.
  return site === 'cross-site' && request.headers['sec-fetch-mode'] !== 'navigate';
}

function isUnsafe({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}
