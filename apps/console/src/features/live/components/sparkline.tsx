import type { DecisionSeries } from '../decision-window.js';
import classes from './live.module.css';

const [WIDTH, HEIGHT] = [120, 26];

/** Allowed in front of the total, small; its numbers stand beside it. */
export function Sparkline({ series }: { series: DecisionSeries }) {
  const totals = series.allowed.map((value, i) => value + (series.refused[i] ?? 0));
  const top = Math.max(1, ...totals);
  return (
    <svg
      className={classes.sparkline}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <path d={areaOf(totals, top)} fill="var(--tg-refused)" opacity="0.55" />
      <path d={areaOf(series.allowed, top)} fill="var(--tg-panel)" />
      <path d={areaOf(series.allowed, top)} fill="var(--tg-allowed)" opacity="0.5" />
    </svg>
  );
}

function areaOf(values: readonly number[], top: number): string {
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map(
    (value, i) => `${(i * step).toFixed(1)},${(HEIGHT - (value / top) * (HEIGHT - 1)).toFixed(1)}`,
  );
  return `M0,${HEIGHT}L${points.join('L')}L${WIDTH},${HEIGHT}Z`;
}
