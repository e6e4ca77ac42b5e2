import { Button } from '@mantine/core';
import { limitSentence } from '../../../lib/limit-sentence.js';
import type { LimitSpec } from '../../../lib/limit-spec.js';
import { formatRate } from '../../../lib/rate.js';
import classes from './tiers.module.css';

/** A limit that goes away with the next apply, and the way to keep it. */
export function RemovedLimit({ limit, onRestore }: { limit: LimitSpec; onRestore: () => void }) {
  return (
    <li className={classes.row} data-changed data-removed>
      <div className={classes.rowLine}>
        <div className={classes.rowName}>
          <del className={classes.operations}>
            {limit.operations.length === 0 ? 'all operations' : limit.operations.join(', ')}
          </del>
          <span className={classes.name}>{limit.name}, removed</span>
        </div>
        <del className={classes.rowRate}>{formatRate(limit)}</del>
        <del className={classes.sentence}>{limitSentence(limit)}</del>
        <div className={classes.rowActions}>
          <Button
            variant="default"
            size="compact-sm"
            onClick={onRestore}
            aria-label={`Keep ${limit.name} of ${limit.apiKey}`}
          >
            Keep
          </Button>
        </div>
      </div>
    </li>
  );
}
