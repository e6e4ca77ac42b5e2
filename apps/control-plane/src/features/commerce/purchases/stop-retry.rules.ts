const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long a provider is left alone after each refusal to stop: three days in all, then somebody has to look. */
export const STOP_RETRY_MS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  16 * HOUR_MS,
  24 * HOUR_MS,
  24 * HOUR_MS,
] as const;

/** How often a provider is asked before nobody asks it any more by himself. */
export const MAX_STOP_ATTEMPTS = STOP_RETRY_MS.length + 1;

/** When a provider is asked again that has refused so often, real time; null: not by itself. */
export function retryStopAt(attempts: number, now: Date): Date | null {
  const waitMs = STOP_RETRY_MS[attempts - 1];
  return waitMs === undefined ? null : new Date(now.getTime() + waitMs);
}

/** How far one is with telling the provider that nothing is to be charged any more. */
export interface ProviderStop {
  attempts: number;
  nextAttemptAt: Date | null;
  lastError: string | null;
  isGivenUp: boolean;
}

interface StopFacts {
  stopDue: boolean;
  stopAttempts: number;
  stopRetryAt: Date | null;
  stopError: string | null;
}

/** Null: the provider knows, or has nothing to stop. */
export function providerStopOf({
  stopDue,
  stopAttempts,
  stopRetryAt,
  stopError,
}: StopFacts): ProviderStop | null {
  if (!stopDue) return null;
  const isGivenUp = stopAttempts >= MAX_STOP_ATTEMPTS;
  return { attempts: stopAttempts, nextAttemptAt: stopRetryAt, lastError: stopError, isGivenUp };
}

/** Whether it is time to ask the provider. */
export function isStopDue(facts: StopFacts, now: Date): boolean {
  const stop = providerStopOf(facts);
  return stop !== null && !stop.isGivenUp && (stop.nextAttemptAt === null || stop.nextAttemptAt <= now);
}
