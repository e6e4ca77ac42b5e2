import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { Failure } from '../../../components/failure.js';
import { GatedButton } from '../../../components/gated-button.js';
import { Panel, RowsSkeleton } from '../../../components/page.js';
import { StateDot } from '../../../components/state-dot.js';
import { formatAgo, formatInZone } from '../../../lib/time-format.js';
import { effectText } from '../adjustment-text.js';
import { type EntitlementInList, tenantAdjustmentsQuery } from '../api/adjustments.js';
import { AdjustmentDialog, type AdjustmentTenant } from './adjustment-dialog.js';
import classes from './adjustments.module.css';
import { EndDialog } from './end-dialog.js';

interface EntitlementsPanelProps {
  tenant: AdjustmentTenant;
  onChanged: (changeId: string, title: string) => void;
}

/** The ledger of a tenant: what was bought and what was given, until when; more is given and taken back here. */
export function EntitlementsPanel({ tenant, onChanged }: EntitlementsPanelProps) {
  const t = useTranslations('adjustments');
  const [granting, setGranting] = useState(false);
  const [ending, setEnding] = useState<EntitlementInList>();
  const { data, error, refetch } = useQuery(tenantAdjustmentsQuery(tenant.key));
  const rows = data?.entitlements.nodes;
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
      title={t('grants')}
      note={t('grantsNote', { timeZone: tenant.timeZone })}
      flush
      actions={
        <GatedButton permission="entitlements:write" variant="default" onClick={() => setGranting(true)}>
          {t('newGrant')}
        </GatedButton>
      }
    >
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <RowsSkeleton rows={3} />}
      {rows?.length === 0 && (
        <Text size="sm" c="dimmed" p="md">
          {t('noGrants')}
        </Text>
      )}
      {rows && rows.length > 0 && (
        <DataTable label={t('grants')} columns={columns}>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row">{row.label}</th>
              <td className={classes.nowrap}>
                {row.limit ?? row.apiKey ?? t('all')}
                {row.limit && <span className={classes.soft}> {row.apiKey}</span>}
              </td>
              <NumericCell>{effectText(row.effect)}</NumericCell>
              <td className={classes.nowrap}>
                <StateDot tone={row.inForce ? 'good' : 'quiet'}>
                  {row.inForce ? t('ACTIVE') : t('ENDED')}
                </StateDot>
              </td>
              <td className={classes.nowrap}>
                {row.endsAt ? formatInZone(row.endsAt, tenant.timeZone) : t('noEnd')}
              </td>
              <td>
                {t(row.source)}, {row.purchaseId ? t('purchase') : t('grant')}
                <div className={classes.soft}>
                  {t('byWhom', { who: row.actor, when: formatAgo(row.createdAt) })}
                </div>
              </td>
              <td>
                {row.inForce && !row.purchaseId && (
                  <GatedButton
                    permission="entitlements:write"
                    variant="default"
                    size="compact-sm"
                    aria-label={t('endFor', { what: row.label })}
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
      {granting && (
        <AdjustmentDialog
          making="grant"
          tenant={tenant}
          onClose={() => setGranting(false)}
          onMade={(changeId, title) => {
            setGranting(false);
            if (changeId) onChanged(changeId, title);
          }}
        />
      )}
      {ending && (
        <EndDialog
          end={{ kind: 'ENTITLEMENT', id: ending.id }}
          what={ending.label}
          onClose={() => setEnding(undefined)}
          onEnded={(changeId) => {
            setEnding(undefined);
            if (changeId) onChanged(changeId, t('ended', { what: ending.label, tenant: tenant.name }));
          }}
        />
      )}
    </Panel>
  );
}
