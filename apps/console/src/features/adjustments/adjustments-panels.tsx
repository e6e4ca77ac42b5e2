import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { DataTable, NumericCell } from '../../components/data-table.js';
import { ReasonField } from '../../components/fields.js';
import { type DotTone, StateDot } from '../../components/marks.js';
import { EmptyText, Panel, QueryFallback } from '../../components/page.js';
import type { OverrideStatus, TenantAdjustmentsQuery } from '../../generated/graphql.js';
import { ENTITLEMENT_SOURCE_TEXT } from '../../lib/labels.js';
import { useMutationDialog } from '../../lib/mutation.js';
import { formatAgo, formatInZone } from '../../lib/time-format.js';
import type { Permission } from '../../lib/viewer.js';
import { AdjustmentDialog, type AdjustmentTenant } from './adjustment-dialog.js';
import { effectText } from './adjustment-draft.js';
import classes from './adjustments.module.css';
import {
  ADJUSTMENT_ENDS,
  type AdjustmentEnd,
  adjustmentEndInput,
  adjustmentsKey,
  type EntitlementInList,
  type OverrideInList,
  tenantAdjustmentsQuery,
} from './api.js';

interface AdjustmentsTableProps<T> {
  tenantKey: string;
  label: string;
  empty: string;
  rowsOf: (adjustments: TenantAdjustmentsQuery) => readonly T[];
  children: (row: T) => ReactNode;
}

/** A tenant's adjustments; each row is an `AdjustmentRow`. */
export function AdjustmentsTable<T>({ tenantKey, label, empty, rowsOf, children }: AdjustmentsTableProps<T>) {
  const query = useQuery(tenantAdjustmentsQuery(tenantKey));
  if (!query.data) return <QueryFallback query={query} rows={3} />;
  const rows = rowsOf(query.data);
  if (rows.length === 0) return <EmptyText>{empty}</EmptyText>;
  const columns = [
    'Adjustment',
    'Limit',
    { name: 'Effect', numeric: true },
    'Status',
    'Ends',
    'Reason',
    { name: 'End', hidden: true },
  ];
  return (
    <DataTable label={label} columns={columns}>
      {rows.map(children)}
    </DataTable>
  );
}

interface AdjustmentRowProps {
  adjustment: EntitlementInList | OverrideInList;
  name: string;
  state: { tone: DotTone; text: string };
  /** Instant of its end, shown by the clock of `timeZone`. */
  endsAt: string | null | undefined;
  timeZone: string;
  why: string | null;
  who: string;
  /** How it is ended before its time; left out where it cannot be. */
  end?: { permission: Permission; what: string; onEnd: () => void } | undefined;
}

/** One adjustment: effect, target, end and reason. */
export function AdjustmentRow(props: AdjustmentRowProps) {
  const { adjustment, name, state, endsAt, timeZone, why, who, end } = props;
  const { limit, apiKey, effect, createdAt } = adjustment;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className={classes.nowrap}>
        {limit ?? apiKey ?? 'all limits'}
        {limit && <span className={classes.soft}> {apiKey}</span>}
      </td>
      <NumericCell>{effectText(effect)}</NumericCell>
      <td className={classes.nowrap}>
        <StateDot tone={state.tone}>{state.text}</StateDot>
      </td>
      <td className={classes.nowrap}>{endsAt ? formatInZone(endsAt, timeZone) : 'no end date'}</td>
      <td>
        {why}
        <div className={classes.soft}>
          {who}, {formatAgo(createdAt)}
        </div>
      </td>
      <td>
        {end && (
          <GatedButton
            permission={end.permission}
            variant="default"
            size="compact-sm"
            aria-label={`End ${end.what}`}
            onClick={end.onEnd}
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
  /** Display name of the adjustment. */
  what: string;
  onClose: () => void;
  /** Called with the change to follow. */
  onEnded: (changeId: string) => void;
}

/** Ends an adjustment before its time. */
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

const OVERRIDE_KIND_TEXT = { BOOST: 'Boost', OVERRIDE: 'Override' } as const;

const OVERRIDE_STATUS_TEXT = {
  ACTIVE: 'Active',
  ENDED: 'Ended',
  REMOVED: 'Ended early',
  SCHEDULED: 'Scheduled',
} as const;

interface PanelProps {
  tenant: AdjustmentTenant;
  onChanged: (changeId: string, title: string) => void;
}

const TONES: Readonly<Record<OverrideStatus, DotTone>> = {
  ACTIVE: 'good',
  SCHEDULED: 'warn',
  ENDED: 'quiet',
  REMOVED: 'quiet',
};

/** A tenant's overrides and boosts. */
export function OverridesPanel({ tenant, onChanged }: PanelProps) {
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
          onChanged={onChanged}
        />
      )}
      {ending && (
        <EndDialog
          end={{ kind: ending.kind, id: ending.id }}
          what={OVERRIDE_KIND_TEXT[ending.kind]}
          onClose={() => setEnding(undefined)}
          onEnded={(changeId) =>
            onChanged(changeId, `${OVERRIDE_KIND_TEXT[ending.kind]} of ${tenant.name} ended`)
          }
        />
      )}
    </Panel>
  );
}

/** A tenant's entitlements. */
export function EntitlementsPanel({ tenant, onChanged }: PanelProps) {
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
          onChanged={onChanged}
        />
      )}
      {ending && (
        <EndDialog
          end={{ kind: 'ENTITLEMENT', id: ending.id }}
          what={ending.label}
          onClose={() => setEnding(undefined)}
          onEnded={(changeId) => onChanged(changeId, `${ending.label} of ${tenant.name} ended`)}
        />
      )}
    </Panel>
  );
}
