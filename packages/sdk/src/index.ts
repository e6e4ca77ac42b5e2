export type { ClientOptions } from './client/client.js';
export { TollgateConfigError } from './client/config-error.js';
export type { Allowed, Amended, Decision, Refused, Undecidable } from './client/decision.js';
export type { FaultEvent, TollgateEvent, UnavailableEvent } from './client/events.js';
export { type FaultChoice, TollgateFault } from './client/fault.js';
export type { Held, Limiter, Reservation } from './client/limiter.js';
export type { ChooseOnFault, OnFault } from './client/on-fault.js';
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
