import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { UsageInterval } from '../../../generated/graphql.js';
import { USAGE_INTERVAL_TEXT } from '../../../lib/labels.js';
import { formatNumber, formatShare } from '../../../lib/number-format.js';
import { formatMomentInZone } from '../../../lib/time-format.js';
import { peakQuery } from '../api/peak.js';
import { lookBack, type Point } from '../peak.js';
import classes from './requests.module.css';

interface PeakFactsProps {
  tenantKey: string;
  apiKey: string;
  limitName: string;
  interval: UsageInterval;
  /** What the limit admits in about such an interval; undefined: not to be compared. */
  limit: number | undefined;
}

/** What a tenant has really used of a limit: the peak, when it was, how near, and what was refused. */
export function PeakFacts({ tenantKey, apiKey, limitName, interval, limit }: PeakFactsProps) {
  const { data: peak, error } = useQuery(peakQuery({ tenantKey, apiKey, limitName }, interval));
  const days = lookBack(interval);
  if (error || peak === null) return <Text size="sm">Usage is unavailable.</Text>;
  if (!peak) return <div className={classes.peakPlace} />;
  const { top, refused, timeZone, points } = peak;
  if (!top)
    return <Text size="sm">No usage in the last {days === 1 ? 'day' : `${formatNumber(days)} days`}.</Text>;
  return (
    <div className={classes.peakPlace}>
      <Text size="sm" className="tg-number">
        <strong>
          {formatNumber(top.units)} in {USAGE_INTERVAL_TEXT[interval]}
        </strong>
        {limit !== undefined && limit > 0 && ` · ${`${formatShare(top.units / limit)} of the limit`}`}
      </Text>
      <Text size="sm" c="dimmed">
        {formatMomentInZone(top.at, timeZone)}
        {' · '}
        {formatNumber(refused)} denied in the last {days === 1 ? 'day' : `${formatNumber(days)} days`}
      </Text>
      <Peaks
        points={points}
        limit={limit}
        label={`Peaks of the last ${days === 1 ? 'day' : `${formatNumber(days)} days`}; highest: ${formatNumber(top.units)}`}
      />
    </div>
  );
}

const BARS = 48;

/** The highest of each stretch of time, with the limit as a line. */
function Peaks({
  points,
  limit,
  label,
}: {
  points: readonly Point[];
  limit: number | undefined;
  label: string;
}) {
  const size = Math.max(1, Math.ceil(points.length / BARS));
  const bars = Array.from({ length: Math.ceil(points.length / size) }, (_, i) =>
    Math.max(...points.slice(i * size, (i + 1) * size).map(({ units }) => units)),
  );
  const most = Math.max(1, limit ?? 0, ...bars);
  const width = 240 / Math.max(bars.length, 1);
  const lineY = limit === undefined ? undefined : 40 - (limit / most) * 38;
  return (
    <svg
      viewBox="0 0 240 40"
      className={classes.peaks}
      role="img"
      aria-label={label}
      preserveAspectRatio="none"
    >
      {bars.map((units, i) => {
        const height = (units / most) * 38;
        const isOver = limit !== undefined && units >= limit;
        return (
          <rect
            key={i}
            x={i * width}
            y={40 - height}
            width={Math.max(width - 1, 0.5)}
            height={height}
            data-over={isOver || undefined}
          />
        );
      })}
      {lineY !== undefined && (
        <line x1={0} x2={240} y1={lineY} y2={lineY} vectorEffect="non-scaling-stroke" />
      )}
    </svg>
  );
}
