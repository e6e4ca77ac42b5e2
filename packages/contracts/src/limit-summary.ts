import type { LimitPolicy } from './limit-policy.js';

/**
 * One sentence that says what a limit does, for people: "Up to 100 requests an hour per tenant and user; then 429 …".
 * Console, GraphQL and decision API all show this one.
 */
export function summarizeLimit(policy: LimitPolicy): string {
  const requests = `${formatCount(policy.limit)} ${policy.limit === 1 ? 'request' : 'requests'}`;
  const per = ['tenant', ...policy.per].join(' and ');
  const window = formatWindow(policy.windowMs);
  switch (policy.algorithm) {
    case 'fixed_window': {
      const until =
        policy.alignment === 'clock'
          ? 'until the next one begins'
          : 'until it ends; the first request starts it';
      return `Up to ${requests} ${window} per ${per}; then 429 ${until}.`;
    }
    case 'gcra': {
      const burst = policy.burst === 0 ? '' : `, up to ${formatCount(policy.burst + 1)} at once`;
      return `${requests} ${window} per ${per}, one every ${formatSpacing(policy)}${burst}; then 429 until the next one is due.`;
    }
  }
}

const UNITS: readonly [ms: number, name: string][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
];

function formatWindow(ms: number): string {
  for (const [unitMs, name] of UNITS) {
    if (ms === unitMs) return `${name === 'hour' ? 'an' : 'a'} ${name}`;
    if (ms % unitMs === 0) return `every ${formatCount(ms / unitMs)} ${name}s`;
  }
  return `every ${formatCount(ms)} ms`;
}

function formatSpacing({ windowMs, limit }: LimitPolicy): string {
  const ms = windowMs / limit;
  for (const [unitMs, name] of UNITS) {
    if (ms < unitMs) continue;
    const value = Number((ms / unitMs).toPrecision(3));
    return value === 1 ? name : `${formatCount(value)} ${name}s`;
  }
  return `${Number(ms.toPrecision(3))} ms`;
}

function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}
