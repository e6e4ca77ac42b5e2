const HOUR_MS = 3_600_000;

/** Where a quota stands, and how fast it is used. */
export interface QuotaPace {
  limit: number;
  used: number;
  unitsPerHour: number;
}

/**
 * When a quota will be used up if it goes on like that, unix ms; null: not before its period ends. What is used up already
 * is so from now on.
 */
export function forecastRunOut(
  { limit, used, unitsPerHour }: QuotaPace,
  nowMs: number,
  periodEndMs: number,
): number | null {
  const left = limit - used;
  if (left <= 0) return nowMs;
  if (unitsPerHour <= 0) return null;
  const atMs = nowMs + (left / unitsPerHour) * HOUR_MS;
  return atMs < periodEndMs ? Math.floor(atMs) : null;
}
