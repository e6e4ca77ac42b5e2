import { TagsInput, TextInput } from '@mantine/core';
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
  return (
    <>
      <TextInput
        label="URL"
        description="A public https:// address."
        required
        data-autofocus
        type="url"
        value={values.url}
        onChange={({ currentTarget: { value } }) => onChange({ url: value })}
        error={errors.url}
      />
      <TextInput
        label="Description"
        value={values.description}
        onChange={({ currentTarget: { value } }) => onChange({ description: value })}
        error={errors.description}
      />
      <TagsInput
        label="Events"
        description="Event types such as purchase.paid. Leave empty for all."
        data={[...EVENT_KINDS]}
        value={values.events}
        onChange={(events) => onChange({ events })}
        error={errors.events}
        clearable
      />
    </>
  );
}
