import { EmptyText, Panel } from '../../components/page.js';
import { formatNumber, plural } from '../../lib/number-format.js';
import { formatInZone } from '../../lib/time-format.js';
import type { Explanation } from './api.js';
import classes from './explain.module.css';

type Minute = NonNullable<Explanation['minute']>;

/** Units of the drawing; it is stretched to the width of its container. */
const WIDTH = 600;
const HEIGHT = 96;

interface CounterMinuteProps {
  minute: Minute;
  title: string;
  timeZone: string;
}

/** What was left of a counter in the minute up to a decision, as sampled, with the denied requests. */
export function CounterMinute({ minute, title, timeZone }: CounterMinuteProps) {
  const { points, counted, from, to } = minute;
  const denied = points.filter(({ success }) => !success).length;
  const lefts = points.map(({ remaining }) => remaining);
  const most = Math.max(1, ...points.map(({ remaining, cost }) => remaining + cost));
  return (
    <Panel title={title} note="Units left after each sampled decision; denied requests in red">
      {points.length < 2 ? (
        <EmptyText>No other decision on this counter was sampled in the minute before.</EmptyText>
      ) : (
        <figure className={classes.minute}>
          <svg
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            height={HEIGHT}
            preserveAspectRatio="none"
            role="img"
            aria-label={`${plural(points.length, 'sampled decision')}, ${denied} denied; ${Math.min(...lefts)} to ${Math.max(...lefts)} left`}
          >
            <path className={classes.left} d={stepsOf(minute, most)} vectorEffect="non-scaling-stroke" />
            {points.map(({ requestId, at, success }, i) =>
              success ? null : (
                <path
                  key={`${requestId}/${i}`}
                  className={classes.denial}
                  d={`M${xOf(minute, at)} ${HEIGHT}V${HEIGHT - 24}`}
                  vectorEffect="non-scaling-stroke"
                />
              ),
            )}
          </svg>
          <figcaption>
            <span>{formatInZone(from, timeZone)}</span>
            <span>0 to {formatNumber(most)} left</span>
            <span>{formatInZone(to, timeZone)}</span>
          </figcaption>
        </figure>
      )}
      <p className={classes.cause}>{coverageOf(points.length, counted)}</p>
    </Panel>
  );
}

function xOf({ from, to }: Minute, at: string): number {
  const start = Date.parse(from);
  return Math.round(((Date.parse(at) - start) / Math.max(1, Date.parse(to) - start)) * (WIDTH - 2)) + 1;
}

function stepsOf(minute: Minute, most: number): string {
  const y = (left: number) => Math.round((1 - left / most) * (HEIGHT - 4)) + 2;
  const [first] = minute.points;
  if (first === undefined) return '';
  const start = y(first.success ? first.remaining + first.cost : first.remaining);
  const steps = minute.points.map(({ at, remaining }) => `H${xOf(minute, at)}V${y(remaining)}`);
  return `M${xOf(minute, first.at)} ${start}${steps.join('')}`;
}

function coverageOf(shown: number, counted: number): string {
  const sampled = `The chart has ${plural(shown, 'sampled decision')}.`;
  if (counted <= shown) return sampled;
  return `${sampled} This limit decided ${formatNumber(counted)} requests in these minutes, over all callers; those without a sample are missing.`;
}
