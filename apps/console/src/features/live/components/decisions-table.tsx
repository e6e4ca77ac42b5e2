import { DataTable, NumericCell } from '../../../components/data-table.js';
import { formatNumber, formatShare } from '../../../lib/number-format.js';
import { readersZone } from '../../../lib/time-format.js';
import type { DecisionSeries } from '../decision-window.js';
import classes from './live.module.css';

const STEP_SECONDS = 10;

/** The chart's numbers in steps of ten seconds, newest first. */
export function DecisionsTable({ series }: { series: DecisionSeries }) {
  return (
    <div className={classes.tableScroll}>
      <DataTable
        short
        label="Decisions per ten seconds"
        columns={[
          { name: `Start (${readersZone()})` },
          { name: 'Allowed', numeric: true },
          { name: 'Denied', numeric: true },
          { name: 'Denied share', numeric: true },
        ]}
      >
        {stepsOf(series).map(({ from, allowed, refused }) => (
          <tr key={from}>
            <th scope="row">{new Date(from * 1_000).toLocaleTimeString('en-GB')}</th>
            <NumericCell>{formatNumber(allowed)}</NumericCell>
            <NumericCell>{formatNumber(refused)}</NumericCell>
            <NumericCell>
              {allowed + refused === 0 ? '–' : formatShare(refused / (allowed + refused))}
            </NumericCell>
          </tr>
        ))}
      </DataTable>
    </div>
  );
}

function stepsOf({ seconds, allowed, refused }: DecisionSeries) {
  const steps = new Map<number, { from: number; allowed: number; refused: number }>();
  seconds.forEach((second, i) => {
    const from = Math.floor(second / STEP_SECONDS) * STEP_SECONDS;
    const step = steps.get(from) ?? { from, allowed: 0, refused: 0 };
    steps.set(from, step);
    step.allowed += allowed[i] ?? 0;
    step.refused += refused[i] ?? 0;
  });
  return [...steps.values()].reverse();
}
