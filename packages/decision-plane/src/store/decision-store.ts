import type { WirePolicy } from '../policy/compile.js';

/** One limit of one request: which counter, by which policy, how much. */
export interface Check {
  readonly key: string;
  readonly policy: WirePolicy;
  /** Whole number, 0 or more. */
  readonly cost: number;
}

export interface CheckResult {
  /** Whether this limit alone would let the request pass. */
  allowed: boolean;
  /** Requests of cost 1 that would pass now; after the charge, if there was one. */
  remaining: number;
  /** Microseconds; 0 when allowed; -1 when the cost can never pass. */
  retryAfterUs: number;
  /** Microseconds until nothing of the limit is used. */
  resetAfterUs: number;
}

/**
 * Why a store has no answer. `deadline`: none came in time. `suspended`: an earlier call is past its deadline, so
 * nothing is sent until it answers or its connection ends. `disconnected`: no connection. `failed`: the store
 * answered with an error.
 */
export type UnavailableReason = 'deadline' | 'suspended' | 'disconnected' | 'failed';

export type StoreReply =
  | { available: true; nowUs: number; allowed: boolean; checks: readonly CheckResult[] }
  | { available: false; reason: UnavailableReason };

/** Keeps counters and decides by them. Every implementation passes `test/store-suite.ts`. */
export interface DecisionStore {
  /**
   * Decides one request against all of `checks`, which name each key once: charged on all or, when one refuses, on
   * none. Answers within its deadline and never rejects: a store that cannot answer says so.
   */
  decide(checks: readonly Check[], options?: { peek?: boolean }): Promise<StoreReply>;
  close(): Promise<void>;
}
