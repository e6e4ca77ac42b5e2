import { canonicalAddress } from '@tollgate/contracts/addresses';
import { type HeaderStyle, rateLimitHeaders } from '@tollgate/contracts/headers';
import {
  type DenialProblem,
  denialProblem,
  PROBLEM_CONTENT_TYPE,
  type Problem,
  problem,
  UNCOUNTABLE_DENIAL,
} from '@tollgate/contracts/problems';
import { type Decision, type Denied, isDecidedByTollgate, type Limiter } from '../client/decision.js';
import {
  isCallerFault,
  isUncountable,
  requireClient,
  requireText,
  TollgateConfigError,
  TollgateFault,
} from '../client/errors.js';
import { type Caller, type LimitRequest } from '../client/requests.js';
import { type EndRequest, endOf } from './request-end.js';

export type DenialBody = DenialProblem & Pick<Denied, 'reason' | 'retryAfter' | 'requestId'>;

/** If Tollgate was unavailable and no limit is known, the denial is not the sender's fault: 503. For an invalid value, 400. */
export function denialBody(decision: Denied): DenialBody {
  const { reason, retryAfter, requestId, policy, fault } = decision;
  if (fault !== null && isUncountable(fault)) return { ...UNCOUNTABLE_DENIAL, reason, retryAfter, requestId };
  const isSenderFault = isDecidedByTollgate(decision) || policy !== null;
  const reported = isSenderFault ? decision : { ...decision, reason: 'POOL_EXHAUSTED' as const };
  return { ...denialProblem(reported), reason, retryAfter, requestId };
}

type Maybe<T> = T | Promise<T>;

/** Adapters need one of both. */
export interface AnyCaller<R> {
  /** Your customer, or one name for the whole service. An unknown tenant that a function returns is a 404 for the sender. */
  tenant?: string | ((request: R) => Maybe<string>);
  /** Requests without an API key count for `tenant`, and get a 401 if there is none. */
  key?: (request: R) => Maybe<string | undefined>;
}

export type CallerOptions<R> = AnyCaller<R> &
  (Required<Pick<AnyCaller<R>, 'tenant'>> | Required<Pick<AnyCaller<R>, 'key'>>);

/** `R` is the framework's request. */
export type GuardOptions<R> = LimitOptions<R> & CallerOptions<R>;

export interface LimitOptions<R> {
  /** A `Tollgate`, or an `EmbeddedTollgate`. One for all adapters of a process. */
  client: Limiter;
  /** As named in Tollgate. */
  api: string;
  /** As named in Tollgate. */
  operation: string | ((request: R) => string);
  /** Attributes of the sender by dimension. Default: `ip`, the address from the framework. */
  subject?: (request: R) => Maybe<Record<string, string>>;
  /** Whole units; default: the cost of the operation. */
  cost?: number | ((request: R) => Maybe<number>);
  skip?: (request: R) => Maybe<boolean>;
  /** Rate-limit headers of every response; default `['draft-11']`, `[]` for none. `Retry-After` is always sent. */
  headers?: readonly HeaderStyle[];
  /** Delays a queued request by its `delayMs`; default true. */
  delay?: boolean;
  /**
   * Whether a request whose response has this status is refunded. 500: the handler threw. A response that does not finish is not
   * refunded. Each request gets a `requestId`, so that its refund never credits a later window.
   */
  refundOn?: (status: number) => boolean;
  onDenied?: (request: R, decision: Denied) => void;
}

export type Verdict =
  | {
      pass: true;
      headers: Record<string, string>;
      decision: Decision | null;
      /** Undefined: nothing depends on the end of the request. */
      end: EndRequest | undefined;
    }
  | DeniedVerdict;

export interface DeniedVerdict {
  pass: false;
  status: number;
  headers: Record<string, string>;
  body: Problem | DenialBody;
  /** Null: the sender's key is missing or invalid, and Tollgate was not called. */
  decision: Denied | null;
}

type Unchecked = Partial<Record<'client' | 'tenant' | 'key' | 'api' | 'operation', unknown>>;

