import { useMemo, useState } from 'react';
import type uPlot from 'uplot';
import { formatNumber } from '../lib/number-format.js';
import type { SimulationResult } from '../lib/simulation.js';
import { formatClock, formatMoment } from '../lib/time-format.js';
import { Swatched } from './figures.js';
import { axisStyle, colorOf, compactNumber, Plot } from './plot.js';
import classes from './simulation-part.module.css';

/** Denied requests over time, by the present policy and by the draft. */
export default function SimulationChart({
  series,
  stepMinutes,
}: Pick<SimulationResult, 'series' | 'stepMinutes'>) {
  const [selected, setSelected] = useState<number>();
  const data = useMemo(
    (): uPlot.AlignedData => [
      series.map(({ at }) => Date.parse(at) / 1000),
      series.map(({ baselineDenied }) => baselineDenied),
      series.map(({ draftDenied }) => draftDenied),
    ],
    [series],
  );
  const shown = selected === undefined ? undefined : series[selected];
  const value = (field: 'baselineDenied' | 'draftDenied') =>
    shown && <strong>{formatNumber(shown[field])}</strong>;
  return (
    <div className={classes.chart}>
      <div className={classes.legend} aria-hidden="true">
        <span>
          {shown
            ? formatMoment(shown.at)
            : `Denied per ${stepMinutes === 1 ? 'minute' : `${stepMinutes} minutes`}`}
        </span>
        <Swatched color="var(--tg-text-soft)">Current limits {value('baselineDenied')}</Swatched>
        <Swatched color="var(--tg-denied)">Draft {value('draftDenied')}</Swatched>
      </div>
      <Plot
        label="Denied requests over time"
        height={150}
        data={data}
        options={chartOptions}
        selected={selected}
        onSelect={setSelected}
        describe={(index) => {
          const step = series[index];
          if (!step) return '';
          return `${formatMoment(step.at)}: ${formatNumber(step.draftDenied)} denied by the draft, ${formatNumber(step.baselineDenied)} by the current limits`;
        }}
      />
    </div>
  );
}

function chartOptions(): Omit<uPlot.Options, 'width' | 'height'> {
  const axis = axisStyle();
  const line = { width: 1.5, points: { show: true, size: 4 } };
  return {
    padding: [12, 20, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    scales: { y: { range: (_chart, _min, max) => [0, Math.max(5, max * 1.12)] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 76,
        size: 30,
        values: (_chart, ticks) => ticks.map((second) => formatClock(new Date(second * 1000).toISOString())),
      },
      { ...axis, size: 46, gap: 6, space: 40, values: (_chart, ticks) => ticks.map(compactNumber) },
    ],
    series: [
      {},
      { label: 'Current limits', stroke: colorOf('--tg-text-soft'), ...line },
      { label: 'Draft', stroke: colorOf('--tg-denied'), fill: colorOf('--tg-denied-fill'), ...line },
    ],
  };
}
