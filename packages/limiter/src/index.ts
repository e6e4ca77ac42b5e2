export {
  type Change,
  type Charge,
  type ChargeOptions,
  defineLimit,
  type Limit,
  type LimitCheck,
  Limiter,
  type LimiterOptions,
  type Outcome,
} from './limiter.js';
export type { UnavailableReason } from './stores/decision-store.js';
