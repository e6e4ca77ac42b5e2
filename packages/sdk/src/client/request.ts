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
