import type { LimitPolicy } from '@tollgate/contracts';

/** One sentence that says what a limit does, for people: "Up to 100 requests an hour per tenant and user; then 429 …". */
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
      return `Up to ${requests} ${window.article} ${window.text} per ${per}; then 429 ${until}.`;
    }
    case 'gcra': {
      const spacing = formatDuration(policy.windowMs / policy.limit);
      const burst = policy.burst === 0 ? '' : `, up to ${formatCount(policy.burst + 1)} at once`;
      return `${capitalise(requests)} ${window.article} ${window.text} per ${per}, one every ${spacing}${burst}; then 429 until the next one is due.`;
    }
  }
}

const UNITS: readonly [ms: number, name: string][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
];

function formatWindow(ms: number): { article: string; text: string } {
  for (const [unitMs, name] of UNITS) {
    if (ms === unitMs) return { article: name === 'hour' ? 'an' : 'a', text: name };
    if (ms % unitMs === 0) return { article: 'every', text: `${formatCount(ms / unitMs)} ${name}s` };
  }
  return { article: 'every', text: `${formatCount(ms)} ms` };
}

function formatDuration(ms: number): string {
  for (const [unitMs, name] of UNITS) {
    if (ms >= unitMs) {
      const value = Number((ms / unitMs).toPrecision(3));
      return `${formatCount(value)} ${name}${value === 1 ? '' : 's'}`;
    }
  }
  return `${Number(ms.toPrecision(3))} ms`;
}

function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
