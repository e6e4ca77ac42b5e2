import { Skeleton } from '@mantine/core';
import { type KeyboardEvent, lazy, Suspense, useState } from 'react';
import { formatNumber } from '../../../lib/number-format.js';
import type { UsageFigure } from '../usage-figure.js';
import { formatPoint } from '../usage-time.js';
import classes from './usage.module.css';
import { UsageReadout } from './usage-readout.js';

const UsageCanvas = lazy(() => import('./usage-canvas.js'));

const HEIGHT = 248;

/** Points of which the chosen one is the middle when Enter zooms in. */
const ZOOM_AROUND = 6;

interface UsageChartProps {
  figure: UsageFigure;
  /** A part to look at closer, unix ms. */
  onZoom: (fromMs: number, toMs: number) => void;
  onZoomOut: () => void;
}

/**
 * Usage over time as a picture that can be read by eye, pointer and keyboard: each point is told in words, in the line
 * above and to a screen reader. Dragging marks a part to zoom into.
 */
export function UsageChart({ figure, onZoom, onZoomOut }: UsageChartProps) {
  const [cursor, setCursor] = useState<number>();
  const last = figure.times.length - 1;
  const shown = cursor === undefined ? undefined : Math.min(cursor, last);
  const zoom = (from: number, to: number) => {
    const fromMs = figure.times[Math.max(0, from)];
    const toMs = figure.times[to + 1] ?? figure.endMs;
    if (fromMs !== undefined) onZoom(fromMs, toMs);
    setCursor(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moved = movedBy(event.key, shown ?? last + 1, last);
    if (moved !== undefined) setCursor(moved);
    else if (event.key === 'Enter' && shown !== undefined)
      zoom(shown - ZOOM_AROUND, Math.min(last, shown + ZOOM_AROUND));
    else if (event.key === 'Escape') onZoomOut();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <UsageReadout figure={figure} index={shown} />
      <div
        className={classes.chart}
        role="slider"
        tabIndex={0}
        aria-label={`Usage over time. Arrow keys move between points. Enter zooms in. Escape zooms out.`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={shown ?? 0}
        aria-valuetext={shown === undefined ? 'No point selected' : pointText(figure, shown)}
        onKeyDown={onKeyDown}
        onBlur={() => setCursor(undefined)}
      >
        <Suspense fallback={<Skeleton h={HEIGHT} />}>
          <UsageCanvas figure={figure} cursor={shown} onCursor={setCursor} onMark={zoom} height={HEIGHT} />
        </Suspense>
      </div>
    </>
  );
}

function movedBy(key: string, from: number, last: number): number | undefined {
  const page = Math.max(1, Math.round(last / 10));
  const to = { ArrowLeft: from - 1, ArrowRight: from + 1, PageUp: from + page, PageDown: from - page }[key];
  if (to !== undefined) return Math.min(last, Math.max(0, to));
  return key === 'Home' ? 0 : key === 'End' ? last : undefined;
}

/** `Sat 21 Nov 14:00: 120 allowed, 3 refused`. */
function pointText({ times, timeZone, step, series }: UsageFigure, index: number): string {
  const values = series.map(
    ({ name, values }) => `${formatNumber(values[index] ?? 0)} ${name.toLowerCase()}`,
  );
  return `${formatPoint(times[index] ?? 0, timeZone, step)}: ${values.join(', ')}`;
}
