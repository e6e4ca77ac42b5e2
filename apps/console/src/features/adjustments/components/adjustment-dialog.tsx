import { Group, Select, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { CreateModal } from '../../../components/create-modal.js';
import type { EffectKind } from '../../../generated/graphql.js';
import { effectOf } from '../../../lib/effect-input.js';
import { formatInZone } from '../../../lib/time-format.js';
import { errorsByField } from '../../../lib/user-errors.js';
import {
  type AdjustmentDraft,
  type AdjustmentMaking,
  endOf,
  kindsFor,
  newDraft,
} from '../adjustment-draft.js';
import { type AdjustedTenant, adjustmentCall, useAdjustmentMake } from '../api/adjustment-make.js';
import { AdjustmentPreview, type LimitNow } from './adjustment-preview.js';
import classes from './adjustments.module.css';

/** Whose limits are changed, and what they are now. */
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
const EVERY = '';

/** An override, a boost or a grant: what it does to which limits, for how long and why, with what comes of it beside. */
export function AdjustmentDialog({ making, tenant, target, onClose, onMade }: AdjustmentDialogProps) {
  const t = useTranslations('adjustments');
  const [draft, setDraft] = useState(() => newDraft(making, target));
  const [settled] = useDebouncedValue(draft, 300);
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
  const Name = making === 'override' ? 'Override' : making === 'boost' ? 'Boost' : 'Grant';
  const done = { override: 'set', boost: 'boosted', grant: 'granted' } as const;
  const submit = () => {
    setTried(true);
    if (!effect || end === undefined || isEndMissing) return;
    const title = t(done[making], { tenant: tenant.name, label: draft.label });
    make.mutate({ making, tenant, draft }, { onSuccess: (changeId) => onMade(changeId, title) });
  };
  const apis = [...new Set(tenant.limits.map(({ apiKey }) => apiKey))].sort();
  const limits = tenant.limits.filter(({ apiKey }) => apiKey === draft.apiKey);
  return (
    <CreateModal
      title={t(`title${Name}`, { tenant: tenant.name })}
      opened
      onClose={onClose}
      onSubmit={submit}
      submitLabel={t(`submit${Name}`)}
      pending={make.isPending}
      problem={form}
      copy={{ call: adjustmentCall({ making, tenant, draft }) }}
    >
      {making === 'grant' && (
        <Group grow align="start">
          <TextInput
            label={t('label')}
            description={t('labelHint')}
            value={draft.label}
            onChange={({ currentTarget: { value } }) => set({ label: value })}
            error={byField.label}
          />
          <Select
            label={t('source')}
            description={'\u00a0'}
            data={(['TOPUP', 'UPGRADE'] as const).map((value) => ({ value, label: t(`source${value}`) }))}
            value={draft.source}
            onChange={(source) => source && set({ source: source as AdjustmentDraft['source'] })}
            allowDeselect={false}
          />
        </Group>
      )}
      <Group grow align="start">
        <Select
          label={t('api')}
          data={[{ value: EVERY, label: t('everyApi') }, ...apis.map((key) => ({ value: key, label: key }))]}
          value={draft.apiKey ?? EVERY}
          onChange={(key) => set({ apiKey: key || null, limit: null })}
          allowDeselect={false}
          error={byField.apiKey}
        />
        <Select
          label={t('limit')}
          data={[
            { value: EVERY, label: t('everyLimit') },
            ...limits.map(({ limitName }) => ({ value: limitName, label: limitName })),
          ]}
          value={draft.limit ?? EVERY}
          onChange={(limit) => set({ limit: limit || null })}
          disabled={draft.apiKey === null}
          allowDeselect={false}
          error={byField.limit}
        />
      </Group>
      <Group grow align="start">
        <Select
          label={t('effect')}
          description={'\u00a0'}
          data={kindsFor(making, draft).map((kind) => ({ value: kind, label: t(kind) }))}
          value={draft.kind}
          onChange={(kind) => kind && set({ kind: kind as EffectKind, amount: '' })}
          allowDeselect={false}
        />
        <TextInput
          label={t('amount')}
          description={t(`amountHint.${draft.kind}`)}
          value={draft.amount}
          data-autofocus
          onChange={({ currentTarget: { value } }) => set({ amount: value })}
          error={
            byField.effect ??
            byField.effects ??
            ((tried || draft.amount !== '') && !effect
              ? t(draft.kind === 'MULTIPLY' ? 'badFactor' : 'badNumber')
              : undefined)
          }
        />
      </Group>
      <TextInput
        label={t('lasts')}
        description={t(making === 'boost' ? 'lastsHintBoost' : 'lastsHint')}
        value={draft.lasts}
        onChange={({ currentTarget: { value } }) => set({ lasts: value })}
        rightSectionWidth={230}
        rightSection={<LastsUntil end={end} timeZone={tenant.timeZone} />}
        error={
          byField.endsAt ??
          byField.expiresAt ??
          (end === undefined || isEndMissing ? t('badDuration') : undefined)
        }
      />
      <Textarea
        label={t('reason')}
        description={t('reasonHint')}
        required
        autosize
        minRows={2}
        maxLength={500}
        value={draft.reason}
        onChange={({ currentTarget: { value } }) => set({ reason: value })}
        error={byField.reason}
      />
      <AdjustmentPreview making={making} tenant={tenant} draft={settled} limits={tenant.limits} />
    </CreateModal>
  );
}

function LastsUntil({ end, timeZone }: { end: Date | null | undefined; timeZone: string }) {
  const t = useTranslations('adjustments');
  if (end === undefined) return null;
  return (
    <span className={classes.until}>
      {end === null ? t('noEnd') : t('until', { when: formatInZone(end.toISOString(), timeZone) })}
    </span>
  );
}
