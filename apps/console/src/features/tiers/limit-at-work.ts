import { type LimitPolicy, nominalWindowMs, type Rule } from '@tollgate/contracts';
import { formatNumber } from '../../lib/number-format.js';
import { formatTimeLeft } from '../../lib/time-format.js';

const PERIODS = { day: 'a day', week: 'a week', month: 'a month', billing: 'a billing period' } as const;

/** What callers meet at the limit: `Up to 110 requests a minute pass, the last 10 marked; then 429 for up to 1 min`. */
export function describeAtLimit(policy: LimitPolicy): string {
  const { throttle, enforcement } = policy;
  if (enforcement?.mode === 'shadow') return 'Nothing is refused: what would be is counted.';
  const refusal = `then 429 ${untilWhen(policy)}.`;
  const base = policy.limit;
  switch (throttle?.mode) {
    case 'soft': {
      const more = Math.floor((base * throttle.percent) / 100);
      return `Up to ${amount(policy, base + more)} pass, the last ${formatNumber(more)} marked; ${refusal}`;
    }
    case 'elastic': {
      const more = Math.floor((base * throttle.maxPercent) / 100);
      return `Up to ${amount(policy, base)} pass, and up to ${formatNumber(more)} more while pool ${throttle.pool} has capacity to spare; ${refusal}`;
    }
    case 'queue':
      return `Up to ${amount(policy, base)} pass at once; what comes on top is told to wait, ${formatTimeLeft(throttle.maxDelayMs)} at most; ${refusal}`;
    default:
      return `Up to ${amount(policy, base)} pass; ${refusal}`;
  }
}

/** `110 requests a minute`. */
function amount(rule: Rule, limit: number): string {
  const requests = `${formatNumber(limit)} ${limit === 1 ? 'request' : 'requests'}`;
  switch (rule.algorithm) {
    case 'quota':
      return `${requests} ${PERIODS[rule.period]}`;
    case 'concurrency':
      return `${requests} at the same time`;
    default:
      return `${requests} ${perWindow(rule.windowMs)}`;
  }
}

function perWindow(windowMs: number): string {
  const units = { 'a second': 1000, 'a minute': 60_000, 'an hour': 3_600_000, 'a day': 86_400_000 };
  const unit = Object.entries(units).find(([, ms]) => ms === windowMs)?.[0];
  return unit ?? `every ${formatTimeLeft(windowMs)}`;
}

/** How long a caller waits at most who is refused. */
function untilWhen(rule: Rule): string {
  switch (rule.algorithm) {
    case 'quota':
      return 'until the next period begins in the tenant’s time zone';
    case 'concurrency':
      return 'until one of them ends';
    case 'fixed_window':
    case 'sliding_window_log':
    case 'sliding_window_counter':
      return `for up to ${formatTimeLeft(rule.windowMs)}`;
    case 'token_bucket':
      return rule.refill === 'interval'
        ? `for up to ${formatTimeLeft(rule.windowMs)}`
        : `for up to ${spacing(rule)}`;
    default:
      return `for up to ${spacing(rule)}`;
  }
}

/** Time until one more passes of what comes back evenly. */
function spacing(rule: Rule): string {
  const ms = nominalWindowMs(rule) / rule.limit;
  return ms < 1000 ? `${Math.max(1, Math.ceil(ms))} ms` : formatTimeLeft(ms);
}
