import { useState } from 'react';
import { GatedButton } from '../../../components/gated-button.js';
import { Panel } from '../../../components/page.js';
import type { DotTone } from '../../../components/state-dot.js';
import type { OverrideStatus } from '../../../generated/graphql.js';
import type { OverrideInList } from '../api/adjustments.js';
import { AdjustmentDialog, type AdjustmentTenant } from './adjustment-dialog.js';
import { AdjustmentRow, AdjustmentsTable } from './adjustments-table.js';
import { EndDialog } from './end-dialog.js';

const OVERRIDE_KIND_TEXT = { BOOST: 'Boost', OVERRIDE: 'Override' } as const;

const OVERRIDE_STATUS_TEXT = {
  ACTIVE: 'Active',
  ENDED: 'Ended',
  REMOVED: 'Ended early',
  SCHEDULED: 'Scheduled',
} as const;

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
  const [making, setMaking] = useState<'override' | 'boost'>();
  const [ending, setEnding] = useState<OverrideInList>();
  return (
    <Panel
      title="Overrides and boosts"
      note={`set by operators; times in ${tenant.timeZone}`}
      flush
      actions={
        <>
          <GatedButton permission="overrides:write" variant="default" onClick={() => setMaking('override')}>
            Override
          </GatedButton>
          <GatedButton permission="boosts:write" onClick={() => setMaking('boost')}>
            Boost
          </GatedButton>
        </>
      }
    >
      <AdjustmentsTable
        tenantKey={tenant.key}
        label="Overrides and boosts"
        empty="No overrides or boosts yet."
        rowsOf={({ overrides }) => overrides.nodes}
      >
        {(row) => (
          <AdjustmentRow
            key={row.id}
            adjustment={row}
            name={OVERRIDE_KIND_TEXT[row.kind]}
            state={{ tone: TONES[row.status], text: OVERRIDE_STATUS_TEXT[row.status] }}
            endsAt={row.removedAt ?? row.endsAt}
            timeZone={tenant.timeZone}
            why={row.reason}
            who={row.createdBy}
            end={
              row.status === 'ACTIVE' || row.status === 'SCHEDULED'
                ? {
                    permission: row.kind === 'BOOST' ? 'boosts:write' : 'overrides:write',
                    what: `${OVERRIDE_KIND_TEXT[row.kind]} ${row.limit ?? row.apiKey ?? ''}`,
                    onEnd: () => setEnding(row),
                  }
                : undefined
            }
          />
        )}
      </AdjustmentsTable>
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
          what={OVERRIDE_KIND_TEXT[ending.kind]}
          onClose={() => setEnding(undefined)}
          onEnded={(changeId) => {
            setEnding(undefined);
            if (changeId) onChanged(changeId, `${OVERRIDE_KIND_TEXT[ending.kind]} of ${tenant.name} ended`);
          }}
        />
      )}
    </Panel>
  );
}
