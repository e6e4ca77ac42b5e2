import { rateLimitHeaders } from '@tollgate/contracts/headers';
import { problem } from '@tollgate/contracts/problems';
import { type Decision, isDecidedByTollgate } from '../client/decision.js';
import { isCallersOwn, TollgateFault } from '../client/fault.js';
import type { Caller, LimitRequest } from '../client/request.js';
import { clientAddress } from './client-address.js';
import type { GuardOptions, Verdict } from './guard-options.js';
import { refusalBody } from './refusal-body.js';

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
    options.onRefused?.(request, decision);
    const body = refusalBody(decision);
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
