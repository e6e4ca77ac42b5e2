import { Button } from '@mantine/core';
import { useState } from 'react';
import { GatedButton } from '../../../components/gated-button.js';
import { BulkDialog, type BulkTarget } from '../../../features/bulk/components/bulk-dialog.js';
import type { TenantFilter } from '../../../features/tenants/api/tenants.js';
import classes from '../../../features/tenants/components/tenants.module.css';
import { formatNumber } from '../../../lib/number-format.js';
import type { TenantSelection } from './use-selection.js';

interface SelectionBarProps {
  selection: TenantSelection;
  filter: TenantFilter;
  totalCount: number;
}

/** How many tenants are chosen, and what can be done to them; nothing while none is. */
export function SelectionBar({ selection, filter, totalCount }: SelectionBarProps) {
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
      <span role="status">{formatNumber(count)} selected</span>
      {chosen !== 'all' && totalCount > count && (
        <Button variant="subtle" size="compact-sm" onClick={selectAll}>
          Select all {formatNumber(totalCount)} matching
        </Button>
      )}
      <Button variant="subtle" color="gray" size="compact-sm" onClick={clear}>
        Clear selection
      </Button>
      <GatedButton
        permission="bulk-actions:write"
        style={{ marginLeft: 'auto' }}
        onClick={() => setActing(true)}
      >
        Bulk actions
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
