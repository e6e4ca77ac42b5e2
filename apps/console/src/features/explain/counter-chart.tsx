import { useMemo, useState } from 'react';
import uPlot from 'uplot';
import { Swatched } from '../../components/figures.js';
import { axisStyle, colorOf, compactNumber, Plot } from '../../components/plot.js';
import { formatNumber, plural } from '../../lib/number-format.js';
import { formatSecondInZone } from '../../lib/time-format.js';
import type { Explanation } from './api.js';
import classes from './explain.module.css';

export type CounterReplay = NonNullable<NonNullable<Explanation['minute']>['replay']>;

interface CounterChartProps {
  replay: CounterReplay;
  /** Whether the decision at the end was denied. */
  denied: boolean;
  timeZone: string;
}

/** Units left of a counter over time, and its denied requests; the decision is the line at the end. */
export default function CounterChart({ replay, denied, timeZone }: CounterChartProps) {
  const { steps, limit, to } = replay;
  const [selected, setSelected] = useState<number>();
  const data = useMemo((): uPlot.AlignedData => {
    const toS = Date.parse(to) / 1000;
    // The end closes the last step.
    return [
      [...steps.map(({ at }) => Date.parse(at) / 1000), toS],
      [...steps.map(({ left }) => Math.max(0, left)), Math.max(0, steps.at(-1)?.left ?? 0)],
      [...steps.map((step) => step.denied || null), null],
    ];
  }, [steps, to]);
  const shown = selected === undefined ? undefined : steps[Math.min(selected, steps.length - 1)];
  const total = steps.reduce((sum, step) => sum + step.denied, 0);
  return (
    <div>
      <div className={classes.legend} aria-hidden="true">
        <span>{formatSecondInZone(shown?.at ?? to, timeZone)}</span>
        <Swatched color="var(--tg-allowed)">
          Left <strong>{formatNumber((shown ?? steps.at(-1))?.left ?? 0)}</strong> of {formatNumber(limit)}
        </Swatched>
        <Swatched color="var(--tg-denied)">
          Denied <strong>{formatNumber(shown?.denied ?? total)}</strong>
        </Swatched>
        {shown && <span>Allowed {formatNumber(shown.allowed)}</span>}
        <span>Line at the end: this request, {denied ? 'denied' : 'allowed'}</span>
      </div>
      <Plot
        label={`Units left over time, with ${plural(total, 'denied request')}`}
        height={150}
        data={data}
        shape={`${limit} ${denied} ${timeZone}`}
        options={() => chartOptions(limit, denied, timeZone)}
        selected={selected}
        onSelect={setSelected}
        describe={(index) => {
          const step = steps[Math.min(index, steps.length - 1)];
          if (!step) return '';
          return `${formatSecondInZone(step.at, timeZone)}: ${formatNumber(step.left)} left, ${formatNumber(step.allowed)} allowed, ${formatNumber(step.denied)} denied`;
        }}
      />
    </div>
  );
}

/** Denied requests take the lower part of the chart. */
const DENIED_PART = 3;

function chartOptions(
  limit: number,
  denied: boolean,
  timeZone: string,
): Omit<uPlot.Options, 'width' | 'height'> {
  const axis = axisStyle();
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const bars = uPlot.paths.bars?.({ size: [1, 6, 2], align: 1 });
  return {
    padding: [12, 14, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    scales: {
      y: { range: [0, Math.max(1, limit * 1.05)] },
      denied: { range: (_chart, _min, max) => [0, Math.max(1, max) * DENIED_PART] },
    },
    hooks: { draw: [(chart) => markEnd(chart, denied)] },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 84,
        size: 30,
        values: (_chart, ticks) =>
          ticks.map((second) => formatSecondInZone(new Date(second * 1000).toISOString(), timeZone)),
      },
      { ...axis, size: 46, gap: 6, space: 40, values: (_chart, ticks) => ticks.map(compactNumber) },
    ],
    series: [
      {},
      {
        label: 'Left',
        stroke: colorOf('--tg-allowed'),
        width: 1.5,
        points: { show: false },
        ...(stepped && { paths: stepped }),
      },
      {
        label: 'Denied',
        scale: 'denied',
        fill: colorOf('--tg-denied'),
        stroke: colorOf('--tg-denied'),
        width: 0,
        points: { show: false },
        ...(bars && { paths: bars }),
      },
    ],
  };
}

function markEnd(chart: uPlot, denied: boolean): void {
  const end = chart.data[0].at(-1);
  if (end === undefined) return;
  const { ctx, bbox } = chart;
  const x = Math.round(chart.valToPos(end, 'x', true));
  ctx.save();
  ctx.strokeStyle = colorOf(denied ? '--tg-denied' : '--tg-allowed');
  ctx.lineWidth = 2 * uPlot.pxRatio;
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}
