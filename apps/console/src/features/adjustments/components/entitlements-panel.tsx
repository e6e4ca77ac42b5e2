import { useState } from 'react';
import { GatedButton } from '../../../components/gated-button.js';
import { Panel } from '../../../components/page.js';
import { ENTITLEMENT_SOURCE_TEXT } from '../../../lib/labels.js';
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
  const [granting, setGranting] = useState(false);
  const [ending, setEnding] = useState<EntitlementInList>();
  return (
    <Panel
      title="Entitlements"
      note={`from purchases and grants; times in ${tenant.timeZone}`}
      flush
      actions={
        <GatedButton permission="entitlements:write" variant="default" onClick={() => setGranting(true)}>
          Grant entitlement
        </GatedButton>
      }
    >
      <AdjustmentsTable
        tenantKey={tenant.key}
        label="Entitlements"
        empty="No entitlements yet."
        rowsOf={({ entitlements }) => entitlements.nodes}
      >
        {(row) => (
          <AdjustmentRow
            key={row.id}
            adjustment={row}
            name={row.label}
            state={row.inForce ? { tone: 'good', text: 'Active' } : { tone: 'quiet', text: 'Ended' }}
            endsAt={row.endsAt}
            timeZone={tenant.timeZone}
            why={`${ENTITLEMENT_SOURCE_TEXT[row.source]}, ${row.purchaseId ? 'Purchase' : 'Grant'}`}
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
            if (changeId) onChanged(changeId, `${ending.label} of ${tenant.name} ended`);
          }}
        />
      )}
    </Panel>
  );
}
