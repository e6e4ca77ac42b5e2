import { type HeaderStyle, rateLimitHeaders } from '@tollgate/contracts/headers';
import { type DenialProblem, denialProblem, type Problem, problem } from '@tollgate/contracts/problems';
import { type Decision, type Denied, isDecidedByTollgate, type Limiter } from '../client/decision.js';
import { isCallersOwn, requireText, TollgateConfigError, TollgateFault } from '../client/errors.js';
import { type Caller, type LimitRequest } from '../client/requests.js';
import { clientAddress } from './client-address.js';

/** RFC 9457 problem details of a refusal, with what a program needs beside them. */
export type DenialBody = DenialProblem & Pick<Denied, 'reason' | 'retryAfter' | 'requestId'>;

/**
 * What whoever sent the request is told. Where nobody could be asked and no limit is known, the refusal is not about them: 503,
 * as when capacity is short.
 */
export function denialBody(decision: Denied): DenialBody {
  const { reason, retryAfter, requestId, policy } = decision;
  const isAboutThem = isDecidedByTollgate(decision) || policy !== null;
  const told = isAboutThem ? decision : { ...decision, reason: 'POOL_EXHAUSTED' as const };
  return { ...denialProblem(told), reason, retryAfter, requestId };
}

type Maybe<T> = T | Promise<T>;

type TenantOf<R> = string | ((request: R) => Maybe<string>);
type KeyOf<R> = (request: R) => Maybe<string | undefined>;

/** Whose limits apply: `tenant`, `key` or both; with neither, no request could be decided. */
export type CallerOptions<R> =
  | {
      /** Your customer, or one name for the whole service. */
      tenant: TenantOf<R>;
      /** The customer's API key in the request; requests without one count for `tenant`. */
      key?: KeyOf<R>;
    }
  | {
      tenant?: TenantOf<R>;
      /** The customer's API key in the request; requests without one are answered 401 unless `tenant` is given. */
      key: KeyOf<R>;
    };

/** How an adapter asks for the requests of a framework; `R` is that framework's request. */
export type GuardOptions<R> = LimitOptions<R> & CallerOptions<R>;

/** `GuardOptions` but for the caller. */
export interface LimitOptions<R> {
  /** A `Tollgate`, or an `EmbeddedTollgate`. One for all adapters of a process. */
  client: Limiter;
  /** The protected service, as it is called in Tollgate. */
  api: string;
  /** The operation, as it is called in Tollgate. */
  operation: string | ((request: R) => string);
  /** What is known of the sender, by dimension. Left out: `ip`, the address that the framework says, IPv6 by /64. */
  subject?: (request: R) => Maybe<Record<string, string>>;
  /** Whole units; left out: what the operation costs. */
  cost?: number | ((request: R) => Maybe<number>);
  /** Requests that are not asked about. */
  skip?: (request: R) => Maybe<boolean>;
  /** In which styles limits are told on every answer; `['draft-11']` unless given, `[]` for none. `Retry-After` is always sent. */
  headers?: readonly HeaderStyle[];
  /** Whether a request that a queue paces is held back for its delay; true unless given. Else see `decision.delayMs`. */
  delay?: boolean;
  /** Which responses give back what was charged, by their status. */
  refundOn?: (status: number) => boolean;
  /** Told of each refusal. */
  onDenied?: (request: R, decision: Denied) => void;
}

/** What becomes of a request. */
export type Verdict =
  | {
      pass: true;
      headers: Record<string, string>;
      decision: Decision | null;
      after: (status: number) => void;
    }
  | DeniedVerdict;

export interface DeniedVerdict {
  pass: false;
  status: number;
  headers: Record<string, string>;
  body: Problem | DenialBody;
  /** Null: nobody was asked, because the caller's key is missing or wrong. */
  decision: Denied | null;
}

/** Options as JavaScript may pass them: nothing is certain. */
type Unchecked = Partial<Record<'client' | 'tenant' | 'key' | 'api' | 'operation', unknown>>;

