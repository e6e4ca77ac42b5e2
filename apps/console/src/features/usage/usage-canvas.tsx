import uPlot from 'uplot';
import { formatAt, type UsageFigure } from './usage-lines.js';
import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';

const DAY_S = 86_400;

/** A drag of fewer pixels was meant as a click. */
const LEAST_DRAG_PX = 6;

interface Listeners {
  current: {
    onCursor: (index: number | undefined) => void;
    onMark: (first: number, last: number) => void;
  };
}

/** Times in seconds, then the series; stacked series as running totals. */
export function dataOf({ times, series, stacked }: UsageFigure): uPlot.AlignedData {
  const below = stacked ? series[1]?.values : undefined;
  const columns = series.map(({ values }, index) =>
    index === 0 && below ? values.map((value, at) => value + (below[at] ?? 0)) : values,
  );
  return [times.map((at) => at / 1_000), ...columns];
}

/** How uPlot draws a figure; colours are those of the document now. */
export function canvasOptions(
  figure: UsageFigure,
  size: { width: number; height: number },
  listeners: Listeners,
): uPlot.Options {
  const { timeZone, bars } = figure;
  const color = colorsOf(document.documentElement);
  const axis: uPlot.Axis = {
    stroke: color('--tg-text-soft'),
    font: "11px 'Geist Variable', sans-serif",
    ticks: { show: false },
    grid: { stroke: color('--tg-border'), width: 1 },
  };
  return {
    ...size,
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
      { ...axis, size: 50, gap: 6, space: 40, values: (_chart, ticks) => ticks.map(compact) },
    ],
    series: [{}, ...figure.series.map((_, index) => seriesOptions(figure, index, color))],
    ...(figure.stacked && !bars ? { bands: [{ series: [1, 2], fill: color('--tg-denied-fill') }] } : {}),
    hooks: {
      setCursor: [(chart) => listeners.current.onCursor(chart.cursor.idx ?? undefined)],
      setSelect: [(chart) => mark(chart, listeners)],
    },
  };
}

function seriesOptions(
  { series, stacked, bars }: UsageFigure,
  index: number,
  color: (name: string) => string,
): uPlot.Series {
  const stroke = color(series[index]?.color ?? '--tg-series-rest');
  if (bars) {
    const paths = uPlot.paths.bars?.({ size: [0.72, 36], radius: 0 });
    return { stroke, fill: stroke, width: 0, points: { show: false }, ...(paths ? { paths } : {}) };
  }
  const isGround = stacked && index === 1;
  return {
    stroke,
    width: 1.5,
    points: { show: false },
    ...(isGround ? { fill: color('--tg-allowed-fill') } : {}),
  };
}

/** Bars stand at the middle of their place, so that half a place is needed at both ends. */
function timeRange(chart: uPlot, bars: boolean): [number, number] {
  const times = chart.data[0];
  const [first = 0, last = 1] = [times[0], times.at(-1)];
  if (first === last) return [first - 1_800, last + 1_800];
  const position = (last - first) / (times.length - 1);
  return bars ? [first - position * 0.6, last + position * 0.6] : [first, last];
}

function mark(chart: uPlot, listeners: Listeners): void {
  const { left, width } = chart.select;
  if (width < LEAST_DRAG_PX) return;
  chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  listeners.current.onMark(chart.posToIdx(left), chart.posToIdx(left + width));
}

function tickText(second: number, apart: number, timeZone: string): string {
  const atMs = second * 1_000;
  if (apart >= 28 * DAY_S) return formatAt(atMs, timeZone, 'month');
  if (apart >= DAY_S) return formatAt(atMs, timeZone, 'day');
  const clock = formatAt(atMs, timeZone, 'clock');
  return clock === '00:00' ? formatAt(atMs, timeZone, 'day') : clock;
}

function compact(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  return value >= 10_000 ? `${value / 1_000}k` : value.toLocaleString('en-US');
}

function colorsOf(element: Element): (name: string) => string {
  const style = getComputedStyle(element);
  return (name) => style.getPropertyValue(name).trim();
}

export interface UsageCanvasProps {
  figure: UsageFigure;
  /** Index of the point that is read; undefined: none. */
  cursor: number | undefined;
  onCursor: (index: number | undefined) => void;
  /** A part was marked by dragging: first and last point of it. */
  onMark: (first: number, last: number) => void;
  height: number;
}

/** The canvas only; the surrounding text describes it. */
export default function UsageCanvas({ figure, cursor, onCursor, onMark, height }: UsageCanvasProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const latest = useRef({ figure, onCursor, onMark });
  latest.current = { figure, onCursor, onMark };
  const scheme = useComputedColorScheme();
  // A change of shape creates a new chart; new values of the same lines update it.
  const shape = [
    scheme,
    figure.timeZone,
    figure.step,
    figure.bars,
    ...figure.series.map(({ color }) => color),
  ];

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const chart = new uPlot(
      canvasOptions(latest.current.figure, { width: element.clientWidth, height }, latest),
      dataOf(latest.current.figure),
      element,
    );
    plot.current = chart;
    const resize = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      chart.destroy();
      plot.current = undefined;
    };
  }, [shape.join(), height]);

  useEffect(() => plot.current?.setData(dataOf(figure)), [figure]);

  useEffect(() => {
    const chart = plot.current;
    if (!chart || (chart.cursor.idx ?? undefined) === cursor) return;
    const at = cursor === undefined ? undefined : figure.times[cursor];
    chart.setCursor({ left: at === undefined ? -10 : chart.valToPos(at / 1_000, 'x'), top: 0 }, false);
  }, [cursor, figure]);

  return <div ref={host} style={{ height }} aria-hidden="true" />;
}
