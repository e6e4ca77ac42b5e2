const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** When an event is tried again after the first, second, … failure (Standard Webhooks); then it is dead. */
const DELAYS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

/** Attempts at one event, the first included. */
export const MAX_ATTEMPTS = DELAYS_MS.length + 1;

/** Spreads what failed together, so that it does not come back together. */
const JITTER = 0.2;

/** What a receiver may ask for at most. */
const MAX_RETRY_AFTER_MS = 24 * HOUR;

/**
 * How long to wait after failure number `attempts` (1 for the first), ms; undefined: never again. A receiver that names a
 * later time is obeyed.
 * @param random from 0 to less than 1
 */
export function retryDelayMs(
  attempts: number,
  random: number,
  retryAfterMs: number | undefined,
): number | undefined {
  const base = DELAYS_MS[attempts - 1];
  if (base === undefined) return undefined;
  const spread = Math.round(base * (1 + JITTER * random));
  return Math.max(spread, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
}

/** What `Retry-After` says, ms from now: seconds, or a date. Undefined for anything else. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * SECOND;
  const atMs = /^[A-Z][a-z]{2}, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
