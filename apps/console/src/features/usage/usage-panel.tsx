import { Anchor, Button, Skeleton, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { TableToggle } from '../../components/buttons.js';
import { DataTable, NumericCell, numeric } from '../../components/data-table.js';
import { Swatched } from '../../components/figures.js';
import { Failure, Panel } from '../../components/page.js';
import { useLimitTitle } from '../../lib/customer-page.js';
import { downloadText } from '../../lib/download-text.js';
import { formatNumber, formatPart } from '../../lib/number-format.js';
import { type Usage, type UsageSeries, usageQuery } from './api.js';
import { UsageChart, UsageFigures, UsageTable, UsageText } from './usage-chart.js';
import { UsageControls } from './usage-controls.js';
import { csvName, usageCsv } from './usage-csv.js';
import { figureOf, linesOf, type UsageFigure, type UsageLines } from './usage-lines.js';
import { stepOf, type UsageView, withRange, zoomTo } from './usage-view.js';

interface UsageBreakdownProps {
  lines: UsageLines;
  figure: UsageFigure;
  view: UsageView;
  onView: (view: UsageView) => void;
}

/** Totals per line; selecting a name filters by it. */
export function UsageBreakdown({ lines, figure, view, onView }: UsageBreakdownProps) {
  return (
    <div style={{ borderTop: '1px solid var(--tg-border)' }}>
      <DataTable
        label="Group by"
        columns={[
          'Name',
          numeric('Decisions'),
          numeric('Denied'),
          numeric('Denied share'),
          numeric('Cost units'),
        ]}
      >
        {lines.lines.map(({ series, total }, index) => {
          const { name = '', color = '' } = figure.series[index] ?? {};
          const narrowed = series && narrowTo(view, series);
          return (
            <tr key={name}>
              <th scope="row">
                <Swatched color={`var(${color})`}>
                  {narrowed ? (
                    <Anchor
                      component="button"
                      type="button"
                      inherit
                      c="inherit"
                      ta="left"
                      aria-label={`Filter by ${name}`}
                      onClick={() => onView(narrowed)}
                    >
                      {name}
                    </Anchor>
                  ) : (
                    name
                  )}
                </Swatched>
              </th>
              <NumericCell>{formatNumber(total.count)}</NumericCell>
              <NumericCell>{formatNumber(total.denied)}</NumericCell>
              <NumericCell>{formatPart(total.denied, total.count)}</NumericCell>
              <NumericCell>{formatNumber(total.units)}</NumericCell>
            </tr>
          );
        })}
      </DataTable>
    </div>
  );
}

/** One step further in; undefined where there is none, or the names stand for others that are not kept. */
function narrowTo({ by, ...view }: UsageView, series: UsageSeries): UsageView | undefined {
  const { apiKey, operation, limitName } = series;
  if (!apiKey || apiKey === '*') return undefined;
  if (by === 'api') return { ...view, api: apiKey, by: 'operation' };
  if (by === 'operation' && operation && operation !== '*')
    return { ...view, api: apiKey, operation, by: 'limit' };
  if (by === 'limit' && limitName) return { ...view, api: apiKey, limit: limitName, by: 'outcome' };
  return undefined;
}

interface UsagePanelProps {
  tenantKey: string;
  /** The view, stored in the page's address. */
  view: UsageView;
  onView: (view: UsageView) => void;
}

/** A tenant's usage over time: minutes to months, by API, operation, limit or outcome; as chart, table and file. */
export function UsagePanel({ tenantKey, view, onView }: UsagePanelProps) {
  const [asTable, setAsTable] = useState(false);
  const { data, error, refetch } = useQuery({
    ...usageQuery(tenantKey, view),
    placeholderData: keepPreviousData,
  });
  const timeZone = data?.timeZone ?? 'UTC';
  const zoomOut = () => view.from && onView(withRange(view, '24h'));
  return (
    <Panel
      title="Usage"
      note={data ? `Times in ${timeZone}` : '\u00a0'}
      flush
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconDownload size={15} aria-hidden />}
            disabled={!data || data.series.length === 0}
            onClick={() => data && downloadText(csvName(data), usageCsv(data), 'text/csv')}
          >
            Download CSV
          </Button>
          <TableToggle asTable={asTable} onChange={setAsTable} />
        </>
      }
    >
      <UsageControls view={view} onView={onView} timeZone={timeZone} onZoomOut={zoomOut} />
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton h={420} m="md" />}
      {data && <Shown usage={data} {...{ view, onView, asTable, zoomOut }} />}
    </Panel>
  );
}

interface ShownProps {
  usage: Usage;
  view: UsageView;
  onView: (view: UsageView) => void;
  asTable: boolean;
  zoomOut: () => void;
}

function Shown({ usage, view, onView, asTable, zoomOut }: ShownProps) {
  const lines = useMemo(() => linesOf(usage, stepOf(view)), [usage, view]);
  const titleOf = useLimitTitle();
  const figure = useMemo(() => figureOf(lines, view, titleOf), [lines, view, titleOf]);
  return (
    <>
      <UsageFigures usage={usage} lines={lines} view={view} />
      {asTable ? (
        <UsageTable figure={figure} />
      ) : (
        <UsageChart
          figure={figure}
          onZoom={(fromMs, toMs) => onView(zoomTo(view, fromMs, toMs))}
          onZoomOut={zoomOut}
        />
      )}
      <UsageText usage={usage} lines={lines} view={view} />
      {view.by && usage.series.length > 0 && (
        <UsageBreakdown lines={lines} figure={figure} view={view} onView={onView} />
      )}
      {usage.omittedSeries > 0 && (
        <Text size="sm" c="dimmed" px={16} pt={6} pb={14}>
          {formatNumber(usage.omittedSeries)} more series with fewer decisions not shown. Add a filter to see
          more.
        </Text>
      )}
    </>
  );
}
