import { Button } from '@mantine/core';
import type { LimitPolicy } from '@tollgate/contracts';
import { summarizeLimit } from '@tollgate/contracts/limit-summary';
import { ruleOf } from '../../../lib/limit-fields.js';
import { formatAmount } from '../../../lib/rate.js';
import classes from './tiers.module.css';

/** A limit that goes away with the next apply, and the way to keep it. */
export function RemovedLimit({ limit, onRestore }: { limit: LimitPolicy; onRestore: () => void }) {
  return (
    <li className={classes.row} data-changed data-removed>
      <div className={classes.rowLine}>
        <div className={classes.rowName}>
          <del className={classes.operations}>
            {limit.operations.length === 0 ? 'all operations' : limit.operations.join(', ')}
          </del>
          <span className={classes.name}>{limit.name}, removed</span>
        </div>
        <del className={classes.rowRate}>{formatAmount(ruleOf(limit))}</del>
        <del className={classes.sentence}>{summarizeLimit(limit)}</del>
        <div className={classes.rowActions}>
          <Button
            variant="default"
            size="compact-sm"
            onClick={onRestore}
            aria-label={`Keep ${limit.name} of ${limit.api}`}
          >
            Keep
          </Button>
        </div>
      </div>
    </li>
  );
}
