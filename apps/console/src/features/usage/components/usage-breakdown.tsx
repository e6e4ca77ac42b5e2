import { UnstyledButton } from '@mantine/core';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { formatNumber, formatShare } from '../../../lib/number-format.js';
import type { UsageSeries } from '../api/usage.js';
import type { UsageFigure } from '../usage-figure.js';
import type { UsageLines } from '../usage-lines.js';
import type { UsageView } from '../usage-view.js';
import classes from './usage.module.css';

interface UsageBreakdownProps {
  lines: UsageLines;
  figure: UsageFigure;
  view: UsageView;
  onView: (view: UsageView) => void;
}

/** What the chart tells apart, with totals; a name narrows the view to it and tells its parts apart. */
export function UsageBreakdown({ lines, figure, view, onView }: UsageBreakdownProps) {
  const columns = [
    { name: 'Name' },
    { name: 'Decisions', numeric: true },
    { name: 'Denied', numeric: true },
    { name: 'Denied share', numeric: true },
    { name: 'Cost units', numeric: true },
  ];
  return (
    <div className={classes.breakdown}>
      <DataTable label="Group by" columns={columns}>
        {lines.lines.map(({ series, total }, index) => {
          const { name = '', color = '' } = figure.series[index] ?? {};
          const narrowed = series && narrowTo(view, series);
          return (
            <tr key={name}>
              <th scope="row">
                <span className={classes.readoutItem}>
                  <span className={classes.swatch} style={{ background: `var(${color})` }} />
                  {narrowed ? (
                    <UnstyledButton
                      className={classes.narrow}
                      aria-label={`Filter by ${name}`}
                      onClick={() => onView(narrowed)}
                    >
                      {name}
                    </UnstyledButton>
                  ) : (
                    name
                  )}
                </span>
              </th>
              <NumericCell>{formatNumber(total.count)}</NumericCell>
              <NumericCell>{formatNumber(total.refused)}</NumericCell>
              <NumericCell>{total.count === 0 ? '–' : formatShare(total.refused / total.count)}</NumericCell>
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
