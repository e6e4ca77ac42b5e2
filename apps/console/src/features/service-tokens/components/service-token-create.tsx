import { Checkbox, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { CreateModal } from '../../../components/create-modal.js';
import { useMayGrant } from '../../../lib/grantable.js';
import { endOfLifetime } from '../../../lib/lifetime.js';
import { errorsByField } from '../../../lib/user-errors.js';
import { viewerQuery } from '../../../lib/viewer.js';
import { serviceTokenCreateCall, useServiceTokenCreate } from '../api/service-token-create.js';
import { TOKEN_SCOPES } from '../token-scopes.js';

const DAYS = ['30', '90', '365'] as const;

interface ServiceTokenCreateProps {
  onClose: () => void;
  onIssued: (token: string) => void;
}

/** Issues a token. */
export function ServiceTokenCreate({ onClose, onIssued }: ServiceTokenCreateProps) {
  const t = useTranslations('serviceTokens');
  const { data: viewer } = useQuery(viewerQuery);
  const mayGrant = useMayGrant('scopes');
  const [values, setValues] = useState({
    name: '',
    sets: [TOKEN_SCOPES[0].value] as string[],
    permissions: [] as string[],
    tenantKeys: [] as string[],
    days: '',
  });
  const create = useServiceTokenCreate();
  const { byField, form } = errorsByField(create.error, ['name', 'scopes', 'tenantKeys', 'expiresAt']);
  const { name, sets, permissions, tenantKeys, days } = values;
  const expiresAt = endOfLifetime(days);
  const input = { name, scopes: [...sets, ...permissions], tenantKeys, expiresAt };
  const lifetimes = DAYS.map((value) => ({
    value,
    label: value === '365' ? t('year') : t('days', { days: Number(value) }),
  }));
  return (
    <CreateModal
      title={t('createTitle')}
      opened
      onClose={onClose}
      onSubmit={() => create.mutate(input, { onSuccess: onIssued })}
      submitLabel={t('create')}
      pending={create.isPending}
      problem={form}
      copy={{ call: serviceTokenCreateCall(input) }}
    >
      <TextInput
        label={t('name')}
        description={t('nameHint')}
        required
        data-autofocus
        value={values.name}
        onChange={({ currentTarget: { value } }) => setValues({ ...values, name: value })}
        error={byField.name}
      />
      <Checkbox.Group
        label={t('may')}
        value={values.sets}
        onChange={(sets) => setValues({ ...values, sets })}
        error={byField.scopes}
      >
        <Stack gap={8} mt={4}>
          {TOKEN_SCOPES.map(({ value, label }) => (
            <Checkbox key={value} value={value} label={t(label)} disabled={!mayGrant(value)} />
          ))}
        </Stack>
      </Checkbox.Group>
      <TagsInput
        label={t('scopes')}
        description={t('scopesHint')}
        data={viewer?.permissions ?? []}
        value={values.permissions}
        onChange={(permissions) => setValues({ ...values, permissions })}
      />
      <TagsInput
        label={t('tenants')}
        description={t('tenantsHint')}
        value={values.tenantKeys}
        onChange={(tenantKeys) => setValues({ ...values, tenantKeys })}
        error={byField.tenantKeys}
      />
      <Select
        label={t('validFor')}
        data={[{ value: '', label: t('noEnd') }, ...lifetimes]}
        value={values.days}
        onChange={(days) => setValues({ ...values, days: days ?? '' })}
        allowDeselect={false}
        error={byField.expiresAt}
      />
    </CreateModal>
  );
}
