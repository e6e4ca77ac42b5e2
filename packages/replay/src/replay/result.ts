import type { Uncovered } from './operations.js';

/** Result of a replay. The fields after `uncovered` count covered decisions after the warm-up. */
export interface ReplayResult {
  /** Time of the first and last decision after the warm-up, Unix ms; null: there is none. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Coarsest clock of the recording, µs. */
  readonly resolutionUs: number;
  /** After the warm-up, covered or not. */
  readonly decisions: number;
  /** Decisions that only charged counters. */
  readonly warmUp: number;
  /** Decisions that nodes dropped for lack of space, and blocks that are missing. */
  readonly dropped: number;
  readonly missingBlocks: number;
  /** Why decisions may differ from those of a node; they are not compared. */
  readonly uncovered: readonly { readonly reason: Uncovered; readonly decisions: number }[];
  readonly covered: number;
  /** Null without a live policy or recorded outcomes. */
  readonly calibration: Calibration | null;
  /** Compared with the draft: the replayed live policy, the recorded outcomes, or (imported) no limits. */
  readonly baseline: 'live' | 'recorded' | 'none';
  readonly baselineDenied: number;
  readonly draftDenied: number;
  readonly newlyDenied: number;
  readonly newlyDeniedUnits: number;
  /** The same by limit, without blocked requests. */
  readonly deniedUnits: readonly DeniedUnits[];
  readonly newlyAllowed: number;
  readonly subjects: number;
  readonly newlyDeniedSubjects: number;
  readonly limits: readonly LimitOutcome[];
  /** All tenants with newly denied requests. */
  readonly newlyDeniedTenants: number;
  /** Newly denied first, by the time of the first; at most as many as requested. */
  readonly tenants: readonly TenantOutcome[];
  /** Minutes with decisions, ascending. */
  readonly minutes: readonly MinuteOutcome[];
}

/** How well the live policy reproduces recorded outcomes. */
export interface Calibration {
  readonly compared: number;
  /** Allowed instead of denied, or the reverse. */
  readonly mismatches: number;
  /**
   * Denied, but by another of several full limits: a node repeats the limit of a cached denial, although by now another
   * limit has the longest wait.
   */
  readonly otherLimits: number;
  /** Mismatches ÷ compared, 0 to 1. */
  readonly share: number;
  /** Whether the share is at most {@link MAX_MISMATCH}. */
  readonly isReliable: boolean;
}

export const MAX_MISMATCH = 0.005;

export interface DeniedUnits {
  /** The API that names the limit, which may apply to others too. */
  readonly api: string;
  readonly limit: string;
  readonly isQuota: boolean;
  readonly units: number;
}

/** Denials whose binding limit it is. */
export interface LimitOutcome {
  readonly api: string;
  readonly limit: string;
  /** Compared decisions on operations that the draft's limit covers. */
  readonly decisions: number;
  readonly baselineDenied: number;
  readonly draftDenied: number;
  readonly newlyDenied: number;
  readonly newlyDeniedUnits: number;
}

export interface TenantOutcome {
  readonly tenant: string;
  readonly decisions: number;
  readonly baselineDenied: number;
  readonly draftDenied: number;
  readonly newlyDenied: number;
  readonly newlyAllowed: number;
  readonly examples: readonly DenialExample[];
}

/** A newly denied request. */
export interface DenialExample {
  readonly atMs: number;
  readonly api: string;
  readonly operation: string;
  /** As recorded. */
  readonly subject: Readonly<Record<string, string>>;
  readonly cost: number;
  /** Null: blocked. */
  readonly limit: string | null;
  /** Seconds; null: never. */
  readonly retryAfter: number | null;
}

export interface MinuteOutcome {
  /** Unix ms. */
  readonly atMs: number;
  readonly decisions: number;
  readonly baselineDenied: number;
  readonly draftDenied: number;
}
