import { Skeleton, Text } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { DataTable, NumericCell, numeric } from '../../components/data-table.js';
import { Figure, Figures, Swatched } from '../../components/figures.js';
import { useLimitTitle } from '../../lib/customer-page.js';
import { capital } from '../../lib/effect-text.js';
import { formatNumber, formatPart, formatShare, plural } from '../../lib/number-format.js';
import { loadChunk } from '../../lib/query-client.js';
import type { Usage } from './api.js';
import classes from './usage.module.css';
import { formatAt, formatPoint, peakOf, type UsageFigure, type UsageLines } from './usage-lines.js';
import { filtersOf, type UsageView } from './usage-view.js';

interface UsageTextProps {
  usage: Usage;
  lines: UsageLines;
  view: UsageView;
}

/** The chart in words. */
export function UsageText({ usage, lines, view }: UsageTextProps) {
  const { timeZone, step } = lines;
  const { count, denied } = usage.total;
  const moment = (at: string) => formatAt(Date.parse(at), timeZone, 'moment');
  const peak = peakOf(lines, view);
  const subject = capital(
    filtersOf(view, useLimitTitle())
      .map(({ label }) => label)
      .join(', ') || 'All APIs',
  );
  const outcome =
    denied === 0 ? 'none denied' : `${formatNumber(denied)} denied (${formatShare(denied / count)})`;
  const sentences = [
    `${subject}, ${moment(usage.from)} to ${moment(usage.to)}: ${
      count === 0
        ? 'no decisions. New decisions appear within seconds.'
        : `${plural(count, 'decision')}, ${outcome}.`
    }`,
    peak && `Peak per ${step}: ${formatNumber(peak.value)} (${formatPoint(peak.atMs, timeZone, step)}).`,
    `Times in ${timeZone}.`,
    Date.parse(usage.keptSince) > Date.parse(usage.from) &&
      `Before ${moment(usage.keptSince)}, usage is stored in longer intervals only.`,
  ];
  return (
    <Text size="sm" c="dimmed" px={16} pt={6} pb={14}>
      {sentences.filter(Boolean).join(' ')}
    </Text>
  );
}

/** Values of the selected point, or the legend without one. */
export function UsageReadout({
  figure,
  index,
  note,
}: {
  figure: UsageFigure;
  index: number | undefined;
  note?: string | undefined;
}) {
  const shown = [...figure.series.toReversed(), ...(figure.ghost ? [figure.ghost] : [])];
  const at = index === undefined ? undefined : figure.times[index];
  const isLast = index === figure.times.length - 1 && figure.endMs > Date.now();
  return (
    <div className={classes.readout} aria-hidden="true">
      {at !== undefined && (
        <strong>
          {formatPoint(at, figure.timeZone, figure.step)}
          {isLast && ', so far'}
        </strong>
      )}
      {shown.map(({ name, color, values, total }) => (
        <Swatched key={name} color={`var(${color})`}>
          {name}
          {(index !== undefined || total !== undefined) && (
            <strong>{formatNumber((index === undefined ? total : values[index]) ?? 0)}</strong>
          )}
        </Swatched>
      ))}
      {(note || at === undefined) && (
        <span className={classes.hint}>
          {note ?? 'Hover over the chart, or focus it and use the arrow keys. Drag to zoom.'}
        </span>
      )}
    </div>
  );
}

/** The chart's numbers, newest first. */
export function UsageTable({ figure }: { figure: UsageFigure }) {
  const series = figure.series.toReversed();
  const rows = figure.times.map((at, index) => ({ at, index })).toReversed();
  return (
    <div className={classes.table}>
      <DataTable short label="Usage over time" columns={['From', ...series.map(({ name }) => numeric(name))]}>
        {rows.map(({ at, index }) => (
          <tr key={at}>
            <th scope="row">{formatPoint(at, figure.timeZone, figure.step)}</th>
            {series.map(({ name, values }) => (
              <NumericCell key={name}>{formatNumber(values[index] ?? 0)}</NumericCell>
            ))}
          </tr>
        ))}
      </DataTable>
    </div>
  );
}

/** The totals of the time range. */
export function UsageFigures({ usage: { total }, lines, view }: UsageTextProps) {
  const peak = peakOf(lines, view);
  const { count, denied, units } = total;
  return (
    <Figures>
      {view.unit === 'units' ? (
        <Figure label="Cost units" value={formatNumber(units)} />
      ) : (
        <Figure label="Decisions" value={formatNumber(count)} />
      )}
      <Figure label="Denied" value={formatNumber(denied)} />
      <Figure label="Denied share" value={formatPart(denied, count)} />
      <Figure
        label={`Peak per ${lines.step}`}
        value={peak ? formatNumber(peak.value) : '–'}
        note={peak && formatPoint(peak.atMs, lines.timeZone, lines.step)}
      />
    </Figures>
  );
}

const UsageCanvas = lazy(() => loadChunk(() => import('./usage-canvas.js')));

export const CHART_HEIGHT = 248;

/** Points on each side of the selected one when Enter zooms in. */
const ZOOM_AROUND = 6;

interface UsageChartProps {
  figure: UsageFigure;
  /** Unix ms. */
  onZoom: (fromMs: number, toMs: number) => void;
  onZoomOut: () => void;
  /** Labels above the chart. */
  above?: ReactNode;
  /** Shown in the legend instead of the hint. */
  note?: string;
}

/** Usage chart for mouse and keyboard. Reads each point to screen readers. Dragging zooms. */
export function UsageChart({ figure, onZoom, onZoomOut, above, note }: UsageChartProps) {
  const [cursor, setCursor] = useState<number>();
  const last = figure.times.length - 1;
  const shown = cursor === undefined ? undefined : Math.min(cursor, last);
  const zoom = (from: number, to: number) => {
    const fromMs = figure.times[Math.max(0, from)];
    const toMs = figure.times[to + 1] ?? figure.endMs;
    if (fromMs !== undefined) onZoom(fromMs, toMs);
    setCursor(undefined);
  };
  return (
    <>
      <UsageReadout figure={figure} index={shown} note={note} />
      {above}
      <div className={classes.chart}>
        <Suspense fallback={<Skeleton h={CHART_HEIGHT} />}>
          <UsageCanvas
            label="Usage over time. Arrow keys move between points. Enter zooms in. Escape zooms out."
            figure={figure}
            selected={shown}
            onSelect={setCursor}
            describe={(index) => pointText(figure, index)}
            onMark={zoom}
            onEnter={(index) => zoom(index - ZOOM_AROUND, Math.min(last, index + ZOOM_AROUND))}
            onEscape={onZoomOut}
            height={CHART_HEIGHT}
          />
        </Suspense>
      </div>
    </>
  );
}

/** `Sat 21 Nov 14:00: 120 allowed, 3 denied`. */
function pointText({ times, timeZone, step, series, ghost }: UsageFigure, index: number): string {
  const values = [...series, ...(ghost ? [ghost] : [])].map(
    ({ name, values }) => `${formatNumber(values[index] ?? 0)} ${name.toLowerCase()}`,
  );
  return `${formatPoint(times[index] ?? 0, timeZone, step)}: ${values.join(', ')}`;
}
