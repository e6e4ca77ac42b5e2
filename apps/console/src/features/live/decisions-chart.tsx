import { useMemo } from 'react';
import type uPlot from 'uplot';
import { axisStyle, colorOf, compactNumber, Plot } from '../../components/plot.js';
import type { PointSliderProps } from '../../components/point-slider.js';
import type { DecisionSeries } from './decision-window.js';

interface DecisionsChartProps extends PointSliderProps {
  series: DecisionSeries;
}

/** Stacked chart of allowed and denied decisions per second. */
export default function DecisionsChart({ series, ...slider }: DecisionsChartProps) {
  const data = useMemo(() => stacked(series), [series]);
  return <Plot {...slider} height={264} data={data} options={chartOptions} />;
}

/** uPlot draws totals first and allowed decisions on top; the visible rest is denied. */
function stacked({ seconds, allowed, denied }: DecisionSeries): uPlot.AlignedData {
  return [seconds, allowed.map((value, i) => value + (denied[i] ?? 0)), allowed];
}

function chartOptions(): Omit<uPlot.Options, 'width' | 'height'> {
  const axis = axisStyle();
  return {
    padding: [12, 0, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false } },
    scales: { y: { range: (_chart, _min, max) => [0, Math.max(5, max * 1.12)] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 76,
        size: 30,
        values: (_chart, ticks) => ticks.map(clockTime),
      },
      { ...axis, size: 46, gap: 6, space: 44, values: (_chart, ticks) => ticks.map(compactNumber) },
    ],
    bands: [{ series: [1, 2], fill: colorOf('--tg-denied-fill') }],
    series: [
      {},
      { label: 'Denied', stroke: colorOf('--tg-denied'), width: 1.25, points: { show: false } },
      {
        label: 'Allowed',
        stroke: colorOf('--tg-allowed'),
        fill: colorOf('--tg-allowed-fill'),
        width: 1.5,
        points: { show: false },
      },
    ],
  };
}

const clockTime = (second: number): string => new Date(second * 1_000).toLocaleTimeString('en-GB');
