import { type LimitPolicy, nominalWindowMs } from '@tollgate/contracts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How to look into what passed lately for more than a limit would let pass. */
export interface OverrunProbe {
  policy: LimitPolicy;
  table: 'minute' | 'hour' | 'day';
  /** How far back. */
  lookBackMs: number;
  /** What is added up; `month`: by the calendar, in UTC. */
  bucket: { seconds: number } | 'month';
  /** What would pass in one of these. */
  limit: number;
}

/**
 * Undefined where usage does not tell: limits that count by more than the tenant, that refuse nothing, or of what runs at
 * the same time. A window shorter than a minute is judged by what it lets pass in a minute.
 */
export function probeOf(policy: LimitPolicy): OverrunProbe | undefined {
  const { per, algorithm, enforcement, charge = 'always' } = policy;
  if (per.length > 0 || algorithm === 'concurrency') return undefined;
  if (enforcement?.mode === 'shadow' || charge !== 'always') return undefined;
  const most = withBand(policy);
  if (algorithm === 'quota') {
    const days = { day: 1, week: 7 };
    const bucket =
      policy.period === 'day' || policy.period === 'week'
        ? { seconds: (days[policy.period] * DAY_MS) / 1000 }
        : 'month';
    return { policy, table: 'day', lookBackMs: 31 * DAY_MS, bucket, limit: most };
  }
  const windowMs = nominalWindowMs(policy);
  const span = Math.max(MINUTE_MS, windowMs);
  const limit = Math.floor((most * span) / windowMs);
  const bucket = { seconds: Math.ceil(span / 1000) };
  if (windowMs < HOUR_MS) return { policy, table: 'minute', lookBackMs: DAY_MS, bucket, limit };
  if (windowMs < DAY_MS) return { policy, table: 'hour', lookBackMs: 7 * DAY_MS, bucket, limit };
  return { policy, table: 'day', lookBackMs: 31 * DAY_MS, bucket, limit };
}

/** The limit with what passes beyond it as a matter of course. What may be borrowed is promised to nobody. */
function withBand({ limit, throttle }: LimitPolicy): number {
  return throttle?.mode === 'soft' ? Math.floor((limit * (100 + throttle.percent)) / 100) : limit;
}
