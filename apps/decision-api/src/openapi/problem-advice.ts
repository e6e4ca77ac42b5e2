import type { ProblemCode } from '@tollgate/contracts';

/** Why a problem is met, and what to do about it: one of each code, or this does not compile. */
export const PROBLEM_ADVICE: Readonly<Record<ProblemCode, { why: string; todo: string }>> = {
  'body-invalid': {
    why: 'A field is missing, unknown, of the wrong type or out of its range. `errors` names each one by its path.',
    todo: 'Correct the fields that `errors` names. A field that is not known is refused, not ignored: look for a typing error.',
  },
  'body-not-utf8': {
    why: 'The bytes of the body are not valid UTF-8, so what they say cannot be known.',
    todo: 'Encode the body as UTF-8. Another charset than that is not taken.',
  },
  'body-not-json': {
    why: 'The body is empty, cut short or not JSON.',
    todo: 'Send one JSON object. Let a library write it rather than putting it together from texts.',
  },
  'body-duplicate-field': {
    why: 'An object has one field twice. Readers of JSON differ in which of them counts, so either could be meant.',
    todo: 'Send each field once; `errors` names the one that came twice.',
  },
  'body-too-large': {
    why: 'A body is 64 kB at most, that of a batch 1 MB.',
    todo: 'Send less, or divide the batch. The connection is closed, as the rest of the body is not read.',
  },
  'content-type-unsupported': {
    why: 'Bodies are taken as `application/json` only, in UTF-8.',
    todo: 'Send `Content-Type: application/json`.',
  },
  'dimension-missing': {
    why: 'A limit with `onMissing: refuse` counts by a dimension, such as `user` or `ip`, that `subject` does not have.',
    todo: 'Send the values that `errors` names in `subject`, or set the limit to `onMissing: shared` (requests without the value share one counter) or `skip`.',
  },
  'dimension-invalid': {
    why: 'A value of `subject` is not what its name says: an `ip` that is no address.',
    todo: 'Send the address alone, without a port, as `203.0.113.9` or `2001:db8::1`.',
  },
  'request-id-reused': {
    why: 'The `requestId` was used for a request that other limits apply to. A retry has to be the same request.',
    todo: 'Make a new `requestId` for each request, and keep it for its retries.',
  },
  'operation-unlimited': {
    why: 'No limit covers the operation, so there is no counter to forget.',
    todo: 'Check the names of API and operation.',
  },
  'pool-unknown': {
    why: 'The API has no pool of this name in the policy in force.',
    todo: 'Check the names; a pool is made in the console, on the page of its API.',
  },
  'token-missing': {
    why: 'The call wants a service token, and none came.',
    todo: 'Send `Authorization: Bearer tga_…`, or `X-Tollgate-Token: tga_…` where a proxy needs `Authorization` for its own callers.',
  },
  'token-invalid': {
    why: 'The token is no service token, or was revoked, or has expired. Which of them is not told.',
    todo: 'Make a new one in the console, under Service tokens. A tenant’s API key (`tgk_…`) is none.',
  },
  'scope-missing': {
    why: 'The token is valid, but its scopes do not hold what this call wants; `detail` names it.',
    todo: 'Use a token with that scope.',
  },
  'key-missing': {
    why: 'The request names its tenant by an API key, and the caller sent none.',
    todo: 'Send one as `X-API-Key: tgk_…` or `Authorization: Bearer tgk_…`.',
  },
  'key-invalid': {
    why: 'The API key is none, or was revoked, or has expired. Which of them is not told.',
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
    why: 'There is no tenant of this name. A counter that nobody owns is not made.',
    todo: 'Check the name; it is the tenant’s key, such as `acme`.',
  },
  'route-unknown': {
    why: 'There is nothing at this path.',
    todo: 'Look it up in the reference, `/docs` at this address.',
  },
  'method-not-allowed': {
    why: 'The path takes other methods; `Allow` names them.',
    todo: 'Use one of those.',
  },
  'request-malformed': {
    why: 'What came is not valid HTTP/1.1.',
    todo: 'Use a library for HTTP; the connection is closed.',
  },
  'headers-too-large': {
    why: 'The headers of a request are 16 kB at most, all together.',
    todo: 'Send fewer; a proxy should not forward the cookies of its callers.',
  },
  'request-timeout': {
    why: 'Headers have ten seconds to arrive, the whole request fifteen.',
    todo: 'Try again on a new connection.',
  },
  overloaded: {
    why: 'The process has more requests than it can answer in time. It says so at once instead of making everybody wait; nothing was charged.',
    todo: 'Try again after `Retry-After`, and decide by yourself meanwhile. If it goes on, add nodes or `PROCESSES`; `tollgate_shed_total` counts it.',
  },
  draining: {
    why: 'The process is about to stop and still serves what comes; only its readiness fails.',
    todo: 'Send requests to another node.',
  },
  'not-ready': {
    why: 'The process has no policy yet, neither from Redis nor from its disk.',
    todo: 'Wait for `/readyz`. If it goes on, check `REDIS_CONFIG_URL`, and that the control plane runs.',
  },
  'counters-unreached': {
    why: 'The Redis of `REDIS_COUNTERS_URL` has not answered since this process started, and it has no policy on its disk that shows that it has decided before. Only `/readyz` answers this; requests are decided without the counters.',
    todo: 'Check `REDIS_COUNTERS_URL` and that Redis runs. `READY_WITHOUT_COUNTERS=always` makes such a node ready.',
  },
  'tenant-unavailable': {
    why: 'This node never saw the tenant, and the Redis that holds policy cannot be asked now.',
    todo: 'Try again after `Retry-After`. Tenants that were seen before are decided for meanwhile.',
  },
  internal: {
    why: 'Something went wrong on our side; it was logged.',
    todo: 'Try again with the same `requestId`: it is charged once. If it goes on, look into the log of the node.',
  },
};
