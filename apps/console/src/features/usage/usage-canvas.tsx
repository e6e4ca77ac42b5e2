import { useMemo, useRef } from 'react';
import uPlot from 'uplot';
import { axisStyle, colorOf, compactNumber, Plot } from '../../components/plot.js';
import type { PointSliderProps } from '../../components/point-slider.js';
import { formatAt, PLOT_INSET, plotRange, type UsageFigure } from './usage-lines.js';

const DAY_S = 86_400;

/** Shorter drags are clicks. */
const LEAST_DRAG_PX = 6;

type OnMark = (first: number, last: number) => void;

/** Times in seconds, then the series; stacked series as running totals. */
function dataOf({ times, series, stacked, ghost }: UsageFigure): uPlot.AlignedData {
  const columns = series.map(({ values }) => [...values]);
  for (let index = columns.length - 2; stacked && index >= 0; index--) {
    const below = columns[index + 1] ?? [];
    columns[index] = (columns[index] ?? []).map((value, at) => value + (below[at] ?? 0));
  }
  return [times.map((at) => at / 1_000), ...columns, ...(ghost ? [ghost.values] : [])];
}

const LANE_HEIGHT = 22;

/** Draws the values of a series below the plot area, so that a small share is visible. */
function drawLane({ ctx, bbox, valToPos }: uPlot, { times, series, bars }: UsageFigure): void {
  const values = series[0]?.values ?? [];
  const most = Math.max(...values);
  const [ratio, bottom] = [devicePixelRatio, bbox.top + bbox.height];
  const [start, end] = plotRange({ times, bars });
  const width = Math.max(
    ratio,
    ((bbox.width * 0.72) / (end - start)) * ((times[1] ?? end) - (times[0] ?? start)),
  );
  ctx.save();
  ctx.fillStyle = colorOf('--tg-text-soft');
  ctx.font = `${11 * ratio}px 'Geist Variable', sans-serif`;
  ctx.textAlign = 'right';
  ctx.fillText('Denied', bbox.left - 6 * ratio, bottom + (LANE_HEIGHT - 2) * ratio);
  ctx.fillStyle = colorOf('--tg-border');
  ctx.fillRect(bbox.left, bottom + LANE_HEIGHT * ratio, bbox.width, ratio);
  ctx.fillStyle = colorOf(series[0]?.color ?? '--tg-denied');
  for (const [index, value] of values.entries()) {
    if (value === 0) continue;
    const height = Math.max(2, (value / most) * (LANE_HEIGHT - 5)) * ratio;
    const x = valToPos((times[index] ?? 0) / 1_000, 'x', true) - width / 2;
    ctx.fillRect(x, bottom + LANE_HEIGHT * ratio - height, width, height);
  }
  ctx.restore();
}

function drawMarks(chart: uPlot, marks: readonly number[]): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.strokeStyle = colorOf('--tg-text-soft');
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  for (const at of marks) {
    const x = Math.round(chart.valToPos(at / 1_000, 'x', true)) + 0.5;
    ctx.moveTo(x, 0);
    ctx.lineTo(x, bbox.top + bbox.height);
  }
  ctx.stroke();
  ctx.restore();
}

/** @param latest the figure drawn last: only its shape must equal that of `figure` */
function plotOptions(
  figure: UsageFigure,
  latest: () => UsageFigure,
  onMark: () => OnMark,
): Omit<uPlot.Options, 'width' | 'height'> {
  const { timeZone, bars, lane, ghost } = figure;
  const axis = axisStyle();
  const laneHeight = lane ? LANE_HEIGHT + 4 : 0;
  return {
    padding: [12, PLOT_INSET.right, 0, 0],
    legend: { show: false },
    tzDate: (second) => uPlot.tzDate(new Date(second * 1_000), timeZone),
    cursor: { y: false, points: { size: 6 }, drag: { x: true, y: false, setScale: false } },
    scales: {
      x: { range: () => inSeconds(plotRange(latest())) },
      y: { range: (_chart, _min, max) => [0, Math.max(5, max * 1.12)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 72,
        size: 30 + laneHeight,
        gap: 5 + laneHeight,
        values: (_chart, ticks, _axis, _space, apart) => ticks.map((tick) => tickText(tick, apart, timeZone)),
      },
      {
        ...axis,
        size: PLOT_INSET.left,
        gap: 6,
        space: 40,
        values: (_chart, ticks) => ticks.map(compactNumber),
      },
    ],
    series: [
      {},
      ...figure.series.map((_, index) => seriesOptions(figure, index)),
      ...(ghost ? [{ stroke: colorOf(ghost.color), width: 1.5, dash: [4, 3], points: { show: false } }] : []),
    ],
    ...(figure.stacked && !bars
      ? {
          bands: figure.series.slice(1).map((_, index) => ({
            series: [index + 1, index + 2] as [number, number],
            fill: colorOf(`${figure.series[index]?.color}-fill`),
          })),
        }
      : {}),
    hooks: {
      drawClear: [(chart) => drawMarks(chart, latest().marks ?? [])],
      ...(lane ? { draw: [(chart: uPlot) => drawLane(chart, latest())] } : {}),
      setSelect: [(chart) => mark(chart, onMark())],
    },
  };
}

function seriesOptions({ series, stacked, bars }: UsageFigure, index: number): uPlot.Series {
  const stroke = colorOf(series[index]?.color ?? '--tg-series-rest');
  if (bars) {
    const paths = uPlot.paths.bars?.({ size: [0.72, 36], radius: 0 });
    return { stroke, fill: stroke, width: 0, points: { show: false }, ...(paths ? { paths } : {}) };
  }
  const isGround = stacked && index === series.length - 1;
  return {
    stroke,
    width: 1.5,
    points: { show: false },
    ...(isGround ? { fill: colorOf('--tg-allowed-fill') } : {}),
  };
}

const inSeconds = ([first, last]: [number, number]): [number, number] => [first / 1_000, last / 1_000];

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
  const latest = useRef(figure);
  latest.current = figure;
  const data = useMemo(() => dataOf(figure), [figure]);
  const { timeZone, step, bars, series, ghost, lane } = figure;
  return (
    <Plot
      {...props}
      data={data}
      options={() =>
        plotOptions(
          figure,
          () => latest.current,
          () => listener.current,
        )
      }
      shape={[
        timeZone,
        step,
        bars,
        lane,
        ...[...series, ...(ghost ? [ghost] : [])].map(({ color }) => color),
      ].join()}
    />
  );
}
