import { TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { CreateModal } from '../../../components/create-modal.js';
import { errorsByField } from '../../../lib/user-errors.js';
import { endpointCreateCall, useEndpointCreate } from '../api/endpoints.js';
import { EVENT_KINDS } from '../event-kinds.js';

interface EndpointCreateProps {
  onClose: () => void;
  onCreated: (secret: string) => void;
}

/** Adds an endpoint of the operators. */
export function EndpointCreate({ onClose, onCreated }: EndpointCreateProps) {
  const t = useTranslations('webhooks');
  const [values, setValues] = useState({ url: '', description: '', events: [] as string[] });
  const create = useEndpointCreate();
  const { byField, form } = errorsByField(create.error, ['url', 'description', 'events']);
  return (
    <CreateModal
      title={t('createTitle')}
      opened
      onClose={onClose}
      onSubmit={() => create.mutate(values, { onSuccess: onCreated })}
      submitLabel={t('create')}
      pending={create.isPending}
      problem={form}
      copy={{ call: endpointCreateCall(values) }}
    >
      <TextInput
        label={t('url')}
        description={t('urlHint')}
        required
        data-autofocus
        type="url"
        value={values.url}
        onChange={({ currentTarget: { value } }) => setValues({ ...values, url: value })}
        error={byField.url}
      />
      <TextInput
        label={t('purpose')}
        value={values.description}
        onChange={({ currentTarget: { value } }) => setValues({ ...values, description: value })}
        error={byField.description}
      />
      <TagsInput
        label={t('events')}
        description={t('eventsHint')}
        data={[...EVENT_KINDS]}
        value={values.events}
        onChange={(events) => setValues({ ...values, events })}
        error={byField.events}
        clearable
      />
    </CreateModal>
  );
}
