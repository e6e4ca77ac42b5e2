import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { EmptyText, Panel } from '../../components/page.js';
import { formatNumber, formatPercent, plural } from '../../lib/number-format.js';
import { loadChunk } from '../../lib/query-client.js';
import { formatInZone, formatTimeLeft } from '../../lib/time-format.js';
import type { Explanation } from './api.js';
import type { CounterReplay } from './counter-chart.js';
import classes from './explain.module.css';

const CounterChart = lazy(() => loadChunk(() => import('./counter-chart.js')));

type Minute = NonNullable<Explanation['minute']>;

/** Units of the drawing; it is stretched to the width of its container. */
const WIDTH = 600;
const HEIGHT = 96;

interface CounterMinuteProps {
  minute: Minute;
  /** The limit that decided, where several are shown. */
  limitName?: string;
  denied: boolean;
  timeZone: string;
}

/** What was left of a counter before a decision: replayed from recorded traffic, or else as sampled. */
export function CounterMinute({ minute, limitName, denied, timeZone }: CounterMinuteProps) {
  const { replay } = minute;
  const title = `The ${replay?.reliable ? spanOf(replay) : 'minute'} before${limitName ? ` on ${limitName}` : ''}`;
  if (replay?.reliable) {
    return (
      <Panel title={title} note="Units left, replayed from all recorded requests">
        <Suspense fallback={<Skeleton h={170} />}>
          <CounterChart replay={replay} denied={denied} timeZone={timeZone} />
        </Suspense>
        <p className={classes.cause}>{basisOf(replay)}</p>
      </Panel>
    );
  }
  return (
    <Panel title={title} note="Units left after each sampled decision; denied requests in red">
      <SampledMinute minute={minute} timeZone={timeZone} />
      <p className={classes.cause}>
        {coverageOf(minute.points.length, minute.counted)} {problemOf(minute)}
      </p>
    </Panel>
  );
}

const SPAN_TEXT: Readonly<Record<string, string>> = { '1 min': 'minute', '1 h': 'hour' };

function spanOf({ from, to }: CounterReplay): string {
  const seconds = Math.floor((Date.parse(to) - Date.parse(from)) / 1_000);
  const text = formatTimeLeft(seconds * 1_000);
  return SPAN_TEXT[text] ?? text;
}

function basisOf({ decisions, compared, mismatches }: CounterReplay): string {
  const all = `${plural(decisions, 'recorded request')} on this counter.`;
  if (compared === 0) return all;
  return `${all} The replay reproduces ${formatPercent(1 - mismatches / compared)} of their outcomes.`;
}

const PROBLEM_TEXT: Readonly<Record<NonNullable<Minute['replayProblem']>, string>> = {
  NOT_RECORDED:
    'The recorded traffic does not contain this request: it was deleted, not recorded, or is not stored yet.',
  TOO_MUCH: 'There were too many requests to replay them here.',
  NOT_COVERED:
    'This counter cannot be replayed, because it depends on more than the recorded requests of this tenant.',
};

function problemOf({ replay, replayProblem }: Minute): string {
  if (replayProblem) return PROBLEM_TEXT[replayProblem];
  return replay ? 'A replay of the recorded traffic does not reproduce this counter.' : '';
}

/** What was left after each sampled decision of the minute, with the denied requests. */
function SampledMinute({ minute, timeZone }: { minute: Minute; timeZone: string }) {
  const { points, from, to } = minute;
  const denied = points.filter(({ success }) => !success).length;
  const lefts = points.map(({ remaining }) => remaining);
  const most = Math.max(1, ...points.map(({ remaining, cost }) => remaining + cost));
  if (points.length < 2) {
    return <EmptyText>No other decision on this counter was sampled in the minute before.</EmptyText>;
  }
  return (
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
  const sampled = `${plural(shown, 'sampled decision')} of this counter.`;
  if (counted <= shown) return sampled;
  return `${sampled} This limit decided ${formatNumber(counted)} requests in these minutes, over all callers; those without a sample are missing.`;
}
