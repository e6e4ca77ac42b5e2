import { SegmentedControl, Select, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { CreateModal } from '../../../components/create-modal.js';
import type { ApiKeyMode } from '../../../generated/graphql.js';
import { endOfLifetime } from '../../../lib/lifetime.js';
import { errorsByField } from '../../../lib/user-errors.js';
import { apiKeyCreateCall, useApiKeyCreate } from '../api/api-keys.js';

interface ApiKeyCreateProps {
  tenantKey: string;
  onClose: () => void;
  /** With the key itself; it is up to the caller to show it, this once. */
  onIssued: (issued: { name: string; key: string }) => void;
}

const LIFETIMES = { '': 'noEnd', '30': 'days30', '90': 'days90', '365': 'year' } as const;

/** Issues a key. */
export function ApiKeyCreate({ tenantKey, onClose, onIssued }: ApiKeyCreateProps) {
  const t = useTranslations('apiKeys');
  const [values, setValues] = useState({
    name: '',
    mode: 'LIVE' as ApiKeyMode,
    scopes: [] as string[],
    days: '',
  });
  const create = useApiKeyCreate();
  const { byField, form } = errorsByField(create.error, ['name', 'mode', 'scopes', 'expiresAt']);
  const set = (part: Partial<typeof values>) => setValues({ ...values, ...part });
  const { name, mode, scopes, days } = values;
  const expiresAt = endOfLifetime(days);
  const input = { tenantKey, name, mode, scopes, expiresAt };
  const submit = () => create.mutate(input, { onSuccess: (key) => onIssued({ name, key }) });
  return (
    <CreateModal
      opened
      title={t('create')}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={t('create')}
      pending={create.isPending}
      problem={form}
      copy={{ call: apiKeyCreateCall(input) }}
    >
      <TextInput
        label={t('name')}
        description={t('nameHint')}
        required
        data-autofocus
        value={values.name}
        onChange={({ currentTarget: { value } }) => set({ name: value })}
        error={byField.name}
      />
      <SegmentedControl
        aria-label={t('mode')}
        data={(['LIVE', 'TEST'] as const).map((value) => ({ value, label: t(value) }))}
        value={values.mode}
        onChange={(value) => set({ mode: value as ApiKeyMode })}
      />
      <TagsInput
        label={t('scopes')}
        description={t('scopesHint')}
        value={values.scopes}
        onChange={(scopes) => set({ scopes })}
        error={byField.scopes}
      />
      <Select
        label={t('lifetime')}
        data={Object.entries(LIFETIMES).map(([value, label]) => ({ value, label: t(label) }))}
        value={values.days}
        onChange={(days) => set({ days: days ?? '' })}
        allowDeselect={false}
        error={byField.expiresAt}
      />
    </CreateModal>
  );
}
