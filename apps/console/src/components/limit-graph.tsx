import { type LimitHistory, limitOn } from '../lib/limit-history.js';
import classes from './limit-graph.module.css';

const DAY_MS = 86_400_000;
/** Units of the drawing; it is stretched to the width of its container. */
const WIDTH = 300;

interface LimitGraphProps {
  history: LimitHistory;
  /** Accessible name. */
  label: string;
  height: number;
  /** Draws this limit instead of the recorded ones, and another one above it. */
  compare?: { now: number; after: number };
}

/** Usage of the last 30 days as bars, with the limit as a line that steps where it changed. */
export function LimitGraph({ history, label, height, compare }: LimitGraphProps) {
  const { days, steps } = history;
  const startMs = Date.parse(days[0]?.at ?? '');
  const slot = WIDTH / Math.max(1, days.length);
  const limits = compare ? [compare.now, compare.after] : steps.map(({ limit }) => limit);
  const busiest = Math.max(1, ...days.map(({ used }) => used));
  // A far higher limit is drawn at the top, so that the bars stay readable.
  const scaled = compare
    ? [compare.now, Math.min(compare.after, 2 * Math.max(compare.now, busiest))]
    : limits;
  const most = Math.max(busiest, ...scaled) * 1.06;
  const y = (value: number) => height - (value / most) * height;
  const x = (at: string) => {
    const passed = (Date.parse(at) - startMs) / DAY_MS;
    return Math.min(WIDTH, Math.max(0, passed * slot));
  };
  const line = compare
    ? `M0 ${y(compare.now)}`
    : steps
        .map(({ at, limit }, i) => `${i === 0 ? 'M' : 'H'}${x(at)} ${i === 0 ? '' : 'V'}${y(limit)}`)
        .join('');
  return (
    <svg
      className={classes.graph}
      viewBox={`0 0 ${WIDTH} ${height}`}
      height={height}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {days.map(({ at, used, denied }, i) => {
        const left = i * slot + slot * 0.14;
        const most = compare ? compare.now : limitOn(steps, at);
        const over = used > most || (!compare && denied > 0);
        // At least 2 px, so that a single denial is visible.
        const cap = over ? Math.min(height, Math.max(2, y(most) - y(used))) : 0;
        const top = used > 0 ? Math.min(y(used), height - 1) : height;
        return (
          <g key={at}>
            <title>{`${used}`}</title>
            <rect
              className={classes.bar}
              data-today={i === days.length - 1 || undefined}
              x={left}
              width={slot * 0.72}
              y={Math.min(height, top + cap)}
              height={Math.max(0, height - top - cap)}
            />
            {over && <rect className={classes.over} x={left} width={slot * 0.72} y={top} height={cap} />}
          </g>
        );
      })}
      {limits.length > 0 && (
        <path className={classes.limit} d={`${line}H${WIDTH}`} vectorEffect="non-scaling-stroke" />
      )}
      {compare && (
        <path
          className={classes.after}
          d={`M0 ${Math.max(1, y(compare.after))}H${WIDTH}`}
          vectorEffect="non-scaling-stroke"
        />
      )}
    </svg>
  );
}
