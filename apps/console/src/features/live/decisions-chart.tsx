import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import type { DecisionSeries } from './decision-window.js';

interface DecisionsChartProps {
  series: DecisionSeries;
  /** Index of the second under the pointer; undefined when it leaves. */
  onPoint: (index: number | undefined) => void;
}

export const CHART_HEIGHT = 264;

/** Stacked chart of allowed and denied decisions per second. Hidden from screen readers; describe it nearby. */
export default function DecisionsChart({ series, onPoint }: DecisionsChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const latest = useRef({ series, onPoint });
  latest.current = { series, onPoint };
  const scheme = useComputedColorScheme();

  // Colours are read from the document's styles, so another scheme needs another chart.
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const chart = new uPlot(
      chartOptions(element.clientWidth, (index) => latest.current.onPoint(index)),
      stacked(latest.current.series),
      element,
    );
    plot.current = chart;
    const resize = new ResizeObserver(() =>
      chart.setSize({ width: element.clientWidth, height: CHART_HEIGHT }),
    );
    resize.observe(element);
    return () => {
      resize.disconnect();
      chart.destroy();
      plot.current = undefined;
    };
  }, [scheme]);

  useEffect(() => plot.current?.setData(stacked(series)), [series]);

  return <div ref={host} style={{ height: CHART_HEIGHT }} aria-hidden="true" />;
}

/** uPlot draws totals first and allowed decisions on top; the visible rest is denied. */
function stacked({ seconds, allowed, denied }: DecisionSeries): uPlot.AlignedData {
  return [seconds, allowed.map((value, i) => value + (denied[i] ?? 0)), allowed];
}

function chartOptions(width: number, onPoint: (index: number | undefined) => void): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const axis: uPlot.Axis = {
    stroke: color('--tg-text-soft'),
    font: "11px 'Geist Variable', sans-serif",
    ticks: { show: false },
    grid: { stroke: color('--tg-border'), width: 1 },
  };
  return {
    width,
    height: CHART_HEIGHT,
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
      { ...axis, size: 46, gap: 6, space: 44, values: (_chart, ticks) => ticks.map((tick) => compact(tick)) },
    ],
    bands: [{ series: [1, 2], fill: color('--tg-denied-fill') }],
    series: [
      {},
      { label: 'Denied', stroke: color('--tg-denied'), width: 1.25, points: { show: false } },
      {
        label: 'Allowed',
        stroke: color('--tg-allowed'),
        fill: color('--tg-allowed-fill'),
        width: 1.5,
        points: { show: false },
      },
    ],
    hooks: { setCursor: [(chart) => onPoint(chart.cursor.idx ?? undefined)] },
  };
}

const clockTime = (second: number): string => new Date(second * 1_000).toLocaleTimeString('en-GB');

const compact = (value: number): string =>
  value >= 10_000 ? `${value / 1_000}k` : value.toLocaleString('en-US');
