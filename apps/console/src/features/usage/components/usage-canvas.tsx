import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { canvasOptions, dataOf } from '../canvas-options.js';
import type { UsageFigure } from '../usage-figure.js';

export interface UsageCanvasProps {
  figure: UsageFigure;
  /** Index of the point that is read; undefined: none. */
  cursor: number | undefined;
  onCursor: (index: number | undefined) => void;
  /** A part was marked by dragging: first and last point of it. */
  onMark: (first: number, last: number) => void;
  height: number;
}

/** The picture alone; what surrounds it says the same in words. */
export default function UsageCanvas({ figure, cursor, onCursor, onMark, height }: UsageCanvasProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const latest = useRef({ figure, onCursor, onMark });
  latest.current = { figure, onCursor, onMark };
  const scheme = useComputedColorScheme();
  // Whatever is drawn otherwise needs another chart; other values of the same lines do not.
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
