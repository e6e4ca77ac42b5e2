import { useEffect, useMemo, useRef } from 'react';
import uPlot from 'uplot';
import { axisStyle, colorOf, compactNumber, Plot } from '../../components/plot.js';
import { formatAt, type UsageFigure } from './usage-lines.js';

const DAY_S = 86_400;

/** Shorter drags are clicks. */
const LEAST_DRAG_PX = 6;

interface Listeners {
  onCursor: (index: number | undefined) => void;
  onMark: (first: number, last: number) => void;
}

/** Times in seconds, then the series; stacked series as running totals. */
function dataOf({ times, series, stacked }: UsageFigure): uPlot.AlignedData {
  const below = stacked ? series[1]?.values : undefined;
  const columns = series.map(({ values }, index) =>
    index === 0 && below ? values.map((value, at) => value + (below[at] ?? 0)) : values,
  );
  return [times.map((at) => at / 1_000), ...columns];
}

function plotOptions(
  figure: UsageFigure,
  listeners: () => Listeners,
): Omit<uPlot.Options, 'width' | 'height'> {
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
    hooks: {
      setCursor: [(chart) => listeners().onCursor(chart.cursor.idx ?? undefined)],
      setSelect: [(chart) => mark(chart, listeners())],
    },
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

function mark(chart: uPlot, { onMark }: Listeners): void {
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

interface UsageCanvasProps extends Listeners {
  figure: UsageFigure;
  /** Index of the selected point. */
  cursor: number | undefined;
  height: number;
}

/** The canvas only; the surrounding text describes it. */
export default function UsageCanvas({ figure, cursor, onCursor, onMark, height }: UsageCanvasProps) {
  const chart = useRef<uPlot>(undefined);
  const listeners = useRef<Listeners>({ onCursor, onMark });
  listeners.current = { onCursor, onMark };
  const data = useMemo(() => dataOf(figure), [figure]);
  const { timeZone, step, bars, series } = figure;
  useEffect(() => {
    const plot = chart.current;
    if (!plot || (plot.cursor.idx ?? undefined) === cursor) return;
    const at = cursor === undefined ? undefined : figure.times[cursor];
    plot.setCursor({ left: at === undefined ? -10 : plot.valToPos(at / 1_000, 'x'), top: 0 }, false);
  }, [cursor, figure]);
  return (
    <Plot
      chart={chart}
      height={height}
      data={data}
      options={() => plotOptions(figure, () => listeners.current)}
      shape={[timeZone, step, bars, ...series.map(({ color }) => color)].join()}
    />
  );
}
