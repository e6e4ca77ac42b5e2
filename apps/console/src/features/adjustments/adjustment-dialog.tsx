import { Group, Select, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconArrowRight } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CreateModal } from '../../components/create-modal.js';
import { ReasonField } from '../../components/fields.js';
import type { EffectKind } from '../../generated/graphql.js';
import { effectOf } from '../../lib/effect-text.js';
import { errorsByField } from '../../lib/graphql-request.js';
import { AMOUNT_HINT_TEXT, EFFECT_KIND_TEXT } from '../../lib/labels.js';
import { formatNumber } from '../../lib/number-format.js';
import { formatInZone } from '../../lib/time-format.js';
import {
  type AdjustmentDraft,
  type AdjustmentMaking,
  endOf,
  kindsFor,
  newDraft,
} from './adjustment-draft.js';
import classes from './adjustments.module.css';
import { type AdjustedTenant, adjustmentCall, adjustmentPreviewQuery, useAdjustmentMake } from './api.js';

const SOURCE_TEXT = {
  TOPUP: 'Top-up (one-time, expires)',
  UPGRADE: 'Upgrade (until revoked or expired)',
} as const;

interface FieldsProps {
  draft: AdjustmentDraft;
  onChange: (part: Partial<AdjustmentDraft>) => void;
  /** Server errors by field. */
  errors: Record<string, string>;
}

const EVERY = '';

/** Name and kind of an entitlement. */
export function GrantFields({ draft, onChange, errors }: FieldsProps) {
  return (
    <Group grow align="start">
      <TextInput
        label="Name"
        description="Shown to the tenant as the source of the limit."
        value={draft.label}
        onChange={({ currentTarget: { value } }) => onChange({ label: value })}
        error={errors.label}
      />
      <Select
        label="Kind"
        description={'\u00a0'}
        data={(['TOPUP', 'UPGRADE'] as const).map((value) => ({ value, label: SOURCE_TEXT[value] }))}
        value={draft.source}
        onChange={(source) => source && onChange({ source: source as AdjustmentDraft['source'] })}
        allowDeselect={false}
      />
    </Group>
  );
}

/** Which limits: one, those of an API, or all. */
export function TargetFields({
  draft,
  onChange,
  errors,
  limits,
}: FieldsProps & { limits: readonly LimitNow[] }) {
  const apis = [...new Set(limits.map(({ apiKey }) => apiKey))].sort();
  const ofApi = limits.filter(({ apiKey }) => apiKey === draft.apiKey);
  return (
    <Group grow align="start">
      <Select
        label="API"
        data={[{ value: EVERY, label: 'Every API' }, ...apis.map((key) => ({ value: key, label: key }))]}
        value={draft.apiKey ?? EVERY}
        onChange={(key) => onChange({ apiKey: key || null, limit: null })}
        allowDeselect={false}
        error={errors.apiKey}
      />
      <Select
        label="Limit"
        data={[
          { value: EVERY, label: 'Every limit' },
          ...ofApi.map(({ limitName }) => ({ value: limitName, label: limitName })),
        ]}
        value={draft.limit ?? EVERY}
        onChange={(limit) => onChange({ limit: limit || null })}
        disabled={draft.apiKey === null}
        allowDeselect={false}
        error={errors.limit}
      />
    </Group>
  );
}

interface EffectFieldsProps extends FieldsProps {
  making: AdjustmentMaking;
  /** The amount is no number that it could be. */
  unreadable: boolean;
}

export function EffectFields({ making, draft, onChange, errors, unreadable }: EffectFieldsProps) {
  return (
    <Group grow align="start">
      <Select
        label="Effect"
        description={'\u00a0'}
        data={kindsFor(making, draft).map((kind) => ({ value: kind, label: EFFECT_KIND_TEXT[kind] }))}
        value={draft.kind}
        onChange={(kind) => kind && onChange({ kind: kind as EffectKind, amount: '' })}
        allowDeselect={false}
      />
      <TextInput
        label="Amount"
        description={AMOUNT_HINT_TEXT[draft.kind]}
        value={draft.amount}
        data-autofocus
        onChange={({ currentTarget: { value } }) => onChange({ amount: value })}
        error={
          errors.effect ??
          errors.effects ??
          (unreadable
            ? draft.kind === 'MULTIPLY'
              ? 'Enter a factor such as 2x or a percentage such as 150 %'
              : 'Enter a whole number such as 500 or 10k'
            : undefined)
        }
      />
    </Group>
  );
}

/** A limit as it is. */
export interface LimitNow {
  apiKey: string;
  limitName: string;
  limit: number;
}

interface AdjustmentPreviewProps {
  making: AdjustmentMaking;
  tenant: AdjustedTenant;
  draft: AdjustmentDraft;
  limits: readonly LimitNow[];
}

