import { Button } from '@mantine/core';
import type { LimitPolicy } from '@tollgate/contracts';
import { summarizeLimit } from '@tollgate/contracts/limit-summary';
import { useTranslations } from 'use-intl';
import { formatAmount } from '../../../lib/limit-amount.js';
import { ruleOf } from '../../../lib/limit-rule.js';
import classes from './tiers.module.css';

/** A limit that goes away with the next apply, and the way to keep it. */
export function RemovedLimit({ limit, onRestore }: { limit: LimitPolicy; onRestore: () => void }) {
  const t = useTranslations('tiers.removedLimit');
  return (
    <li className={classes.row} data-changed data-removed>
      <div className={classes.rowLine}>
        <div className={classes.rowName}>
          <del className={classes.operations}>
            {limit.operations.length === 0 ? t('allOperations') : limit.operations.join(', ')}
          </del>
          <span className={classes.name}>{t('removed', { name: limit.name })}</span>
        </div>
        <del className={classes.rowRate}>{formatAmount(ruleOf(limit))}</del>
        <del className={classes.sentence}>{summarizeLimit(limit)}</del>
        <div className={classes.rowActions}>
          <Button
            variant="default"
            size="compact-sm"
            onClick={onRestore}
            aria-label={t('keepNameOfApi', { name: limit.name, api: limit.api })}
          >
            {t('keep')}
          </Button>
        </div>
      </div>
    </li>
  );
}
