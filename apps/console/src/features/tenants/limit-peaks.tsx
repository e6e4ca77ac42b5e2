import { Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Swatched } from '../../components/figures.js';
import { QueryFallback } from '../../components/page.js';
import { PointSlider } from '../../components/point-slider.js';
import type { LimitPeaksQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest } from '../../lib/graphql-request.js';
import { formatNumber } from '../../lib/number-format.js';
import { formatClock } from '../../lib/time-format.js';
import classes from './limit-peaks.module.css';

const LimitPeaksDocument = graphql(`
  query LimitPeaks($tenantKey: String!, $apiKey: String!, $limitName: String!) {
    limitPeaks(tenantKey: $tenantKey, apiKey: $apiKey, limitName: $limitName) { at used capacity denied }
  }
`);

type Peak = NonNullable<LimitPeaksQuery['limitPeaks']>[number];

const limitPeaksQuery = (tenantKey: string, apiKey: string, limitName: string) =>
  queryOptions({
    queryKey: ['limit-peaks', tenantKey, apiKey, limitName],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(LimitPeaksDocument, { tenantKey, apiKey, limitName }, signal)).limitPeaks ?? [],
    refetchInterval: 30_000,
  });

const STEP_MS = 900_000;
const STEPS = 96;
const [WIDTH, HEIGHT] = [960, 130];

interface Bar {
  atMs: number;
  used: number;
  denied: number;
  capacity: number | undefined;
}

/** Quarters of an hour up to now, each with its busiest window; `capacity` is kept until the next reading. */
export function barsOf(peaks: readonly Peak[], nowMs: number): Bar[] {
  const endMs = nowMs - (nowMs % STEP_MS) + STEP_MS;
  const groups = Map.groupBy(peaks, ({ at }) => Math.floor(Date.parse(at) / STEP_MS) * STEP_MS);
  let capacity = peaks[0]?.capacity;
  return Array.from({ length: STEPS }, (_, index) => {
    const atMs = endMs - (STEPS - index) * STEP_MS;
    const group = groups.get(atMs) ?? [];
    capacity = group.at(-1)?.capacity ?? capacity;
    return {
      atMs,
      used: Math.max(0, ...group.map(({ used }) => used)),
      denied: group.reduce((sum, { denied }) => sum + denied, 0),
      capacity,
    };
  });
}

/** The busiest windows of a limit in the last 24 hours against the limit of that time. */
export function LimitPeaks({
  tenantKey,
  apiKey,
  limitName,
}: {
  tenantKey: string;
  apiKey: string;
  limitName: string;
}) {
  const query = useQuery(limitPeaksQuery(tenantKey, apiKey, limitName));
  const [selected, setSelected] = useState<number>();
  const bars = useMemo(() => barsOf(query.data ?? [], Date.now()), [query.data]);
  if (query.data === undefined) return <QueryFallback query={query} rows={3} />;
  if (query.data.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No requests in the last 24 hours.
      </Text>
    );
  }
  const most = Math.max(...bars.map(({ used, capacity = 0 }) => Math.max(used, capacity))) * 1.12;
  const denied = bars.reduce((sum, bar) => sum + bar.denied, 0);
  const mostDenied = Math.max(1, ...bars.map((bar) => bar.denied));
  const describe = (index: number) => {
    const bar = bars[index];
    if (bar === undefined) return '';
    const clock = formatClock(new Date(bar.atMs).toISOString());
    return `${clock}: ${formatNumber(bar.used)} of ${formatNumber(bar.capacity ?? 0)}, ${formatNumber(bar.denied)} denied`;
  };
  const x = (index: number) => (index / STEPS) * WIDTH;
  const y = (value: number) => HEIGHT - (value / most) * HEIGHT;
  const heightOf = (refused: number) => Math.max(3, (refused / mostDenied) * 14);
  const line = bars
    .map(({ capacity = 0 }, i) => `${i === 0 ? 'M' : 'L'}${x(i)} ${y(capacity)}H${x(i + 1)}`)
    .join('');
  return (
    <figure className={classes.figure}>
      <figcaption className={classes.caption}>
        <strong>Busiest window against the limit</strong>
        <span className="tg-soft">
          {selected === undefined ? 'Per 15 min, last 24 hours' : describe(selected)}
        </span>
        <span className={classes.legend}>
          <Swatched color="var(--tg-allowed)">Used</Swatched>
          <Swatched color="var(--tg-denied)">
            Denied <strong>{formatNumber(denied)}</strong>
          </Swatched>
          <Swatched color="var(--tg-text)">Limit {formatNumber(bars.at(-1)?.capacity ?? 0)}</Swatched>
        </span>
      </figcaption>
      <PointSlider
        label={`Usage of ${limitName} against its limit`}
        selected={selected}
        onSelect={setSelected}
        describe={describe}
        count={STEPS}
      >
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT + 20}`}
          preserveAspectRatio="none"
          className={classes.plot}
          aria-hidden="true"
          onPointerMove={({ currentTarget, clientX }) => {
            const { left, width } = currentTarget.getBoundingClientRect();
            setSelected(Math.min(STEPS - 1, Math.max(0, Math.floor(((clientX - left) / width) * STEPS))));
          }}
          onPointerLeave={() => setSelected(undefined)}
        >
          {bars.map(({ atMs, used, denied: refused }, i) => (
            <g key={atMs} data-selected={i === selected || undefined}>
              <rect
                className={classes.used}
                x={x(i) + 1}
                width={x(1) - 2}
                y={y(used)}
                height={HEIGHT - y(used)}
              />
              {refused > 0 && (
                <rect
                  className={classes.denied}
                  x={x(i) + 1}
                  width={x(1) - 2}
                  y={HEIGHT + 20 - heightOf(refused)}
                  height={heightOf(refused)}
                />
              )}
            </g>
          ))}
          <path className={classes.limit} d={line} />
        </svg>
      </PointSlider>
      <div className={classes.times}>
        {[0, 24, 48, 72].map((i) => (
          <span key={i}>{formatClock(new Date(bars[i]?.atMs ?? 0).toISOString())}</span>
        ))}
        <span>now</span>
      </div>
    </figure>
  );
}
