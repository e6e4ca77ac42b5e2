import { type AmendAnswer, type LimitAnswer } from '@tollgate/contracts/answers';
import {
  countableCost,
  countableOperation,
  countableRequestId,
  countableSubject,
  isOperationName,
} from '@tollgate/contracts/countable';
import { type Problem } from '@tollgate/contracts/problems';

/** The tenant's name, or one of its API keys, `tgk_live_…`. */
export type Caller = { tenant: string; key?: never } | { key: string; tenant?: never };

export function callerOf({ tenant, key }: Caller): Caller {
  return tenant === undefined ? { key } : { tenant };
}

export interface OperationRequest {
  /** The protected service, `url-shortener`. */
  api: string;
  /** Part of the API, `createURL`. */
  operation: string;
  /** Attributes of the sender by dimension: `{ user: 'u1', ip: '203.0.113.9' }`; up to 16. */
  subject?: Record<string, string>;
  /** Whole units, 1 or more; default: the cost of the operation. */
  cost?: number;
  /** 1–128 visible ASCII characters. A repeated id gets the first answer and is charged once. */
  requestId?: string;
}

export type LimitRequest = Caller & OperationRequest;

/** `expiresInMs`: 1,000 to 86,400,000, default one minute. */
export type ReserveRequest = LimitRequest & { expiresInMs?: number };

/** Refunds the whole charge of a request id, or units of a described operation. */
export type RefundRequest = Caller &
  ({ requestId: string } | (Omit<OperationRequest, 'requestId'> & { cost: number; requestId?: never }));

export type ReportRequest = Caller & { requestId: string; outcome: 'success' | 'failure' };

/** When the cost exceeds the reservation: reject it, cap it to the remaining quota, or charge beyond the limit. */
export type Overrun = 'reject' | 'cap' | 'overflow';

export type SettleRequest = Caller & { requestId: string; cost: number; overrun?: Overrun };

/** Resets all counters of the described operation, or those of one limit. */
export type ResetRequest = { tenant: string } & Pick<OperationRequest, 'api' | 'operation' | 'subject'> & {
    limit?: string;
  };

export type ReceiptRequest = Caller & { requestId: string };

export interface Bodies {
  limit: LimitRequest;
  'limit/batch': { requests: readonly LimitRequest[] };
  peek: LimitRequest;
  reserve: ReserveRequest;
  settle: SettleRequest;
  release: ReceiptRequest;
  renew: ReceiptRequest;
  refund: RefundRequest;
  report: ReportRequest;
  reset: ResetRequest;
}

export interface Answers
  extends Record<'settle' | 'release' | 'renew' | 'refund' | 'report' | 'reset', AmendAnswer> {
  limit: LimitAnswer;
  'limit/batch': { answers: (LimitAnswer | Problem)[] };
  peek: LimitAnswer;
  reserve: LimitAnswer & { expiresAt: number | null };
}

export type Verb = keyof Bodies;

export interface Transport {
  /** @throws TollgateFault if Tollgate rejects the call @throws UnavailableError if there is no answer */
  call<V extends Verb>(verb: V, body: Bodies[V], withinMs: number): Promise<Answers[V]>;
  /** Checks URL and token without a tenant. @throws as `call` */
  verify?(withinMs: number): Promise<void>;
}

/**
 * Replaces values of a request that a client may have chosen and that Tollgate would reject, because an invalid value must not
 * bypass a limit: of `subject`, an operation name, a fractional cost or one below 1, and a request id. What remains invalid
 * (more than 16 dimensions, a cost that is not a number) is rejected by Tollgate and denied here.
 */
export function countable<T extends object>(request: T): T {
  const { subject, operation, cost, requestId } = request as Uncertain;
  const changes: Uncertain = {};
  if (isObject(subject)) {
    const sendable = countableSubject(subject);
    if (sendable !== subject) changes.subject = sendable;
  }
  if (typeof operation === 'string') {
    if (!isOperationName(operation)) changes.operation = countableOperation(operation);
    // The cost of a settlement, which has no operation, may be 0.
    if (typeof cost === 'number' && countableCost(cost) !== cost) changes.cost = countableCost(cost);
  }
  if (typeof requestId === 'string' && countableRequestId(requestId) !== requestId)
    changes.requestId = countableRequestId(requestId);
  for (const _ in changes) return { ...request, ...changes };
  return request;
}

interface Uncertain {
  subject?: unknown;
  operation?: unknown;
  cost?: unknown;
  requestId?: unknown;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
