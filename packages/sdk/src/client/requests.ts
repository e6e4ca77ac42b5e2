import { type AmendAnswer, type LimitAnswer } from '@tollgate/contracts/answers';
import { type Problem } from '@tollgate/contracts/problems';
import { clientAddress } from '../guard/client-address.js';

/** Either the tenant's name or one of its API keys, `tgk_live_…`. */
export type Caller = { tenant: string; key?: never } | { key: string; tenant?: never };

/** A request for an operation of an API, with its sender and cost. */
export interface OperationRequest {
  /** The protected service, `url-shortener`. */
  api: string;
  /** One call in it, `createURL`. */
  operation: string;
  /** Attributes of the sender, by dimension: `{ user: 'u1', ip: '203.0.113.9' }`; up to 16. */
  subject?: Record<string, string>;
  /** Whole units, 1 or more; default: the cost of the operation. */
  cost?: number;
  /** 1–128 visible ASCII characters. The same id again is answered as the first time and charged once. */
  requestId?: string;
}

export type LimitRequest = Caller & OperationRequest;

/** `expiresInMs`: lifetime of the reservation; 1,000 to 86,400,000, default one minute. */
export type ReserveRequest = LimitRequest & { expiresInMs?: number };

/** What to refund: the whole charge of a request id, or units of a described operation. */
export type RefundRequest = Caller &
  ({ requestId: string } | (Omit<OperationRequest, 'requestId'> & { cost: number; requestId?: never }));

/** Outcome of a request, for limits that charge by outcome. */
export type ReportRequest = Caller & { requestId: string; outcome: 'success' | 'failure' };

/** How to settle more than was reserved: reject it, cap it to the remaining quota, or charge beyond the limit. */
export type Overrun = 'reject' | 'cap' | 'overflow';

export type SettleRequest = Caller & { requestId: string; cost: number; overrun?: Overrun };

/** Counters to reset: all of the described operation, or those of one limit. */
export type ResetRequest = { tenant: string } & Pick<OperationRequest, 'api' | 'operation' | 'subject'> & {
    limit?: string;
  };

export type ReceiptRequest = Caller & { requestId: string };

/** Request bodies by endpoint. */
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

/** Answers by endpoint. */
export interface Answers {
  limit: LimitAnswer;
  'limit/batch': { answers: (LimitAnswer | Problem)[] };
  peek: LimitAnswer;
  reserve: LimitAnswer & { expiresAt: number | null };
  settle: AmendAnswer;
  release: AmendAnswer;
  renew: AmendAnswer;
  refund: AmendAnswer;
  report: AmendAnswer;
  reset: AmendAnswer;
}

export type Verb = keyof Bodies;

/** The way to a decision plane: over HTTP, or in this process. */
export interface Transport {
  /**
   * @param withinMs maximum duration
   * @throws TollgateFault if Tollgate rejects the call
   * @throws UnavailableError if there is no answer
   */
  call<V extends Verb>(verb: V, body: Bodies[V], withinMs: number): Promise<Answers[V]>;
  /**
   * Checks URL and token without a tenant; absent if there is neither.
   * @throws as `call`
   */
  verify?(withinMs: number): Promise<void>;
}

/** Maximum length of a value in `subject`, UTF-16 units; equals `MAX_SUBJECT_VALUE` of contracts. */
export const LONGEST_VALUE = 1024;

/** Replaces an empty value; does not look like a hash or a usual identifier. */
const EMPTY = '(empty)';

type WithSubject = { subject?: Record<string, unknown> };

/**
 * Normalizes values of `subject` that Tollgate would reject: senders often choose these values, and an invalid one
 * must not bypass a limit. Overlong values become their SHA-256, empty ones share one counter, and an invalid `ip` is
 * removed.
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
