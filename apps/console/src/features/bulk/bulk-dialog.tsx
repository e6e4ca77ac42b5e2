import { Alert, Select, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ImpactText } from '../../components/change-review.js';
import { CreateModal } from '../../components/create-modal.js';
import { EffectFields, TargetFields } from '../../components/effect-fields.js';
import { CarryOverChoice, ReasonField } from '../../components/fields.js';
import type { BulkActionStartInput } from '../../generated/graphql.js';
import { bindFields } from '../../lib/form.js';
import { errorsByField } from '../../lib/graphql-request.js';
import { mutationCall, useInputMutation } from '../../lib/mutation.js';
import { plural } from '../../lib/number-format.js';
import { parseDuration } from '../../lib/rate.js';
import { type ScopeChoices, scopeChoicesQuery } from '../../lib/scope-choices.js';
import { BulkActionStartDocument, bulkActionsQuery } from './api.js';
import {
  BULK_KINDS,
  type BulkDraft,
  bulkEffectKinds,
  bulkInputOf,
  changeBulk,
  NEW_BULK,
} from './bulk-draft.js';

interface BulkAdjustmentFieldsProps {
  draft: BulkDraft;
  onChange: (part: Partial<BulkDraft>) => void;
  choices: ScopeChoices | undefined;
  error: string | undefined;
}

export function BulkAdjustmentFields({ draft, onChange, choices, error }: BulkAdjustmentFieldsProps) {
  const { apiKey, effect, lasts } = draft;
  return (
    <>
      <TargetFields
        value={draft}
        onChange={onChange}
        apis={choices?.apis.map(({ key, name }) => ({ value: key, label: name })) ?? []}
        limits={choices?.limitsByApi.get(apiKey ?? '') ?? []}
      />
      <EffectFields
        value={effect}
        onChange={(next) => onChange({ effect: next })}
        kinds={bulkEffectKinds(draft)}
        error={error}
      />
      <TextInput
        label="Duration"
        description="such as 30m, 2 h or 7d"
        value={lasts}
        onChange={({ currentTarget: { value } }) => onChange({ lasts: value })}
        error={parseDuration(lasts).ok ? undefined : 'Enter a duration such as 30m, 2 h or 7d'}
      />
    </>
  );
}

const KINDS_TEXT = {
  BOOST: 'Boost temporarily',
  OVERRIDE: 'Override a limit',
  RESUME: 'Resume',
  SUSPEND: 'Suspend',
  TIER_CHANGE: 'Move to another tier',
} as const;

export type BulkTarget = Pick<BulkActionStartInput, 'tenantKeys' | 'filter'>;

interface BulkDialogProps {
  target: BulkTarget;
  count: number;
  onClose: () => void;
  onStarted: () => void;
}

const FIELDS = ['kind', 'tierKey', 'adjustment', 'reason'];
const REFUSALS_SHOWN = 5;

/** Starts a bulk action after a preview. */
export function BulkDialog({ target, count, onClose, onStarted }: BulkDialogProps) {
  const { data: choices } = useQuery(scopeChoicesQuery);
  const [draft, setDraft] = useState(NEW_BULK);
  const trial = useInputMutation(BulkActionStartDocument, bulkActionsQuery.queryKey);
  const start = useInputMutation(BulkActionStartDocument, bulkActionsQuery.queryKey);
  const tried = trial.data;
  const { byField, form } = errorsByField(start.error ?? trial.error, FIELDS);
  const set = (part: Partial<BulkDraft>) => {
    setDraft(changeBulk(draft, part));
    trial.reset();
  };
  const bind = bindFields(draft, set, byField);
  const input = bulkInputOf(draft, Date.now());
  const terms = { ...target, reason: draft.reason };
  const submit = () => {
    if (!input) return;
    if (tried) start.mutate({ ...input, ...terms }, { onSuccess: onStarted });
    else trial.mutate({ ...input, ...terms, dryRun: true });
  };
  const call = { ...(input ?? { kind: draft.kind }), ...terms };
  return (
    <CreateModal
      title={`Change ${plural(count, 'tenant')}`}
      submitLabel={tried ? `Apply to ${plural(count, 'tenant')}` : 'Preview'}
      onClose={onClose}
      onSubmit={submit}
      pending={trial.isPending || start.isPending}
      problem={form}
      copy={{ call: mutationCall(BulkActionStartDocument, call, 'bulkAction { id }') }}
    >
      <Select
        label="Action"
        data={BULK_KINDS.map((kind) => ({ value: kind, label: KINDS_TEXT[kind] }))}
        {...bind('kind')}
      />
      {draft.kind === 'TIER_CHANGE' && (
        <>
          <Select
            label="Tier"
            data={(choices?.tiers ?? []).flatMap(({ key, name, isPublished }) =>
              isPublished ? [{ value: key, label: name }] : [],
            )}
            {...bind('tierKey')}
          />
          <CarryOverChoice label="Existing usage" {...bind('carryOver')} />
        </>
      )}
      {(draft.kind === 'BOOST' || draft.kind === 'OVERRIDE') && (
        <BulkAdjustmentFields draft={draft} onChange={set} choices={choices} error={byField.adjustment} />
      )}
      <ReasonField required hint="Recorded in the audit trail of each tenant." {...bind('reason')} />
      {tried && (
        <Alert role="status" color={tried.refusals.length > 0 ? 'ochre' : 'gate'}>
          <Text size="sm">
            Preview for {String(tried.tried)} of {String(tried.tenants)} tenants:{' '}
            <ImpactText impact={tried.impact} />
          </Text>
          <Text size="sm">
            {tried.refusals.length === 0
              ? 'No tenant would fail.'
              : plural(tried.refusals.length, 'tenant would fail:', 'tenants would fail:')}
          </Text>
          {tried.refusals.slice(0, REFUSALS_SHOWN).map(({ tenantKey, message }) => (
            <Text key={tenantKey} size="sm" c="dimmed">
              {tenantKey}: {message}
            </Text>
          ))}
        </Alert>
      )}
    </CreateModal>
  );
}
