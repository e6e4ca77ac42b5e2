import { Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ChangeReview, ImpactText } from '../../components/change-review.js';
import { EffectFields, TargetFields } from '../../components/effect-fields.js';
import { CarryOverChoice } from '../../components/fields.js';
import { NumberText } from '../../components/typed-field.js';
import type { BulkActionStartInput } from '../../generated/graphql.js';
import { bindFields } from '../../lib/form.js';
import { errorsByField, type UserErrorInfo, UserErrorsError } from '../../lib/graphql-request.js';
import { useReviewedMutation } from '../../lib/mutation.js';
import { formatNumber, plural } from '../../lib/number-format.js';
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

function BulkAdjustmentFields({ draft, onChange, choices, error }: BulkAdjustmentFieldsProps) {
  const { apiKey, effect, lasts } = draft;
  const duration = parseDuration(lasts);
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
      <NumberText
        label="Duration"
        description="such as 30m, 2 h or 7d"
        value={lasts}
        onChange={(next) => onChange({ lasts: next })}
        parsed={duration}
        error={duration.ok ? undefined : 'Enter a duration such as 30m, 2 h or 7d'}
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

const FIELDS = ['kind', 'tierKey', 'adjustment'];

/** Starts a bulk action, in a review of its effect on the first tenants. */
export function BulkDialog({ target, count, onClose, onStarted }: BulkDialogProps) {
  const { data: choices } = useQuery(scopeChoicesQuery);
  const [draft, setDraft] = useState(NEW_BULK);
  const [refused, setRefused] = useState<readonly UserErrorInfo[]>([]);
  const { byField } = errorsByField(new UserErrorsError(refused), FIELDS);
  const set = (part: Partial<BulkDraft>) => setDraft(changeBulk(draft, part));
  const bind = bindFields(draft, set, byField);
  // The end that is tried is the one that is applied.
  const input = useMemo(() => bulkInputOf(draft, Date.now()), [draft]);
  const start = useReviewedMutation(
    BulkActionStartDocument,
    { ...(input ?? { kind: draft.kind }), ...target },
    bulkActionsQuery.queryKey,
  );
  return (
    <ChangeReview
      title={`Change ${plural(count, 'tenant')}`}
      permission="bulk-actions:write"
      call={{ ...start.call, selection: 'bulkAction { id }' }}
      send={async (terms) => {
        const outcome = await start.send(terms);
        return {
          ...outcome,
          impact: null,
          summary: outcome.impact,
          warnings: outcome.refusals.map(toWarning),
        };
      }}
      applyLabel={`Apply to ${plural(count, 'tenant')}`}
      reasonRequired
      incomplete={input === undefined}
      fields={FIELDS}
      effect={({ tried, tenants, summary, refusals }) => (
        <Text size="sm">
          Preview for {formatNumber(tried)} of {plural(tenants, 'tenant')}: <ImpactText impact={summary} />{' '}
          {refusals.length === 0
            ? 'No tenant would fail.'
            : `${plural(refusals.length, 'tenant')} would fail.`}
        </Text>
      )}
      onRefused={setRefused}
      onTried={setRefused}
      onClose={onClose}
      onApplied={onStarted}
    >
      <Select
        label="Action"
        data={BULK_KINDS.map((kind) => ({ value: kind, label: KINDS_TEXT[kind] }))}
        data-autofocus
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
    </ChangeReview>
  );
}

/** Failures of one kind are one warning. */
const toWarning = ({ tenantKey, message }: { tenantKey: string; message: string }) => ({
  code: message,
  message: `${tenantKey}: ${message}`,
  advice: '',
});
