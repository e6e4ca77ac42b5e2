// The public face: an embedding service needs nothing else. Tollgate's own programs also use `./operate.ts`.
export {
  type AmendAnswer,
  type CapacityReport,
  type LimitAnswer,
  type LimitPolicy,
  type LimitRequest,
  type LimitResult,
  type Problem,
  type Reason,
  type ReceiptRequest,
  type RefundRequest,
  type ReportRequest,
  type ReserveRequest,
  type ResetRequest,
  type SettleRequest,
  type TenantLimits,
  TollgateError,
} from '@tollgate/contracts';
export type { PolicyKeys } from '@tollgate/policy';
export { DecisionPlane } from './api/decision-plane.js';
export type { DecisionPlaneEvent, DecisionPlaneOptions } from './api/options.js';
export type {
  OnStale,
  OverrideLimit,
  TogetherOptions,
  TogetherRequest,
  UnknownApis,
} from './decide/requests.js';
