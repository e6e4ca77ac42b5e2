import { type AmendAnswer, type LimitAnswer } from '@tollgate/contracts/answers';
import { type Problem } from '@tollgate/contracts/problems';
import { clientAddress } from '../guard/client-address.js';

/** One of these: the tenant by its name, or one of its API keys, `tgk_live_…`. */
export type Caller = { tenant: string; key?: never } | { key: string; tenant?: never };

/** What is asked for: an operation of an API, by whom, at what cost. */
export interface AskedOperation {
  /** The protected service, `url-shortener`. */
  api: string;
  /** One call in it, `createURL`. */
  operation: string;
  /** What is known of who sends the request, by dimension: `{ user: 'u1', ip: '203.0.113.9' }`; 16 at most. */
  subject?: Record<string, string>;
  /** Whole units, 1 or more; left out: what the operation costs. */
  cost?: number;
  /** 1–128 visible ASCII characters. The same id again is answered as the first time and charged once. */
  requestId?: string;
}

export type LimitRequest = Caller & AskedOperation;

/** `expiresInMs`: after this the reservation comes back by itself; 1,000 to 86,400,000, one minute unless given. */
export type ReserveRequest = LimitRequest & { expiresInMs?: number };

/** What to give back: all that a request id was charged, or so many units of what the request describes. */
export type RefundRequest = Caller &
  ({ requestId: string } | (Omit<AskedOperation, 'requestId'> & { cost: number; requestId?: never }));

/** How a request turned out, for limits that charge by it. */
export type ReportRequest = Caller & { requestId: string; outcome: 'success' | 'failure' };

/** What becomes of a settlement above what was held: refused, cut to what there is, or charged past the limit. */
export type Overrun = 'reject' | 'cap' | 'overflow';

export type SettleRequest = Caller & { requestId: string; cost: number; overrun?: Overrun };

/** Whose counters to forget: all that a request of this kind is decided by, or those of one limit. */
export type ResetRequest = { tenant: string } & Pick<AskedOperation, 'api' | 'operation' | 'subject'> & {
    limit?: string;
  };

export type ReceiptRequest = Caller & { requestId: string };

/** What is sent with each verb. */
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

/** What each verb is answered. */
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
   * @param withinMs the longest wait
   * @throws TollgateFault what is wrong with the call
   * @throws UnavailableError why nobody answered it
   */
  call<V extends Verb>(verb: V, body: Bodies[V], withinMs: number): Promise<Answers[V]>;
  /**
   * Checks address and token without naming a tenant; absent where there is neither.
   * @throws as `call`
   */
  verify?(withinMs: number): Promise<void>;
}

/** The longest value that Tollgate takes in `subject`, in UTF-16 units; `MAX_SUBJECT_VALUE` of contracts. */
export const LONGEST_VALUE = 1024;

/** Stands for an empty value. No hash or usual identifier looks like it. */
const EMPTY = '(empty)';

type WithSubject = { subject?: Record<string, unknown> };

/**
 * `request` with values of `subject` that Tollgate would reject put into a form that it counts: the sender of a request
 * often chooses these values, and must not bypass a limit with an invalid one. Overlong values become their SHA-256,
 * empty ones share a counter, and an `ip` that is no address is left out, as an absent one.
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
