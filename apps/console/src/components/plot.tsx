import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { PointSlider, type PointSliderProps } from './point-slider.js';

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

interface PlotProps extends PointSliderProps {
  height: number;
  /** Called for each new chart: another color scheme, height or `shape` needs one. */
  options: () => Omit<uPlot.Options, 'width' | 'height'>;
  shape?: string;
  /** Must be referentially stable while it is equal. */
  data: uPlot.AlignedData;
}

/** A uPlot chart as wide as its container. Pointer and keyboard select its points. */
export function Plot({ height, options, shape = '', data, ...slider }: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const latest = useRef({ options, data, onSelect: slider.onSelect });
  latest.current = { options, data, onSelect: slider.onSelect };
  const scheme = useComputedColorScheme();

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const size = () => ({ width: element.clientWidth, height });
    const drawn = latest.current.options();
    const setCursor = [(chart: uPlot) => latest.current.onSelect(chart.cursor.idx ?? undefined)];
    const made = new uPlot(
      { ...size(), ...drawn, hooks: { ...drawn.hooks, setCursor } },
      latest.current.data,
      element,
    );
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

  const { selected } = slider;
  useEffect(() => {
    const chart = plot.current;
    if (!chart || (chart.cursor.idx ?? undefined) === selected) return;
    const at = selected === undefined ? undefined : data[0][selected];
    chart.setCursor({ left: at === undefined ? -10 : chart.valToPos(at, 'x'), top: 0 }, false);
  }, [selected, data]);

  return (
    <PointSlider {...slider} count={data[0].length}>
      <div ref={host} style={{ height }} />
    </PointSlider>
  );
}
