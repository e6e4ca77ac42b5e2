import { TagsInput, TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { EVENT_KINDS } from '../event-kinds.js';

/** What people say of an endpoint. */
export interface EndpointDraft {
  url: string;
  description: string;
  events: string[];
}

/** Names of the fields, as the server's refusals name them. */
export const ENDPOINT_FIELDS = ['url', 'description', 'events'] as const satisfies Array<keyof EndpointDraft>;

interface EndpointFieldsProps {
  values: EndpointDraft;
  onChange: (part: Partial<EndpointDraft>) => void;
  errors: Record<string, string>;
}

/** Where events go, what for, and which. */
export function EndpointFields({ values, onChange, errors }: EndpointFieldsProps) {
  const t = useTranslations('webhooks');
  return (
    <>
      <TextInput
        label={t('url')}
        description={t('urlHint')}
        required
        data-autofocus
        type="url"
        value={values.url}
        onChange={({ currentTarget: { value } }) => onChange({ url: value })}
        error={errors.url}
      />
      <TextInput
        label={t('purpose')}
        value={values.description}
        onChange={({ currentTarget: { value } }) => onChange({ description: value })}
        error={errors.description}
      />
      <TagsInput
        label={t('events')}
        description={t('eventsHint')}
        data={[...EVENT_KINDS]}
        value={values.events}
        onChange={(events) => onChange({ events })}
        error={errors.events}
        clearable
      />
    </>
  );
}
