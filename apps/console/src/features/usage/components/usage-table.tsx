import { DataTable, NumericCell } from '../../../components/data-table.js';
import { formatNumber } from '../../../lib/number-format.js';
import type { UsageFigure } from '../usage-figure.js';
import { formatPoint } from '../usage-time.js';
import classes from './usage.module.css';

/** The chart's numbers, newest first. */
export function UsageTable({ figure }: { figure: UsageFigure }) {
  const series = figure.series.toReversed();
  const rows = figure.times.map((at, index) => ({ at, index })).toReversed();
  return (
    <div className={classes.table}>
      <DataTable
        short
        label="Usage over time"
        columns={[{ name: 'From' }, ...series.map(({ name }) => ({ name, numeric: true }))]}
      >
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
