import type { LimitRequest } from '@tollgate/contracts';

/** A limit that a caller brings along, in the place of the configured ones. */
export interface OverrideLimit {
  /** Whole number, 0 or more; 0 refuses everything. */
  readonly limit: number;
  /** 1 to `MAX_WINDOW_MS`; windows begin at multiples of it since the Unix epoch. */
  readonly windowMs: number;
}

/** One of several requests that are decided as one. */
export interface TogetherRequest extends Omit<LimitRequest, 'requestId'> {
  /** Whether it would pass is asked, and nothing of it charged. */
  look?: boolean;
  override?: OverrideLimit;
}

export interface TogetherOptions {
  /** What a request does to the others whose tenant or key is not known: `pass`, as if it were not there; or `refuse`. */
  unknownCaller: 'pass' | 'refuse';
}

/**
 * What requests get once the policy is too old: `keep` decides by it, `deny` denies every request that a limit covers,
 * `allow` allows it without counting.
 */
export type OnStale = 'keep' | 'deny' | 'allow';

/** Response to a request for an unknown API: `refuse` the problem `api-unknown`, `allow` a decision without limits. */
export type UnknownApis = 'refuse' | 'allow';
