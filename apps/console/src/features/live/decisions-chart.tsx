import { useMemo, useRef } from 'react';
import type uPlot from 'uplot';
import { axisStyle, colorOf, compactNumber, Plot } from '../../components/plot.js';
import type { DecisionSeries } from './decision-window.js';

interface DecisionsChartProps {
  series: DecisionSeries;
  /** Index of the second under the pointer; undefined when it leaves. */
  onPoint: (index: number | undefined) => void;
}

/** Stacked chart of allowed and denied decisions per second. */
export default function DecisionsChart({ series, onPoint }: DecisionsChartProps) {
  const listener = useRef(onPoint);
  listener.current = onPoint;
  const data = useMemo(() => stacked(series), [series]);
  return <Plot height={264} data={data} options={() => chartOptions((index) => listener.current(index))} />;
}

/** uPlot draws totals first and allowed decisions on top; the visible rest is denied. */
function stacked({ seconds, allowed, denied }: DecisionSeries): uPlot.AlignedData {
  return [seconds, allowed.map((value, i) => value + (denied[i] ?? 0)), allowed];
}

function chartOptions(onPoint: DecisionsChartProps['onPoint']): Omit<uPlot.Options, 'width' | 'height'> {
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
    hooks: { setCursor: [(chart) => onPoint(chart.cursor.idx ?? undefined)] },
  };
}

const clockTime = (second: number): string => new Date(second * 1_000).toLocaleTimeString('en-GB');