/** Previews the limits by a dry run. */
export function AdjustmentPreview({ making, tenant, draft, limits }: AdjustmentPreviewProps) {
  const end = endOf(draft, Date.now());
  const isReadable =
    effectOf(draft) !== undefined && end !== undefined && (making !== 'boost' || end !== null);
  const { data } = useQuery({
    ...adjustmentPreviewQuery({ making, tenant, draft: { ...draft, reason: '', label: '' } }, isReadable),
    placeholderData: keepPreviousData,
  });
  const errors = data?.userErrors ?? [];
  const changed = (data?.preview ?? []).flatMap(({ apiKey, limitName, limit }) => {
    const now = limits.find((one) => one.apiKey === apiKey && one.limitName === limitName);
    return now === undefined || now.limit === limit ? [] : [{ ...now, to: limit }];
  });
  return (
    <div className={classes.preview} aria-live="polite">
      <Text size="xs" c="dimmed" fw={500}>
        Preview
      </Text>
      {!isReadable && <Text size="sm">Fill in the fields to preview the limits.</Text>}
      {isReadable && errors.length > 0 && (
        <Text size="sm" c="var(--mantine-color-error)">
          {errors.map(({ message }) => message).join(' ')}
        </Text>
      )}
      {isReadable && data && errors.length === 0 && changed.length === 0 && (
        <Text size="sm">No limits change.</Text>
      )}
      {isReadable && changed.length > 0 && (
        <ul className={classes.previewList}>
          {changed.map(({ apiKey, limitName, limit, to }) => (
            <li key={`${apiKey}/${limitName}`}>
              <span>
                {limitName} <span className={classes.soft}>{apiKey}</span>
              </span>
              <span className="tg-number">
                {formatNumber(limit)} <IconArrowRight size={13} aria-hidden />{' '}
                <strong>{formatNumber(to)}</strong>
              </span>
            </li>
          ))}
        </ul>
      )}
      {isReadable &&
        data?.warnings.map((warning) => (
          <Text key={warning} size="sm" c="var(--mantine-color-ochre-7)">
            {warning}
          </Text>
        ))}
    </div>
  );
}

const SUBMIT_LABEL = { override: 'Set override', boost: 'Start boost', grant: 'Grant' };

/** The tenant and its current limits. */
export interface AdjustmentTenant extends AdjustedTenant {
  name: string;
  timeZone: string;
  limits: readonly LimitNow[];
}

interface AdjustmentDialogProps {
  making: AdjustmentMaking;
  tenant: AdjustmentTenant;
  /** The limit that it was opened from. */
  target?: { apiKey: string; limit: string };
  onClose: () => void;
  onMade: (changeId: string | undefined, title: string) => void;
}

const FIELDS = ['apiKey', 'limit', 'effect', 'expiresAt', 'endsAt', 'reason', 'label', 'effects'];

/** Creates an override, a boost or an entitlement, with a preview of the limits. */
export function AdjustmentDialog({ making, tenant, target, onClose, onMade }: AdjustmentDialogProps) {
  const [draft, setDraft] = useState(() => newDraft(making, target));
  const [debounced] = useDebouncedValue(draft, 300);
  const [tried, setTried] = useState(false);
  const make = useAdjustmentMake();
  const { byField, form } = errorsByField(make.error, FIELDS);
  const set = (part: Partial<AdjustmentDraft>) =>
    setDraft((now) => {
      const next = { ...now, ...part };
      return kindsFor(making, next).includes(next.kind) ? next : { ...next, kind: 'MULTIPLY', amount: '' };
    });
  const effect = effectOf(draft);
  const end = endOf(draft, Date.now());
  const isEndMissing = making === 'boost' && end === null;
  const submit = () => {
    setTried(true);
    if (!effect || end === undefined || isEndMissing) return;
    const title = (
      {
        boost: `${tenant.name} boosted`,
        grant: `${draft.label} granted to ${tenant.name}`,
        override: `Override set for ${tenant.name}`,
      } as const
    )[making];
    make.mutate({ making, tenant, draft }, { onSuccess: (changeId) => onMade(changeId, title) });
  };
  return (
    <CreateModal
      title={
        {
          boost: `Boost limits of ${tenant.name}`,
          grant: `Grant ${tenant.name} an entitlement`,
          override: `Override limits of ${tenant.name}`,
        }[making]
      }
      opened
      onClose={onClose}
      onSubmit={submit}
      submitLabel={SUBMIT_LABEL[making]}
      pending={make.isPending}
      problem={form}
      copy={{ call: adjustmentCall({ making, tenant, draft }) }}
    >
      {making === 'grant' && <GrantFields draft={draft} onChange={set} errors={byField} />}
      <TargetFields draft={draft} onChange={set} errors={byField} limits={tenant.limits} />
      <EffectFields
        making={making}
        draft={draft}
        onChange={set}
        errors={byField}
        unreadable={(tried || draft.amount !== '') && !effect}
      />
      <TextInput
        label="Duration"
        description={
          making === 'boost' ? 'such as 30m, 2 h or 3d' : 'such as 30m, 2 h or 7d. Leave empty for no end.'
        }
        value={draft.lasts}
        onChange={({ currentTarget: { value } }) => set({ lasts: value })}
        rightSectionWidth={230}
        rightSection={<LastsUntil end={end} timeZone={tenant.timeZone} />}
        error={
          byField.endsAt ??
          byField.expiresAt ??
          (end === undefined || isEndMissing ? 'Enter a duration such as 30m, 2 h or 7d' : undefined)
        }
      />
      <ReasonField
        required
        hint="Explain why, for the audit log."
        value={draft.reason}
        onChange={(reason) => set({ reason })}
        error={byField.reason}
      />
      <AdjustmentPreview making={making} tenant={tenant} draft={debounced} limits={tenant.limits} />
    </CreateModal>
  );
}

function LastsUntil({ end, timeZone }: { end: Date | null | undefined; timeZone: string }) {
  if (end === undefined) return null;
  return (
    <span className={classes.until}>
      {end === null ? 'no end date' : `until ${formatInZone(end.toISOString(), timeZone)}`}
    </span>
  );
}
