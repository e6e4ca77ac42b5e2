import type { LimitSpec } from './limit-spec.js';
import { spellWindow } from './rate.js';

const SPACING_UNITS: ReadonlyArray<[ms: number, name: string]> = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
];

/**
 * What a limit means, in one sentence worded as the server's `summary`: the preview of an edit that the server has
 * not seen. For stored limits show `summary` itself.
 */
export function limitSentence(limit: LimitSpec): string {
  const requests = `${formatNumber(limit.limit)} ${limit.limit === 1 ? 'request' : 'requests'}`;
  const per = ['tenant', ...limit.per].join(' and ');
  const rate = `${requests} ${articleAndWindow(limit.windowMs)} per ${per}`;
  if (limit.algorithm === 'FIXED_WINDOW') {
    const until =
      limit.alignment === 'FIRST_REQUEST'
        ? 'until it ends; the first request starts it'
        : 'until the next one begins';
    return `Up to ${rate}; then 429 ${until}.`;
  }
  const burst = limit.burst ? `, up to ${formatNumber(limit.burst + 1)} at once` : '';
  return `${rate}, one every ${spacing(limit.windowMs / limit.limit)}${burst}; then 429 until the next one is due.`;
}

function articleAndWindow(windowMs: number): string {
  const window = spellWindow(windowMs);
  if (/^\d/.test(window)) return `every ${window}`;
  return window === 'hour' ? `an ${window}` : `a ${window}`;
}

function spacing(ms: number): string {
  for (const [unitMs, name] of SPACING_UNITS) {
    if (ms < unitMs) continue;
    const value = Number((ms / unitMs).toPrecision(3));
    return `${formatNumber(value)} ${name}${value === 1 ? '' : 's'}`;
  }
  return `${Number(ms.toPrecision(3))} ms`;
}

const formatNumber = (value: number): string => value.toLocaleString('en-US');
