import { type AmendAnswer, type LimitAnswer } from '@tollgate/contracts/answers';
import { clientAddress } from '@tollgate/contracts/client-address';
import { type Problem } from '@tollgate/contracts/problems';

/** The tenant's name, or one of its API keys, `tgk_live_…`. */
export type Caller = { tenant: string; key?: never } | { key: string; tenant?: never };

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

/** Equals `MAX_SUBJECT_VALUE` of contracts. */
export const LONGEST_VALUE = 1024;

/** Does not look like a hash or a usual identifier. */
const EMPTY = '(empty)';

type WithSubject = { subject?: Record<string, unknown> };

/**
 * Normalizes values of `subject` that Tollgate would reject, because an invalid value must not bypass a limit.
 * Overlong values become their SHA-256, empty ones share a counter, and an invalid `ip` is removed.
 */
export function countable<T extends object>(request: T): T | Promise<T> {
  const { subject } = request as WithSubject;
  if (subject === undefined || subject === null || !Object.entries(subject).some(isUncountable))
    return request;
  return withSubject(request, subject);
}

function isUncountable([dimension, value]: [string, unknown]): boolean {
  if (typeof value !== 'string' || value === '' || value.length > LONGEST_VALUE) return true;
  return dimension === 'ip' && clientAddress(value) === undefined;
}

async function withSubject<T extends object>(request: T, subject: Record<string, unknown>): Promise<T> {
  const entries: [string, string][] = [];
  for (const [dimension, value] of Object.entries(subject)) {
    if (value === undefined || value === null) continue;
    const text = String(value);
    if (dimension === 'ip' && clientAddress(text) === undefined) continue;
    entries.push([dimension, text === '' ? EMPTY : text.length > LONGEST_VALUE ? await sha256(text) : text]);
  }
  return { ...request, subject: Object.fromEntries(entries) };
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `sha256:${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
