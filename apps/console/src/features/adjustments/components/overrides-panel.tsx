import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { Failure } from '../../../components/failure.js';
import { GatedButton } from '../../../components/gated-button.js';
import { Panel, RowsSkeleton } from '../../../components/page.js';
import { type DotTone, StateDot } from '../../../components/state-dot.js';
import type { OverrideStatus } from '../../../generated/graphql.js';
import { formatAgo, formatInZone } from '../../../lib/time-format.js';
import { effectText } from '../adjustment-text.js';
import { type OverrideInList, tenantAdjustmentsQuery } from '../api/adjustments.js';
import { AdjustmentDialog, type AdjustmentTenant } from './adjustment-dialog.js';
import classes from './adjustments.module.css';
import { EndDialog } from './end-dialog.js';

interface OverridesPanelProps {
  tenant: AdjustmentTenant;
  onChanged: (changeId: string, title: string) => void;
}

const TONES: Readonly<Record<OverrideStatus, DotTone>> = {
  ACTIVE: 'good',
  SCHEDULED: 'warn',
  ENDED: 'quiet',
  REMOVED: 'quiet',
};

/** The exceptions of a tenant: made, looked at and ended here. */
export function OverridesPanel({ tenant, onChanged }: OverridesPanelProps) {
  const t = useTranslations('adjustments');
  const [making, setMaking] = useState<'override' | 'boost'>();
  const [ending, setEnding] = useState<OverrideInList>();
  const { data, error, refetch } = useQuery(tenantAdjustmentsQuery(tenant.key));
  const rows = data?.overrides.nodes;
  const columns = [
    { name: t('what') },
    { name: t('where') },
    { name: t('effect'), numeric: true },
    { name: t('state') },
    { name: t('ends') },
    { name: t('why') },
    { name: t('end'), hidden: true },
  ];
  return (
    <Panel
      title={t('overrides')}
      note={t('overridesNote', { timeZone: tenant.timeZone })}
      flush
      actions={
        <>
          <GatedButton permission="overrides:write" variant="default" onClick={() => setMaking('override')}>
            {t('newOverride')}
          </GatedButton>
          <GatedButton permission="boosts:write" onClick={() => setMaking('boost')}>
            {t('newBoost')}
          </GatedButton>
        </>
      }
    >
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <RowsSkeleton rows={3} />}
      {rows?.length === 0 && (
        <Text size="sm" c="dimmed" p="md">
          {t('noOverrides')}
        </Text>
      )}
      {rows && rows.length > 0 && (
        <DataTable label={t('overrides')} columns={columns}>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row">{t(row.kind)}</th>
              <td className={classes.nowrap}>
                {row.limit ?? row.apiKey ?? t('all')}
                {row.limit && <span className={classes.soft}> {row.apiKey}</span>}
              </td>
              <NumericCell>{effectText(row.effect)}</NumericCell>
              <td className={classes.nowrap}>
                <StateDot tone={TONES[row.status]}>{t(row.status)}</StateDot>
              </td>
              <td className={classes.nowrap}>
                {row.removedAt
                  ? formatInZone(row.removedAt, tenant.timeZone)
                  : row.endsAt
                    ? formatInZone(row.endsAt, tenant.timeZone)
                    : t('noEnd')}
              </td>
              <td>
                {row.reason}
                <div className={classes.soft}>
                  {t('byWhom', { who: row.createdBy, when: formatAgo(row.createdAt) })}
                </div>
              </td>
              <td>
                {(row.status === 'ACTIVE' || row.status === 'SCHEDULED') && (
                  <GatedButton
                    permission={row.kind === 'BOOST' ? 'boosts:write' : 'overrides:write'}
                    variant="default"
                    size="compact-sm"
                    aria-label={t('endFor', { what: `${t(row.kind)} ${row.limit ?? row.apiKey ?? ''}` })}
                    onClick={() => setEnding(row)}
                  >
                    {t('end')}
                  </GatedButton>
                )}
              </td>
            </tr>
          ))}
        </DataTable>
      )}
      {making && (
        <AdjustmentDialog
          making={making}
          tenant={tenant}
          onClose={() => setMaking(undefined)}
          onMade={(changeId, title) => {
            setMaking(undefined);
            if (changeId) onChanged(changeId, title);
          }}
        />
      )}
      {ending && (
        <EndDialog
          end={{ kind: ending.kind, id: ending.id }}
          what={t(ending.kind)}
          onClose={() => setEnding(undefined)}
          onEnded={(changeId) => {
            setEnding(undefined);
            if (changeId) onChanged(changeId, t('ended', { what: t(ending.kind), tenant: tenant.name }));
          }}
        />
      )}
    </Panel>
  );
}
