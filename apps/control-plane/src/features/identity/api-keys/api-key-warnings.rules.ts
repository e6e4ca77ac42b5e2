const DAY_MS = 86_400_000;

/** How many days before a key ends its owners are warned; each time once. */
export const WARNING_DAYS = [14, 3, 1] as const;

/** Keys that end within this time may be due for a warning. */
export const WARNING_SPAN_MS = Math.max(...WARNING_DAYS) * DAY_MS;

/**
 * The warning that is due at `now`: how many days before its end, the nearest of those that were reached. One that a key
 * was made too late for is none of its own. Undefined: none yet, or the key has ended.
 */
export function warningDue({ createdAt, expiresAt }: { createdAt: Date; expiresAt: Date }, now: Date) {
  if (expiresAt <= now) return undefined;
  return WARNING_DAYS.findLast((days) => {
    const atMs = expiresAt.getTime() - days * DAY_MS;
    return atMs <= now.getTime() && atMs > createdAt.getTime();
  });
}

/** Names the notice of one warning about a key, of which there is one. */
export function warningKey(id: string, days: number): string {
  return `api_key.expiring:${id}:${days}`;
}
