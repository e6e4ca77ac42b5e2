import { Button } from '@mantine/core';
import type { StoredLimit } from '../../../lib/limit-fields.js';
import { ruleOf } from '../../../lib/limit-fields.js';
import { formatAmount } from '../../../lib/rate.js';
import classes from './tiers.module.css';

interface InheritedLimitProps {
  limit: StoredLimit;
  editable: boolean;
  onOverride: () => void;
}

/** A default of the API that the tier has not replaced: shown, not the tier's to change. */
export function InheritedLimit({ limit: { policy, summary }, editable, onOverride }: InheritedLimitProps) {
  return (
    <li className={classes.row} data-inherited>
      <div className={classes.rowLine}>
        <div className={classes.rowName}>
          <span className={classes.operations}>
            {policy.operations.length === 0 ? 'all operations' : policy.operations.join(', ')}
          </span>
          <span className={classes.name}>{policy.name}, API default</span>
        </div>
        <span className={classes.inheritedRate}>{formatAmount(ruleOf(policy))}</span>
        <div className={classes.sentence}>{summary}</div>
        <div className={classes.rowActions}>
          {editable && (
            <Button
              variant="default"
              size="compact-sm"
              onClick={onOverride}
              aria-label={`Override ${policy.name} of ${policy.api}`}
            >
              Override
            </Button>
          )}
        </div>
      </div>
    </li>
  );
}
