import type { FastifyRequest } from 'fastify';
import type { AppConfig } from '../../config/app-config.js';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** Origins that browsers may send requests from. The three names of this very machine count as one. */
export function allowedOrigins(config: Pick<AppConfig, 'publicOrigin'>): string[] {
  const url = new URL(config.publicOrigin);
  if (!LOOPBACK.includes(url.hostname)) return [config.publicOrigin];
  return LOOPBACK.map((host) => `${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}`);
}

/** The origin that the browser uses: that of the request if it is allowed, else the public one. */
export function originOf(request: FastifyRequest, config: Pick<AppConfig, 'publicOrigin'>): string {
  const { protocol } = new URL(config.publicOrigin);
  const used = `${protocol}//${request.headers.host}`;
  return allowedOrigins(config).includes(used) ? used : config.publicOrigin;
}

/**
 * Whether another site may have sent this request. Callers that are not browsers say nothing and bring no cookie; a browser
 * says with every request that changes something where it comes from, so that one with a cookie has to say it.
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
  // A link in a mail leads here from another site: a navigation is fine, it changes nothing.
  return site === 'cross-site' && request.headers['sec-fetch-mode'] !== 'navigate';
}

function isUnsafe({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}
