import { formatNumber } from '../../../lib/number-format.js';
import type { UsageFigure } from '../usage-figure.js';
import { formatPoint } from '../usage-time.js';
import classes from './usage.module.css';

/** The point that is read, above the chart; without one, what the colours mean and how to read. */
export function UsageReadout({ figure, index }: { figure: UsageFigure; index: number | undefined }) {
  const at = index === undefined ? undefined : figure.times[index];
  const isLast = index === figure.times.length - 1 && figure.endMs > Date.now();
  return (
    <div className={classes.readout} aria-hidden="true">
      {at !== undefined && (
        <strong>
          {formatPoint(at, figure.timeZone, figure.step)}
          {isLast && `, so far`}
        </strong>
      )}
      {figure.series.toReversed().map(({ name, color, values }) => (
        <span key={name} className={classes.readoutItem}>
          <span className={classes.swatch} style={{ background: `var(${color})` }} />
          {index === undefined ? name : `${formatNumber(values[index] ?? 0)} ${name}`}
        </span>
      ))}
      {at === undefined && (
        <span className={classes.hint}>
          Hover over the chart, or focus it and use the arrow keys. Drag to zoom.
        </span>
      )}
    </div>
  );
}
