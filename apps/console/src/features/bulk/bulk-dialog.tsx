import { Alert, Group, Select, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ImpactText } from '../../components/change-review.js';
import { CreateModal } from '../../components/create-modal.js';
import { CarryOverChoice, ReasonField } from '../../components/fields.js';
import type { BulkActionStartInput, CarryOver, EffectKind } from '../../generated/graphql.js';
import { effectOf } from '../../lib/effect-text.js';
import { errorsByField } from '../../lib/graphql-request.js';
import { AMOUNT_HINT_TEXT, EFFECT_KIND_TEXT } from '../../lib/labels.js';
import { plural } from '../../lib/number-format.js';
import { parseDuration } from '../../lib/rate.js';
import { type ScopeChoices, scopeChoicesQuery } from '../../lib/scope-choices.js';
import { useBulkActionStart } from './api.js';
import {
  BULK_KINDS,
  type BulkDraft,
  type BulkKind,
  bulkEffectKinds,
  bulkInputOf,
  changeBulk,
  NEW_BULK,
} from './bulk-draft.js';

const BAD_AMOUNT_TEXT = {
  ADD: 'Enter a whole number such as 500 or 10k',
  MULTIPLY: 'Enter a factor such as 2x or a percentage such as 150 %',
  SET: 'Enter a whole number such as 500 or 10k',
} as const;

interface BulkAdjustmentFieldsProps {
  draft: BulkDraft;
  onChange: (part: Partial<BulkDraft>) => void;
  choices: ScopeChoices | undefined;
  error: string | undefined;
}

/** Limit target, effect and duration of a bulk action. */
export function BulkAdjustmentFields({ draft, onChange, choices, error }: BulkAdjustmentFieldsProps) {
  const { apiKey, limit, effect, lasts } = draft;
  const apis = choices?.apis.map(({ key, name }) => ({ value: key, label: name })) ?? [];
  const limits = choices?.limitsByApi.get(apiKey ?? '') ?? [];
  return (
    <>
      <Group grow align="start">
        <Select
          label="API"
          data={[{ value: '', label: 'Every API' }, ...apis]}
          value={apiKey ?? ''}
          onChange={(key) => onChange({ apiKey: key || null, limit: null })}
          allowDeselect={false}
        />
        <Select
          label="Limit"
          data={[
            { value: '', label: 'Every limit' },
            ...limits.map((name) => ({ value: name, label: name })),
          ]}
          value={limit ?? ''}
          onChange={(name) => onChange({ limit: name || null })}
          disabled={apiKey === null}
          allowDeselect={false}
        />
      </Group>
      <Group grow align="start">
        <Select
          label="Effect"
          description={'\u00a0'}
          data={bulkEffectKinds(draft).map((kind) => ({ value: kind, label: EFFECT_KIND_TEXT[kind] }))}
          value={effect.kind}
          onChange={(kind) => kind && onChange({ effect: { kind: kind as EffectKind, amount: '' } })}
          allowDeselect={false}
        />
        <TextInput
          label="Amount"
          description={AMOUNT_HINT_TEXT[effect.kind]}
          value={effect.amount}
          onChange={({ currentTarget: { value } }) => onChange({ effect: { ...effect, amount: value } })}
          error={
            error ?? (effect.amount !== '' && !effectOf(effect) ? BAD_AMOUNT_TEXT[effect.kind] : undefined)
          }
        />
      </Group>
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

/** Tenants by key or by filter. */
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
