export type { ClientOptions } from './client/client.js';
export type {
  Allowed,
  Amended,
  Decision,
  Denied,
  Limiter,
  Reservation,
  ReservationHandle,
  Undecidable,
} from './client/decision.js';
export { type RetryAdvice, retryAdvice } from './client/decision.js';
export type { Unavailable } from './client/errors.js';
export { type FaultChoice, TollgateConfigError, TollgateFault } from './client/errors.js';
export type {
  AvailableEvent,
  ChooseOnFault,
  ChooseWhenUnavailable,
  FaultEvent,
  OnFault,
  OnUnavailable,
  TollgateEvent,
  UnavailableChoice,
  UnavailableEvent,
} from './client/fallback.js';
export type {
  Caller,
  LimitRequest,
  OperationRequest,
  Overrun,
  ReceiptRequest,
  RefundRequest,
  ReportRequest,
  ReserveRequest,
  ResetRequest,
} from './client/requests.js';
export { Tollgate, type TollgateOptions } from './tollgate.js';
