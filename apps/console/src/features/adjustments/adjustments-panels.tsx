import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { hidden, NumericCell, numeric, QueryTable } from '../../components/data-table.js';
import { ReasonField } from '../../components/fields.js';
import { type DotTone, StateDot } from '../../components/marks.js';
import { Panel } from '../../components/page.js';
import type { OverrideStatus, TenantAdjustmentsQuery } from '../../generated/graphql.js';
import { ENTITLEMENT_SOURCE_TEXT, LIMIT_SOURCE_TEXT } from '../../lib/labels.js';
import { useMutationDialog } from '../../lib/mutation.js';
import { formatNumber } from '../../lib/number-format.js';
import { formatAgo, formatInZone } from '../../lib/time-format.js';
import type { Permission } from '../../lib/viewer.js';
import { AdjustmentDialog, type AdjustmentTenant } from './adjustment-dialog.js';
import { type AdjustmentMaking, effectText } from './adjustment-draft.js';
import {
  ADJUSTMENT_ENDS,
  type AdjustmentEnd,
  adjustmentEndInput,
  adjustmentsKey,
  type EntitlementInList,
  type OverrideInList,
  tenantAdjustmentsQuery,
} from './api.js';

interface AdjustmentRow {
  adjustment: EntitlementInList | OverrideInList;
  name: string;
  state: { tone: DotTone; text: string };
  endsAt: string | null;
  /** Unused units of a top-up; left out for others. */
  remaining?: number | null;
  why: string | null;
  who: string;
  /** Left out when it cannot be ended. */
  end?: { permission: Permission; kind: AdjustmentEnd['kind']; label: string } | undefined;
}

interface PanelProps {
  tenant: AdjustmentTenant;
  onChanged: (changeId: string, title: string) => void;
}

interface AdjustmentsPanelProps extends PanelProps {
  title: string;
  note: string;
  empty: string;
  /** Buttons that create an adjustment. */
  makings: ReadonlyArray<{
    making: AdjustmentMaking;
    permission: Permission;
    label: string;
    variant?: string;
  }>;
  rowsOf: (adjustments: TenantAdjustmentsQuery) => readonly AdjustmentRow[];
}

/** Adjustments of a tenant, with buttons to create and end them. */
function AdjustmentsPanel(props: AdjustmentsPanelProps) {
  const { tenant, onChanged, title, note, empty, makings, rowsOf } = props;
  const query = useQuery(tenantAdjustmentsQuery(tenant.key));
  const [making, setMaking] = useState<AdjustmentMaking>();
  const [ending, setEnding] = useState<AdjustmentRow>();
  const rows = query.data && rowsOf(query.data);
  const columns = ['Adjustment', 'Limit', numeric('Effect'), 'Status', 'Ends', 'Reason', hidden('End')];
  return (
    <Panel
      title={title}
      note={`${note}; times in ${tenant.timeZone}`}
      flush
      actions={makings.map(({ making: kind, permission, label, variant = 'default' }) => (
        <GatedButton key={kind} permission={permission} variant={variant} onClick={() => setMaking(kind)}>
          {label}
        </GatedButton>
      ))}
    >
      <QueryTable query={query} list={rows} rows={3} empty={empty} label={title} columns={columns}>
        {(row) => (
          <Row key={row.adjustment.id} row={row} timeZone={tenant.timeZone} onEnd={() => setEnding(row)} />
        )}
      </QueryTable>
      {making && (
        <AdjustmentDialog
          making={making}
          tenant={tenant}
          onClose={() => setMaking(undefined)}
          onChanged={onChanged}
        />
      )}
      {ending?.end && (
        <EndDialog
          end={{ kind: ending.end.kind, id: ending.adjustment.id }}
          what={ending.name}
          onClose={() => setEnding(undefined)}
          onEnded={(changeId) => onChanged(changeId, `${ending.name} of ${tenant.name} ended`)}
        />
      )}
    </Panel>
  );
}

function Row({ row, timeZone, onEnd }: { row: AdjustmentRow; timeZone: string; onEnd: () => void }) {
  const { adjustment, name, state, endsAt, remaining, why, who, end } = row;
  const { limit, apiKey, effect, createdAt } = adjustment;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className="tg-nowrap">
        {limit ?? apiKey ?? 'all limits'}
        {limit && <span className="tg-soft"> {apiKey}</span>}
      </td>
      <NumericCell>
        {effectText(effect)}
        {remaining != null && <div className="tg-soft">{formatNumber(remaining)} left</div>}
      </NumericCell>
      <td className="tg-nowrap">
        <StateDot tone={state.tone}>{state.text}</StateDot>
      </td>
      <td className="tg-nowrap">{endsAt ? formatInZone(endsAt, timeZone) : 'no end date'}</td>
      <td>
        {why}
        <div className="tg-soft">
          {who}, {formatAgo(createdAt)}
        </div>
      </td>
      <td>
        {end && (
          <GatedButton
            permission={end.permission}
            variant="default"
            size="compact-sm"
            aria-label={`End ${end.label}`}
            onClick={onEnd}
          >
            End
          </GatedButton>
        )}
      </td>
    </tr>
  );
}

