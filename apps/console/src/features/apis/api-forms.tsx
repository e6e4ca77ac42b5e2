import { MultiSelect, Select, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { ChangeReview } from '../../components/change-review.js';
import type { HeaderStyle, UnknownOperations } from '../../generated/graphql.js';
import { useEditForm } from '../../lib/form.js';
import type { MutationCall } from '../../lib/mutation-text.js';
import { type ApiDetail, useApiChanges } from './api.js';

/** Common properties of the API forms. */
export interface ApiFormProps {
  onClose: () => void;
  /** Called with a title and the change to follow, if nodes are affected. */
  onDone: (title: string, changeId: string | null | undefined) => void;
  /** Beside Apply: another way on with the same mutation. */
  aside?: (call: MutationCall) => ReactNode;
}

interface RemovalProps extends ApiFormProps {
  api: ApiDetail;
  /** Left out: the API itself. */
  part?: { kind: 'operation' | 'pool'; name: string };
}

/** Confirms and deletes an API, an operation or a pool. The server rejects those still in use. */
export function Removal({ api, part, onClose, onDone, aside }: RemovalProps) {
  const { apiDelete, operationDelete, poolDelete } = useApiChanges();
  const input = { apiKey: api.key, expectedVersion: api.version };
  const named = { ...input, name: part?.name ?? '' };
  const name = part?.name ?? '';
  const { title, text, done, call, send } = {
    api: {
      title: `Delete ${api.name}`,
      text: 'Deletes its operations and pools. Services that call it get “unknown API”.',
      done: `${api.name} deleted`,
      call: { mutation: 'apiDelete', inputType: 'ApiDeleteInput', input },
      send: (terms: { reason: string | null; dryRun: boolean }) => apiDelete({ ...input, ...terms }),
    },
    operation: {
      title: `Delete operation ${name}`,
      text: 'Requests for it are then handled as an unregistered operation.',
      done: `Operation ${name} deleted`,
      call: { mutation: 'operationDelete', inputType: 'OperationDeleteInput', input: named },
      send: (terms: { reason: string | null; dryRun: boolean }) => operationDelete({ ...named, ...terms }),
    },
    pool: {
      title: `Delete pool ${name}`,
      text: 'Its operations no longer share a capacity limit.',
      done: `Pool ${name} deleted`,
      call: { mutation: 'poolDelete', inputType: 'PoolDeleteInput', input: named },
      send: (terms: { reason: string | null; dryRun: boolean }) => poolDelete({ ...named, ...terms }),
    },
  }[part?.kind ?? 'api'];
  return (
    <ChangeReview
      title={title}
      permission="apis:write"
      call={call}
      send={send}
      applyLabel="Delete"
      danger
      onClose={onClose}
      onApplied={({ changeId }) => onDone(done, changeId)}
      {...(part && aside ? { aside: () => aside(call) } : {})}
    >
      <Text size="sm">{text}</Text>
    </ChangeReview>
  );
}

const HEADER_STYLES = [
  { value: 'DRAFT_11', label: 'RateLimit-Policy, RateLimit' },
  { value: 'DRAFT_3', label: 'RateLimit-Limit, -Remaining, -Reset' },
  { value: 'X_RATELIMIT', label: 'X-RateLimit-Limit, -Remaining, -Reset' },
];

/** Edits an API's name, tags and handling of unregistered operations. */
export function ApiEdit({ api, onClose, onDone }: ApiFormProps & { api: ApiDetail }) {
  const { apiUpdate } = useApiChanges();
  const { name, description, tags, unknownOperations, headerStyles } = api;
  const { values, set, changed, unchanged, byField, review } = useEditForm({
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
      {...review}
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
