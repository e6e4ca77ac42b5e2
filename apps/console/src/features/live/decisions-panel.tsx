import { Select, Skeleton, Text } from '@mantine/core';
import { lazy, Suspense, useMemo, useState } from 'react';
import { TableToggle } from '../../components/buttons.js';
import { DataTable, NumericCell, numeric } from '../../components/data-table.js';
import { Figure, Figures, Swatched } from '../../components/figures.js';
import { Panel } from '../../components/page.js';
import { formatNumber, formatPart, formatPerSecond } from '../../lib/number-format.js';
import { loadChunk } from '../../lib/query-client.js';
import { readersZone } from '../../lib/time-format.js';
import {
  type DecisionSeries,
  type DecisionWindow,
  describeSeries,
  knownSeconds,
  seriesOf,
  totalsByApi,
} from './decision-window.js';
import classes from './live.module.css';

const STEP_SECONDS = 10;

/** The chart's numbers in steps of ten seconds, newest first. */
function DecisionsTable({ series }: { series: DecisionSeries }) {
  return (
    <div style={{ maxHeight: 264, overflow: 'auto', margin: '8px 0' }}>
      <DataTable
        short
        label="Decisions per ten seconds"
        columns={[`Start (${readersZone()})`, numeric('Allowed'), numeric('Denied'), numeric('Denied share')]}
      >
        {stepsOf(series).map(({ from, allowed, denied }) => (
          <tr key={from}>
            <th scope="row">{new Date(from * 1_000).toLocaleTimeString('en-GB')}</th>
            <NumericCell>{formatNumber(allowed)}</NumericCell>
            <NumericCell>{formatNumber(denied)}</NumericCell>
            <NumericCell>{formatPart(denied, allowed + denied)}</NumericCell>
          </tr>
        ))}
      </DataTable>
    </div>
  );
}

function stepsOf({ seconds, allowed, denied }: DecisionSeries) {
  const steps = new Map<number, { from: number; allowed: number; denied: number }>();
  seconds.forEach((second, i) => {
    const from = Math.floor(second / STEP_SECONDS) * STEP_SECONDS;
    const step = steps.get(from) ?? { from, allowed: 0, denied: 0 };
    steps.set(from, step);
    step.allowed += allowed[i] ?? 0;
    step.denied += denied[i] ?? 0;
  });
  return [...steps.values()].reverse();
}

const DecisionsChart = lazy(() => loadChunk(() => import('./decisions-chart.js')));

const CHART_SECONDS = { atLeast: 60, atMost: 240 };
const NOW_SECONDS = 10;

interface DecisionsPanelProps {
  window: DecisionWindow;
  endSecond: number;
}

/** Decisions per second over the last minutes: figures, chart, the chart in words, and the same as a table. */
export function DecisionsPanel({ window, endSecond }: DecisionsPanelProps) {
  const [api, setApi] = useState<string>();
  const [asTable, setAsTable] = useState(false);
  const [point, setPoint] = useState<number>();
  const seconds = knownSeconds(window, endSecond, CHART_SECONDS);
  const series = useMemo(
    () => seriesOf(window, { api, endSecond, seconds }),
    [window, api, endSecond, seconds],
  );
  const apis = totalsByApi(window, endSecond, seconds).map((total) => total.api);
  return (
    <Panel
      title="Decisions per second"
      flush
      actions={
        <>
          <Select
            aria-label="API"
            size="xs"
            w={170}
            data={[
              { value: '', label: 'All APIs' },
              ...apis.sort().map((key) => ({ value: key, label: key })),
            ]}
            value={api ?? ''}
            onChange={(value) => setApi(value || undefined)}
          />
          <TableToggle asTable={asTable} onChange={setAsTable} />
        </>
      }
    >
      <LiveFigures series={series} />
      {asTable ? (
        <DecisionsTable series={series} />
      ) : (
        <>
          <Readout series={series} point={point} />
          <div style={{ padding: '0 12px 8px 8px' }}>
            <Suspense fallback={<Skeleton h={264} />}>
              <DecisionsChart
                label="Decisions per second. Arrow keys move between seconds."
                series={series}
                selected={point}
                onSelect={setPoint}
                describe={(index) => pointOf(series, index).join(', ')}
              />
            </Suspense>
          </div>
        </>
      )}
      <Text size="xs" c="dimmed" px={16} pb={14}>
        {describeSeries(series, api ?? 'All APIs')}
      </Text>
    </Panel>
  );
}

function LiveFigures({ series }: { series: DecisionSeries }) {
  const allowed = meanOfLast(series.allowed);
  const denied = meanOfLast(series.denied);
  const totals = series.allowed.map((value, i) => value + (series.denied[i] ?? 0));
  return (
    <Figures>
      <Figure
        label={<Swatched color="var(--tg-allowed)">Allowed</Swatched>}
        value={formatPerSecond(allowed)}
        unit="/s"
      />
      <Figure
        label={<Swatched color="var(--tg-denied)">Denied</Swatched>}
        value={formatPerSecond(denied)}
        unit="/s"
      />
      <Figure label="Denied share" value={formatPart(denied, allowed + denied)} />
      <Figure
        label={`Peak in ${series.seconds.length} s`}
        value={formatNumber(Math.max(0, ...totals))}
        unit="/s"
      />
    </Figures>
  );
}

function Readout({ series, point }: { series: DecisionSeries; point: number | undefined }) {
  return (
    <div className={classes.readout} aria-hidden="true">
      {point === undefined || series.seconds[point] === undefined ? (
        <span>Hover over the chart, or focus it and use the arrow keys</span>
      ) : (
        pointOf(series, point).map((text) => <span key={text}>{text}</span>)
      )}
    </div>
  );
}

/** `14:08:58 UTC`, `120 allowed`, `3 denied`. */
function pointOf({ seconds, allowed, denied }: DecisionSeries, index: number): string[] {
  const time = new Date((seconds[index] ?? 0) * 1_000).toLocaleTimeString('en-GB');
  return [
    `${time} ${readersZone()}`,
    `${formatNumber(allowed[index] ?? 0)} allowed`,
    `${formatNumber(denied[index] ?? 0)} denied`,
  ];
}

/** Mean of the last ten seconds, to be readable. */
function meanOfLast(values: readonly number[]): number {
  const last = values.slice(-NOW_SECONDS);
  return last.reduce((sum, value) => sum + value, 0) / Math.max(1, last.length);
}
