import type { IncomingMessage } from 'node:http';

/** How a proxy asks, and what it makes of answers. */
export interface Dialect {
  readonly name: 'nginx' | 'traefik' | 'envoy';
  /** Where the parameters stand in what the proxy asks. */
  parametersOf(request: IncomingMessage): string;
  /** What a refusal is answered with, for the client to get `wanted`. */
  statusFor(wanted: number): number;
}

const PREFIX = '/v1/forward-auth/';

/** The query of the address that the proxy was told to ask: the client's own is not part of it. */
const inQuery = ({ url = '' }: IncomingMessage): string => {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
};

/** nginx's `auth_request` hands on 401 and 403 only, any other status becomes 500: the true one is told in a header. */
export const NGINX: Dialect = { name: 'nginx', parametersOf: inQuery, statusFor: () => 403 };

/** Traefik's `forwardAuth`, Caddy's `forward_auth` and most others hand on the answer as it is. */
export const TRAEFIK: Dialect = { name: 'traefik', parametersOf: inQuery, statusFor: (wanted) => wanted };

/**
 * Envoy's `ext_authz` over HTTP asks for the client's path and query behind `path_prefix`: the parameters are the first
 * segment behind ours, where the client cannot write.
 */
export const ENVOY: Dialect = {
  name: 'envoy',
  parametersOf: ({ url = '' }) => {
    const rest = url.slice(PREFIX.length + 'envoy/'.length);
    return /^[^/?]*/.exec(rest)?.[0] ?? '';
  },
  statusFor: (wanted) => wanted,
};

/** Where a dialect is asked. */
export function pathOf({ name }: Dialect): string {
  return name === 'envoy' ? `${PREFIX}envoy/` : PREFIX + name;
}
