import type { ProblemCode } from '@tollgate/contracts';

export const PROBLEM_ADVICE: Readonly<Record<ProblemCode, { why: string; todo: string }>> = {
  'body-invalid': {
    why: 'A field is missing, unknown, of the wrong type or out of range. `errors` lists each invalid field by path.',
    todo: 'Correct the fields that `errors` lists. Unknown fields are rejected, not ignored: check their spelling.',
  },
  'body-not-utf8': {
    why: 'The bytes of the body are not valid UTF-8.',
    todo: 'Encode the body as UTF-8. Other charsets are not supported.',
  },
  'body-not-json': {
    why: 'The body is empty, cut short or not JSON.',
    todo: 'Send one JSON object. Use a JSON library instead of concatenating strings.',
  },
  'body-duplicate-field': {
    why: 'An object has one field twice. Readers of JSON differ in which of them counts, so either could be meant.',
    todo: 'Send each field once. `errors` names the duplicate field.',
  },
  'body-too-large': {
    why: 'A request body is limited to 64 kB, a batch to 1 MB.',
    todo: 'Send less, or divide the batch. The connection is closed, as the rest of the body is not read.',
  },
  'content-type-unsupported': {
    why: 'Only `application/json` in UTF-8 is supported, without compression.',
    todo: 'Send `Content-Type: application/json`, and no `Content-Encoding`.',
  },
  'dimension-missing': {
    why: 'A limit with `onMissing: refuse` counts by a dimension, such as `user` or `ip`, that is missing in `subject`.',
    todo: 'Send the values that `errors` names in `subject`, or set the limit to `onMissing: shared` (requests without the value share one counter) or `skip`.',
  },
  'dimension-invalid': {
    why: 'A value in `subject` is invalid, for example an `ip` that is not an IP address.',
    todo: 'Send an address such as `203.0.113.9` or `[2001:db8::1]:443`, or leave `ip` out: the request then follows `onMissing` of the limit.',
  },
  'request-id-reused': {
    why: 'The `requestId` was used for a request that other limits apply to. A retry has to be the same request.',
    todo: 'Make a new `requestId` for each request, and keep it for its retries.',
  },
  'operation-unlimited': {
    why: 'No limit covers the operation, so it has no counters to reset.',
    todo: 'Check the names of API and operation.',
  },
  'pool-unknown': {
    why: 'The API has no pool of this name in the policy in force.',
    todo: 'Check the names; a pool is made in the console, on the page of its API.',
  },
  'token-missing': {
    why: 'The call requires a service token, and the request has none.',
    todo: "Send `Authorization: Bearer tga_…`, or `X-Tollgate-Token: tga_…` if a proxy forwards its clients' `Authorization` header.",
  },
  'token-invalid': {
    why: 'The service token is malformed, revoked or expired. The response does not say which.',
    todo: 'Create a new token in the console under Service tokens. Tenant API keys (`tgk_…`) are not service tokens.',
  },
  'scope-missing': {
    why: 'The token is valid but lacks the scope that `detail` names.',
    todo: 'Use a token with that scope.',
  },
  'key-missing': {
    why: 'The request identifies its tenant by API key, and none was sent.',
    todo: 'Send one as `X-API-Key: tgk_…` or `Authorization: Bearer tgk_…`.',
  },
  'key-invalid': {
    why: 'The API key is malformed, revoked or expired. The response does not say which.',
    todo: 'Make a new key in the portal, under API keys.',
  },
  'key-scope-missing': {
    why: 'The key is valid, but was made for other APIs or operations.',
    todo: 'Use a key that covers the operation that `detail` names.',
  },
  'api-unknown': {
    why: 'The policy has no API of this key. Requests for it would not be limited at all.',
    todo: 'Correct `api`, or create the API. `UNKNOWN_APIS=allow` on all decision nodes allows such requests without limits.',
  },
  'tenant-unknown': {
    why: 'No tenant has this key. Counters are only created for existing tenants.',
    todo: 'Check the name; it is the tenant’s key, such as `acme`.',
  },
  'route-unknown': {
    why: 'No endpoint exists at this path.',
    todo: 'Look it up in the reference, `/docs` at this address.',
  },
  'method-not-allowed': {
    why: 'The path does not support this method. `Allow` lists the supported ones.',
    todo: 'Use one of those.',
  },
  'request-malformed': {
    why: 'The request is not valid HTTP/1.1.',
    todo: 'Use a library for HTTP; the connection is closed.',
  },
  'headers-too-large': {
    why: 'The headers of a request are limited to 64 kB in total.',
    todo: 'Send fewer; a proxy should not forward the cookies of its callers.',
  },
  'request-timeout': {
    why: 'Headers have ten seconds to arrive, the whole request fifteen.',
    todo: 'Try again on a new connection.',
  },
  overloaded: {
    why: 'The process has more requests in flight than it can answer in time and sheds new ones immediately, or it lacked CPU for a second to send this one to Redis. Nothing was charged. `/readyz` answers this while the event loop of a process that has just started lags.',
    todo: 'Retry after `Retry-After`; until then apply your own fallback. If the problem persists, add nodes or raise `PROCESSES`; `tollgate_shed_total` counts shed requests.',
  },
  draining: {
    why: 'The process is shutting down. It still serves requests; only its readiness check fails.',
    todo: 'Send requests to another node.',
  },
  'not-ready': {
    why: 'The process has no policy yet, neither from Redis nor from its disk.',
    todo: 'Wait until `/readyz` succeeds. If the problem persists, check `REDIS_CONFIG_URL` and that the control plane is running.',
  },
  'counters-unreached': {
    why: 'The Redis of `REDIS_COUNTERS_URL` has not answered since this process started, so its address may be wrong. Only `/readyz` answers this; requests are decided without the counters.',
    todo: 'Check `REDIS_COUNTERS_URL` and that Redis runs. During an outage of that Redis, `READY_WITHOUT_COUNTERS=true` makes restarted nodes ready.',
  },
  'quotas-unrestored': {
    why: 'The policy Redis has not answered since this process reached the counters, or it was emptied and the control plane has not restored the quota checkpoints yet. Counters that were lost would admit their quota again. Only `/readyz` answers this, for at most 15 seconds.',
    todo: 'Wait. If the problem persists, check `REDIS_CONFIG_URL` and that a worker of the control plane runs.',
  },
  'process-missing': {
    why: 'With `PROCESSES` above 1, each process receives a part of the requests of a node. One of them has not been ready for three seconds: it is starting, has crashed or hangs. Only `/readyz` answers this.',
    todo: 'A crashed process restarts after a second, one that hangs after ten. If the problem persists, the log of the node names the reason.',
  },
  'tenant-unavailable': {
    why: 'This node has not loaded the tenant yet, and the Redis that holds policy is unavailable.',
    todo: 'Try again after `Retry-After`. Tenants that were seen before are decided for meanwhile.',
  },
  internal: {
    why: 'An unexpected error occurred. The node logged the details.',
    todo: 'Retry with the same `requestId`: it is charged at most once. If the problem persists, check the log of the node.',
  },
};
