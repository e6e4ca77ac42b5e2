import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';

export const PROTO_DIR = fileURLToPath(new URL('../../../apps/decision-api/proto', import.meta.url));
export const RLS_PATH = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit';

/** Tenants that the load is spread over: one a connection. */
export const TENANTS = 50;

/** A type of the service's package. */
export function rlsType(name: string): protobuf.Type {
  const root = new protobuf.Root();
  root.resolvePath = (_, file) => (file.startsWith('google/') ? file : `${PROTO_DIR}/${file}`);
  root.loadSync('envoy/service/ratelimit/v3/rls.proto');
  return root.lookupType(`envoy.service.ratelimit.v3.${name}`);
}

/** A request as Envoy makes it for one route: one descriptor of three entries. */
export function loadRequest(tenant: number): object {
  return requestOf('bench', `t${tenant % TENANTS}`, `user-${tenant}`);
}

/** A call of the operation `call`. @param domain the API */
export function requestOf(domain: string, tenant: string, user: string): object {
  const values = { tenant, operation: 'call', user };
  return {
    domain,
    descriptors: [{ entries: Object.entries(values).map(([key, value]) => ({ key, value })) }],
  };
}
