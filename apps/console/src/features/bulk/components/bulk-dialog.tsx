import { Alert, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CarryOverChoice } from '../../../components/carry-over-choice.js';
import { CreateModal } from '../../../components/create-modal.js';
import { ImpactText } from '../../../components/impact-text.js';
import { ReasonField } from '../../../components/reason-field.js';
import type { BulkActionStartInput, CarryOver } from '../../../generated/graphql.js';
import { plural } from '../../../lib/number-format.js';
import { type ScopeChoices, scopeChoicesQuery } from '../../../lib/scope-choices.js';
import { errorsByField } from '../../../lib/user-errors.js';
import { useBulkActionStart } from '../api/bulk-actions.js';
import {
  BULK_KINDS,
  type BulkDraft,
  type BulkKind,
  bulkInputOf,
  changeBulk,
  NEW_BULK,
} from '../bulk-draft.js';
import { BulkAdjustmentFields } from './bulk-adjustment-fields.js';

const KINDS_TEXT = {
  BOOST: 'Boost temporarily',
  OVERRIDE: 'Override a limit',
  RESUME: 'Resume',
  SUSPEND: 'Suspend',
  TIER_CHANGE: 'Move to another tier',
} as const;

/** Which tenants: by name, or by what they have in common. */
export type BulkTarget = Pick<BulkActionStartInput, 'tenantKeys' | 'filter'>;

interface BulkDialogProps {
  target: BulkTarget;
  count: number;
  onClose: () => void;
  onStarted: () => void;
}

const FIELDS = ['kind', 'tierKey', 'adjustment', 'reason'];
const REFUSALS_SHOWN = 5;

/** One thing for many tenants: chosen, tried by the server, then started as a job. */
export function BulkDialog({ target, count, onClose, onStarted }: BulkDialogProps) {
  const { data: choices } = useQuery(scopeChoicesQuery);
  const [draft, setDraft] = useState(NEW_BULK);
  const trial = useBulkActionStart();
  const start = useBulkActionStart();
  const { byField, form } = errorsByField(start.error ?? trial.error, FIELDS);
  const set = (part: Partial<BulkDraft>) => {
    setDraft(changeBulk(draft, part));
    trial.reset();
  };
  const input = bulkInputOf(draft, Date.now());
  const isTried = trial.data !== undefined;
  const submit = () => {
    if (!input) return;
    const whole = { ...input, ...target, reason: draft.reason };
    if (isTried) start.mutate(whole, { onSuccess: onStarted });
    else trial.mutate({ ...whole, dryRun: true });
  };
  const isAdjustment = draft.kind === 'BOOST' || draft.kind === 'OVERRIDE';
  return (
    <CreateModal
      title={`Change ${plural(count, 'tenant')}`}
      opened
      onClose={onClose}
      onSubmit={submit}
      submitLabel={isTried ? `Apply to ${plural(count, 'tenant')}` : 'Preview'}
      pending={trial.isPending || start.isPending}
      problem={form}
      copy={{
        call: {
          mutation: 'bulkActionStart',
          inputType: 'BulkActionStartInput',
          input: { ...(input ?? { kind: draft.kind }), ...target, reason: draft.reason },
          selection: 'bulkAction { id }',
        },
      }}
    >
      <Select
        label="Action"
        data={BULK_KINDS.map((kind) => ({ value: kind, label: KINDS_TEXT[kind] }))}
        value={draft.kind}
        onChange={(kind) => kind && set({ kind: kind as BulkKind })}
        allowDeselect={false}
        error={byField.kind}
      />
      {draft.kind === 'TIER_CHANGE' && (
        <>
          <Select
            label="Tier"
            data={tierChoices(choices)}
            value={draft.tierKey}
            onChange={(tierKey) => set({ tierKey })}
            error={byField.tierKey}
          />
          <CarryOverChoice
            label="Existing usage"
            value={draft.carryOver}
            onChange={(carryOver: CarryOver) => set({ carryOver })}
          />
        </>
      )}
      {isAdjustment && (
        <BulkAdjustmentFields draft={draft} onChange={set} choices={choices} error={byField.adjustment} />
      )}
      <ReasonField
        required
        hint="Recorded in the audit trail of each tenant."
        value={draft.reason}
        onChange={(reason) => set({ reason })}
        error={byField.reason}
      />
      {trial.data && (
        <Alert role="status" color={trial.data.refusals.length > 0 ? 'ochre' : 'gate'}>
          <Text size="sm">
            Preview for {String(trial.data.tried)} of {String(trial.data.tenants)} tenants:{' '}
            <ImpactText impact={trial.data.impact ?? null} />
          </Text>
          <Text size="sm">
            {trial.data.refusals.length === 0
              ? 'No tenant would fail.'
              : plural(trial.data.refusals.length, 'tenant would fail:', 'tenants would fail:')}
          </Text>
          {trial.data.refusals.slice(0, REFUSALS_SHOWN).map(({ tenantKey, message }) => (
            <Text key={tenantKey} size="sm" c="dimmed">
              {tenantKey}: {message}
            </Text>
          ))}
        </Alert>
      )}
    </CreateModal>
  );
}

/** Tiers that tenants may be moved to. */
function tierChoices(choices: ScopeChoices | undefined) {
  const published = choices?.tiers.filter(({ isPublished }) => isPublished) ?? [];
  return published.map(({ key, name }) => ({ value: key, label: name }));
}
