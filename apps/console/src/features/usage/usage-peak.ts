import { amountOf } from './usage-figure.js';
import type { UsageLines } from './usage-lines.js';
import type { UsageView } from './usage-view.js';

/** The point with the most of all lines together; undefined where there is nothing. */
export function peakOf(
  { times, lines }: UsageLines,
  view: UsageView,
): { atMs: number; value: number } | undefined {
  let peak: { atMs: number; value: number } | undefined;
  times.forEach((atMs, index) => {
    const value = lines.reduce((sum, { points }) => {
      const point = points[index];
      return point ? sum + amountOf(view, point) : sum;
    }, 0);
    if (value > (peak?.value ?? 0)) peak = { atMs, value };
  });
  return peak;
}
