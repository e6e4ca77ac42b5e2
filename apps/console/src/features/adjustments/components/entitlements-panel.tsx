import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { GatedButton } from '../../../components/gated-button.js';
import { Panel } from '../../../components/page.js';
import type { EntitlementInList } from '../api/adjustments.js';
import { AdjustmentDialog, type AdjustmentTenant } from './adjustment-dialog.js';
import { AdjustmentRow, AdjustmentsTable } from './adjustments-table.js';
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
      <AdjustmentsTable
        tenantKey={tenant.key}
        label={t('grants')}
        empty={t('noGrants')}
        rowsOf={({ entitlements }) => entitlements.nodes}
      >
        {(row) => (
          <AdjustmentRow
            key={row.id}
            adjustment={row}
            name={row.label}
            state={row.inForce ? { tone: 'good', text: t('ACTIVE') } : { tone: 'quiet', text: t('ENDED') }}
            endsAt={row.endsAt}
            timeZone={tenant.timeZone}
            why={`${t(row.source)}, ${row.purchaseId ? t('purchase') : t('grant')}`}
            who={row.actor}
            end={
              row.inForce && !row.purchaseId
                ? { permission: 'entitlements:write', what: row.label, onEnd: () => setEnding(row) }
                : undefined
            }
          />
        )}
      </AdjustmentsTable>
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
