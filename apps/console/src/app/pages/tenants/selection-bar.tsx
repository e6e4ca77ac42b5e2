import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { GatedButton } from '../../../components/gated-button.js';
import { BulkDialog, type BulkTarget } from '../../../features/bulk/components/bulk-dialog.js';
import type { TenantFilter } from '../../../features/tenants/api/tenants.js';
import classes from '../../../features/tenants/components/tenants.module.css';
import type { TenantSelection } from './use-selection.js';

interface SelectionBarProps {
  selection: TenantSelection;
  filter: TenantFilter;
  totalCount: number;
}

/** How many tenants are chosen, and what can be done to them; nothing while none is. */
export function SelectionBar({ selection, filter, totalCount }: SelectionBarProps) {
  const t = useTranslations('tenants.list');
  const [acting, setActing] = useState(false);
  const { chosen, selectAll, clear } = selection;
  const count = chosen === 'all' ? totalCount : chosen.size;
  if (count === 0) return null;
  const { search = null, tier = null, status = null } = filter;
  const target: BulkTarget =
    chosen === 'all'
      ? { filter: { search, tier, status, expectedCount: totalCount } }
      : { tenantKeys: [...chosen] };
  return (
    <div className={classes.bulkBar}>
      <span role="status">{t('selected', { count })}</span>
      {chosen !== 'all' && totalCount > count && (
        <Button variant="subtle" size="compact-sm" onClick={selectAll}>
          {t('allMatching', { count: totalCount })}
        </Button>
      )}
      <Button variant="subtle" color="gray" size="compact-sm" onClick={clear}>
        {t('clear')}
      </Button>
      <GatedButton
        permission="bulk-actions:write"
        style={{ marginLeft: 'auto' }}
        onClick={() => setActing(true)}
      >
        {t('act')}
      </GatedButton>
      {acting && (
        <BulkDialog
          target={target}
          count={count}
          onClose={() => setActing(false)}
          onStarted={() => {
            setActing(false);
            clear();
          }}
        />
      )}
    </div>
  );
}