interface EndDialogProps {
  end: AdjustmentEnd;
  what: string;
  onClose: () => void;
  /** Called with the change to follow. */
  onEnded: (changeId: string) => void;
}

export function EndDialog({ end, what, onClose, onEnded }: EndDialogProps) {
  const [reason, setReason] = useState('');
  const document = ADJUSTMENT_ENDS[end.kind];
  const { errors, dialog } = useMutationDialog(document, ['reason'], ['tenants'], adjustmentsKey);
  const onDone = ({ changeId }: { changeId: string | null }) => {
    onClose();
    if (changeId) onEnded(changeId);
  };
  return (
    <CreateModal
      title={`End “${what}” now?`}
      submitLabel="End now"
      onClose={onClose}
      {...dialog(adjustmentEndInput(end, reason), onDone)}
    >
      <Text size="sm">All nodes enforce the limits without it within a second.</Text>
      <ReasonField required focused value={reason} onChange={setReason} error={errors.reason} />
    </CreateModal>
  );
}

const KINDS = {
  BOOST: { name: 'Boost', permission: 'boosts:write' },
  OWN: { name: LIMIT_SOURCE_TEXT.OWN, permission: undefined },
  OVERRIDE: { name: 'Override', permission: 'overrides:write' },
} as const;

/** How the status of an adjustment is shown. */
export const ADJUSTMENT_STATES: Readonly<Record<OverrideStatus, AdjustmentRow['state']>> = {
  ACTIVE: { tone: 'good', text: 'Active' },
  SCHEDULED: { tone: 'warn', text: 'Scheduled' },
  ENDED: { tone: 'quiet', text: 'Ended' },
  REMOVED: { tone: 'quiet', text: 'Ended early' },
};

export function OverridesPanel(props: PanelProps) {
  return (
    <AdjustmentsPanel
      {...props}
      title="Overrides and boosts"
      note="set by operators, and lower limits set by the customer"
      empty="No overrides or boosts yet."
      makings={[
        { making: 'override', permission: 'overrides:write', label: 'Override' },
        { making: 'boost', permission: 'boosts:write', label: 'Boost', variant: 'filled' },
      ]}
      rowsOf={({ overrides }) =>
        overrides.nodes.map((row) => {
          const { kind, status, limit, apiKey, reason, createdBy, removedAt, endsAt } = row;
          const { name, permission } = KINDS[kind];
          const isOpen = status === 'ACTIVE' || status === 'SCHEDULED';
          return {
            ...{ adjustment: row, name, state: ADJUSTMENT_STATES[status], why: reason, who: createdBy },
            endsAt: removedAt ?? endsAt,
            end:
              isOpen && permission && kind !== 'OWN'
                ? { permission, kind, label: `${name} ${limit ?? apiKey ?? ''}` }
                : undefined,
          };
        })
      }
    />
  );
}

export function EntitlementsPanel(props: PanelProps) {
  return (
    <AdjustmentsPanel
      {...props}
      title="Entitlements"
      note="from purchases and grants"
      empty="No entitlements yet."
      makings={[{ making: 'grant', permission: 'entitlements:write', label: 'Grant entitlement' }]}
      rowsOf={({ entitlements }) =>
        entitlements.nodes.map((row) => {
          const { label, source, purchaseId, inForce, unitsExpireAt, remaining, actor } = row;
          const endsAt = inForce ? (unitsExpireAt ?? row.endsAt) : row.endsAt;
          return {
            ...{ adjustment: row, name: label, endsAt, remaining, who: actor },
            state: ADJUSTMENT_STATES[inForce ? 'ACTIVE' : 'ENDED'],
            why: `${ENTITLEMENT_SOURCE_TEXT[source]}, ${purchaseId ? 'Purchase' : 'Grant'}`,
            end:
              inForce && !purchaseId
                ? { permission: 'entitlements:write', kind: 'ENTITLEMENT', label }
                : undefined,
          };
        })
      }
    />
  );
}