/**
 * Checks options that come from JavaScript or the environment, past the compiler.
 * @param owner the function that takes them, for the message
 * @throws TollgateConfigError that names the option
 */
export function checkGuardOptions(owner: string, { client, tenant, key, api, operation }: Unchecked): void {
  if (typeof (client as Partial<Limiter> | undefined)?.limit !== 'function') {
    throw new TollgateConfigError(
      'client',
      `${owner}: option "client" must be a Tollgate or an EmbeddedTollgate.`,
    );
  }
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

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

const PASS: Verdict = { pass: true, headers: {}, decision: null, after: () => undefined };

/**
 * Asks for one request of a framework, and holds it back for its delay.
 * @param address of the client, as the framework says it
 * @throws TollgateFault where the client's `onFault` is `throw`; a key of the caller's that is not valid is a verdict
 */
export async function judge<R>(
  options: GuardOptions<R>,
  request: R,
  address: string | undefined,
): Promise<Verdict> {
  if (await options.skip?.(request)) return PASS;
  const caller = await callerOf(options, request);
  if (caller === undefined) return KEY_MISSING;
  const asked = await askedOf(options, request, caller, address);
  let decision: Decision;
  try {
    decision = await options.client.limit(asked);
  } catch (error) {
    if (error instanceof TollgateFault && isCallersOwn(error)) return notTheirs(error);
    throw error;
  }
  const headers = rateLimitHeaders(decision, Date.now(), options.headers);
  if (!decision.success) {
    options.onDenied?.(request, decision);
    const body = denialBody(decision);
    return { pass: false, status: body.status, headers, body, decision };
  }
  if (decision.delayMs > 0 && options.delay !== false) await sleep(decision.delayMs);
  return { pass: true, headers, decision, after: (status) => refund(options, asked, decision, status) };
}

async function callerOf<R>({ tenant, key }: GuardOptions<R>, request: R): Promise<Caller | undefined> {
  const sent = await key?.(request);
  if (typeof sent === 'string' && sent !== '') return { key: sent };
  if (tenant === undefined) return undefined;
  return { tenant: typeof tenant === 'string' ? tenant : await tenant(request) };
}

async function askedOf<R>(
  options: GuardOptions<R>,
  request: R,
  caller: Caller,
  address: string | undefined,
): Promise<LimitRequest> {
  const { api, operation } = options;
  const cost = typeof options.cost === 'function' ? await options.cost(request) : options.cost;
  const ip = clientAddress(address);
  const subject =
    options.subject !== undefined ? await options.subject(request) : ip === undefined ? {} : { ip };
  return {
    ...caller,
    api,
    operation: typeof operation === 'string' ? operation : operation(request),
    subject,
    ...(cost === undefined ? {} : { cost }),
  };
}

function refund<R>(options: GuardOptions<R>, asked: LimitRequest, decision: Decision, status: number): void {
  if (options.refundOn?.(status) !== true || !isDecidedByTollgate(decision)) return;
  const { requestId: _, ...description } = asked;
  // Nobody waits for it, and what it cannot give back comes back with the window.
  options.client.refund({ ...description, cost: decision.cost }).catch(() => undefined);
}

function notTheirs(fault: TollgateFault): Verdict {
  const headers: Record<string, string> =
    fault.problem.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
  return { pass: false, status: fault.problem.status, headers, body: fault.problem, decision: null };
}

const KEY_MISSING: Verdict = {
  pass: false,
  status: 401,
  headers: { 'WWW-Authenticate': 'Bearer' },
  body: problem('key-missing'),
  decision: null,
};

function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

/** What an error of GraphQL says about a refusal. Apollo Server takes `http` out of it, and sets those headers. */
export function extensionsOf({ body, decision, headers }: DeniedVerdict) {
  return {
    code: decision === null ? 'UNAUTHENTICATED' : 'RATE_LIMITED',
    problem: body,
    http: { headers: new Map(Object.entries(headers)) },
  };
}
