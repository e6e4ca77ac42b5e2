import type { LimitRequest } from '@tollgate/contracts';

/** A limit that the caller sends instead of the configured ones. */
export interface OverrideLimit {
  /** Whole number, 0 or more; 0 denies every request. */
  readonly limit: number;
  /** 1 to `MAX_WINDOW_MS`; windows begin at multiples of it since the Unix epoch. */
  readonly windowMs: number;
}

export interface TogetherRequest extends Omit<LimitRequest, 'requestId'> {
  /** Checks the request without charging it. */
  look?: boolean;
  override?: OverrideLimit;
}

export interface TogetherOptions {
  /** Effect of a request whose tenant, key or API is unknown on the others: `allow` ignores it, `deny` denies all. */
  unknownCaller: 'allow' | 'deny';
}

/** Under a stale policy: `keep` applies it, `deny` denies every request that has a limit, `allow` allows all uncounted. */
export type OnStale = 'keep' | 'deny' | 'allow';

/** Response to a request for an unknown API: `deny` the problem `api-unknown`, `allow` a decision without limits. */
export type UnknownApis = 'deny' | 'allow';