/** JavaScript callers have no compiler checks. @throws TollgateConfigError that names the option */
export function checkGuardOptions(owner: string, { client, tenant, key, api, operation }: Unchecked): void {
  requireClient(owner, client);
  if (tenant === undefined && key === undefined) {
    const advice =
      'pass "tenant" (a name, or a function of the request) or "key" (a function that returns its API key)';
    throw new TollgateConfigError(
      'tenant',
      `${owner}: options "tenant" and "key" are both missing: ${advice}.`,
    );
  }
  if (tenant !== undefined && typeof tenant !== 'function') requireText(owner, 'tenant', tenant);
  if (key !== undefined && typeof key !== 'function') {
    throw new TollgateConfigError('key', `${owner}: option "key" must be a function of the request.`);
  }
  requireText(owner, 'api', api);
  if (typeof operation !== 'function') requireText(owner, 'operation', operation);
}

export { PROBLEM_CONTENT_TYPE as PROBLEM_TYPE };

const PASS: Verdict = { pass: true, headers: {}, decision: null, end: undefined };

/**
 * Waits for the request's delay.
 * @throws TollgateFault with `onFault: 'throw'`; an invalid API key of the sender is a denied verdict
 */
export async function judge<R>(
  options: GuardOptions<R>,
  request: R,
  address: string | undefined,
): Promise<Verdict> {
  if (await options.skip?.(request)) return PASS;
  const caller = await callerOf(options, request);
  if (caller === undefined) return rejected(problem('key-missing'));
  const limitRequest = await requestOf(options, request, caller, address);
  let decision: Decision;
  try {
    decision = await options.client.limit(limitRequest);
  } catch (error) {
    if (error instanceof TollgateFault && isCallerFault(error)) return rejected(error.problem);
    throw error;
  }
  // A function may take the name from the request: an invented tenant has no limits.
  if (typeof options.tenant === 'function' && decision.fault?.code === 'tenant-unknown')
    return rejected(decision.fault);
  const headers = rateLimitHeaders(decision, Date.now(), options.headers);
  if (!decision.success) {
    options.onDenied?.(request, decision);
    const body = denialBody(decision);
    return { pass: false, status: body.status, headers, body, decision };
  }
  if (decision.delayMs > 0 && options.delay !== false) await sleep(decision.delayMs);
  return { pass: true, headers, decision, end: endOf(options, caller, decision) };
}

async function callerOf<R>({ tenant, key }: GuardOptions<R>, request: R): Promise<Caller | undefined> {
  const sent = await key?.(request);
  if (typeof sent === 'string' && sent !== '') return { key: sent };
  if (tenant === undefined) return undefined;
  return { tenant: typeof tenant === 'string' ? tenant : await tenant(request) };
}

async function requestOf<R>(
  options: GuardOptions<R>,
  request: R,
  caller: Caller,
  address: string | undefined,
): Promise<LimitRequest> {
  const { api, operation, refundOn } = options;
  const cost = typeof options.cost === 'function' ? await options.cost(request) : options.cost;
  const ip = address === undefined ? undefined : canonicalAddress(address);
  const subject =
    options.subject !== undefined ? await options.subject(request) : ip === undefined ? {} : { ip };
  return {
    ...caller,
    api,
    operation: typeof operation === 'string' ? operation : operation(request),
    subject,
    ...(cost === undefined ? {} : { cost }),
    ...(refundOn === undefined ? {} : { requestId: crypto.randomUUID() }),
  };
}

function rejected(body: Problem): DeniedVerdict {
  const headers: Record<string, string> = body.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
  return { pass: false, status: body.status, headers, body, decision: null };
}

function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

/** Apollo Server applies the headers in `http`. */
export function extensionsOf({ body, decision, headers }: DeniedVerdict) {
  return {
    code: decision === null ? 'UNAUTHENTICATED' : 'RATE_LIMITED',
    problem: body,
    http: { headers: new Map(Object.entries(headers)) },
  };
}
