import { useMemo, useRef } from 'react';
import uPlot from 'uplot';
import { axisStyle, colorOf, compactNumber, Plot } from '../../components/plot.js';
import type { PointSliderProps } from '../../components/point-slider.js';
import { formatAt, type UsageFigure } from './usage-lines.js';

const DAY_S = 86_400;

/** Shorter drags are clicks. */
const LEAST_DRAG_PX = 6;

type OnMark = (first: number, last: number) => void;

/** Times in seconds, then the series; stacked series as running totals. */
function dataOf({ times, series, stacked }: UsageFigure): uPlot.AlignedData {
  const below = stacked ? series[1]?.values : undefined;
  const columns = series.map(({ values }, index) =>
    index === 0 && below ? values.map((value, at) => value + (below[at] ?? 0)) : values,
  );
  return [times.map((at) => at / 1_000), ...columns];
}

function plotOptions(figure: UsageFigure, onMark: () => OnMark): Omit<uPlot.Options, 'width' | 'height'> {
  const { timeZone, bars } = figure;
  const axis = axisStyle();
  return {
    padding: [12, 24, 0, 0],
    legend: { show: false },
    tzDate: (second) => uPlot.tzDate(new Date(second * 1_000), timeZone),
    cursor: { y: false, points: { size: 6 }, drag: { x: true, y: false, setScale: false } },
    scales: {
      x: { range: (chart) => timeRange(chart, bars) },
      y: { range: (_chart, _min, max) => [0, Math.max(5, max * 1.12)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 72,
        size: 30,
        values: (_chart, ticks, _axis, _space, apart) => ticks.map((tick) => tickText(tick, apart, timeZone)),
      },
      { ...axis, size: 50, gap: 6, space: 40, values: (_chart, ticks) => ticks.map(compactNumber) },
    ],
    series: [{}, ...figure.series.map((_, index) => seriesOptions(figure, index))],
    ...(figure.stacked && !bars ? { bands: [{ series: [1, 2], fill: colorOf('--tg-denied-fill') }] } : {}),
    hooks: { setSelect: [(chart) => mark(chart, onMark())] },
  };
}

function seriesOptions({ series, stacked, bars }: UsageFigure, index: number): uPlot.Series {
  const stroke = colorOf(series[index]?.color ?? '--tg-series-rest');
  if (bars) {
    const paths = uPlot.paths.bars?.({ size: [0.72, 36], radius: 0 });
    return { stroke, fill: stroke, width: 0, points: { show: false }, ...(paths ? { paths } : {}) };
  }
  const isGround = stacked && index === 1;
  return {
    stroke,
    width: 1.5,
    points: { show: false },
    ...(isGround ? { fill: colorOf('--tg-allowed-fill') } : {}),
  };
}

/** Bars are centered, so both ends need half a bar of space. */
function timeRange(chart: uPlot, bars: boolean): [number, number] {
  const times = chart.data[0];
  const [first = 0, last = 1] = [times[0], times.at(-1)];
  if (first === last) return [first - 1_800, last + 1_800];
  const position = (last - first) / (times.length - 1);
  return bars ? [first - position * 0.6, last + position * 0.6] : [first, last];
}

function mark(chart: uPlot, onMark: OnMark): void {
  const { left, width } = chart.select;
  if (width < LEAST_DRAG_PX) return;
  chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  onMark(chart.posToIdx(left), chart.posToIdx(left + width));
}

function tickText(second: number, apart: number, timeZone: string): string {
  const atMs = second * 1_000;
  if (apart >= 28 * DAY_S) return formatAt(atMs, timeZone, 'month');
  if (apart >= DAY_S) return formatAt(atMs, timeZone, 'day');
  const clock = formatAt(atMs, timeZone, 'clock');
  return clock === '00:00' ? formatAt(atMs, timeZone, 'day') : clock;
}

interface UsageCanvasProps extends PointSliderProps {
  figure: UsageFigure;
  /** Called with the first and last point of a drag. */
  onMark: OnMark;
  height: number;
}

export default function UsageCanvas({ figure, onMark, ...props }: UsageCanvasProps) {
  const listener = useRef(onMark);
  listener.current = onMark;
  const data = useMemo(() => dataOf(figure), [figure]);
  const { timeZone, step, bars, series } = figure;
  return (
    <Plot
      {...props}
      data={data}
      options={() => plotOptions(figure, () => listener.current)}
      shape={[timeZone, step, bars, ...series.map(({ color }) => color)].join()}
    />
  );
}
