export type { ClientOptions } from './client/client.js';
export type { Allowed, Amended, Decision, Refused, Undecidable } from './client/decision.js';
export { TollgateFault } from './client/fault.js';
export type { Held, Limiter, Reservation } from './client/limiter.js';
export type { ChooseWhenUnavailable, OnUnavailable, UnavailableChoice } from './client/on-unavailable.js';
export type {
  AskedOperation,
  Caller,
  LimitRequest,
  Overrun,
  RefundRequest,
  ReportRequest,
  ReserveRequest,
  ResetRequest,
} from './client/request.js';
export { type RetryAdvice, retryAdvice } from './client/retry-advice.js';
export type { Unavailable } from './client/unavailable.js';
export { Tollgate, type TollgateOptions } from './tollgate.js';
