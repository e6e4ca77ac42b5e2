import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { type RefObject, useEffect, useRef } from 'react';
import uPlot from 'uplot';

/** A color of the document's styles, such as `--tg-border`. */
export const colorOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The look of an axis. */
export const axisStyle = (): uPlot.Axis => ({
  stroke: colorOf('--tg-text-soft'),
  font: "11px 'Geist Variable', sans-serif",
  ticks: { show: false },
  grid: { stroke: colorOf('--tg-border'), width: 1 },
});

/** A number for an axis: `9,000`, `12k`, `1.5M`. */
export function compactNumber(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  return value >= 10_000 ? `${value / 1_000}k` : value.toLocaleString('en-US');
}

interface PlotProps {
  height: number;
  /** Called for each new chart: another color scheme, height or `shape` needs one. */
  options: () => Omit<uPlot.Options, 'width' | 'height'>;
  shape?: string;
  /** Must be referentially stable while it is equal. */
  data: uPlot.AlignedData;
  chart?: RefObject<uPlot | undefined>;
}

/** A uPlot chart as wide as its container. Hidden from screen readers; describe it nearby. */
export function Plot({ height, options, shape = '', data, chart }: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const own = useRef<uPlot>(undefined);
  const plot = chart ?? own;
  const latest = useRef({ options, data });
  latest.current = { options, data };
  const scheme = useComputedColorScheme();

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const size = () => ({ width: element.clientWidth, height });
    const made = new uPlot({ ...size(), ...latest.current.options() }, latest.current.data, element);
    plot.current = made;
    const resize = new ResizeObserver(() => made.setSize(size()));
    resize.observe(element);
    return () => {
      resize.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [scheme, shape, height]);

  useEffect(() => plot.current?.setData(data), [data]);

  return <div ref={host} style={{ height }} aria-hidden="true" />;
}
