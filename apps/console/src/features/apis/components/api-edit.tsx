import { MultiSelect, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import { ChangeReview } from '../../../components/change-review.js';
import type { HeaderStyle, UnknownOperations } from '../../../generated/graphql.js';
import { useEditForm } from '../../../lib/use-form.js';
import type { ApiDetail } from '../api/api.js';
import { useApiChanges } from '../api/api-change.js';
import type { ApiFormProps } from './review-props.js';

const HEADER_STYLES = [
  { value: 'DRAFT_11', label: 'RateLimit-Policy, RateLimit' },
  { value: 'DRAFT_3', label: 'RateLimit-Limit, -Remaining, -Reset' },
  { value: 'X_RATELIMIT', label: 'X-RateLimit-Limit, -Remaining, -Reset' },
];

/** An API's names and tags, and what happens to operations that nobody registered. */
export function ApiEdit({ api, onClose, onDone }: ApiFormProps & { api: ApiDetail }) {
  const { apiUpdate } = useApiChanges();
  const { name, description, tags, unknownOperations, headerStyles } = api;
  const { values, set, changed, unchanged, byField, told } = useEditForm({
    name,
    description,
    tags,
    unknownOperations,
    headerStyles,
  });
  const input = { apiKey: api.key, expectedVersion: api.version, ...changed };
  return (
    <ChangeReview
      title={`Edit ${api.name}`}
      permission="apis:write"
      call={{ mutation: 'apiUpdate', inputType: 'ApiUpdateInput', input }}
      config={{
        apis: {
          [api.key]: {
            name: values.name,
            description: values.description,
            unknownOperations: values.unknownOperations.toLowerCase(),
          },
        },
      }}
      incomplete={unchanged}
      send={({ reason, dryRun }) => apiUpdate({ ...input, reason, dryRun })}
      {...told}
      onClose={onClose}
      onApplied={({ changeId }) => onDone(`${values.name} updated`, changeId)}
    >
      <TextInput
        label="Name"
        value={values.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        error={byField.name}
      />
      <Textarea
        label="Description"
        value={values.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
        error={byField.description}
        autosize
        minRows={2}
      />
      <Select
        label="Unregistered operations"
        data={[
          { value: 'COUNT', label: 'Count against API-wide limits' },
          { value: 'ALLOW', label: 'Allow without limits' },
          { value: 'REFUSE', label: 'Deny' },
        ]}
        value={values.unknownOperations}
        onChange={(choice) => choice && set({ unknownOperations: choice as UnknownOperations })}
        allowDeselect={false}
        error={byField.unknownOperations}
      />
      <MultiSelect
        label="Rate limit headers"
        description="Headers that tell callers about their limits. None: only Retry-After."
        data={HEADER_STYLES}
        value={values.headerStyles}
        onChange={(styles) => set({ headerStyles: styles as HeaderStyle[] })}
        error={byField.headerStyles}
      />
      <TagsInput
        label="Tags"
        value={values.tags}
        onChange={(value) => set({ tags: value })}
        error={byField.tags}
      />
    </ChangeReview>
  );
}
