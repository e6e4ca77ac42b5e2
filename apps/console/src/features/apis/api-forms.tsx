import { MultiSelect, Select, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { ChangeReview } from '../../components/change-review.js';
import { useEditForm } from '../../lib/form.js';
import { useReviewedMutation } from '../../lib/mutation.js';
import type { MutationCall } from '../../lib/mutation-text.js';
import {
  API_KEYS,
  ApiDeleteDocument,
  type ApiDetail,
  ApiUpdateDocument,
  OperationDeleteDocument,
  PoolDeleteDocument,
} from './api.js';

export interface ApiFormProps {
  onClose: () => void;
  /** Called with a title and the change to follow, if nodes are affected. */
  onDone: (title: string, changeId: string | null | undefined) => void;
  /** Further button for the same mutation, which calls `onAdded` afterwards. */
  aside?: (call: MutationCall, onAdded: () => void) => ReactNode;
}

interface RemovalProps extends ApiFormProps {
  api: ApiDetail;
  /** Left out to delete the API. */
  part?: { kind: 'operation' | 'pool'; name: string };
}

/** Confirms and deletes an API, an operation or a pool. The server rejects those still in use. */
export function Removal({ api, part, onClose, onDone, aside }: RemovalProps) {
  const name = part?.name ?? '';
  const { document, title, text, done } = {
    api: {
      document: ApiDeleteDocument,
      title: `Delete ${api.name}`,
      text: 'Deletes its operations and pools. Services that call it get “unknown API”.',
      done: `${api.name} deleted`,
    },
    operation: {
      document: OperationDeleteDocument,
      title: `Delete operation ${name}`,
      text: 'Requests for it are then handled as an unregistered operation.',
      done: `Operation ${name} deleted`,
    },
    pool: {
      document: PoolDeleteDocument,
      title: `Delete pool ${name}`,
      text: 'Its operations no longer share a capacity limit.',
      done: `Pool ${name} deleted`,
    },
  }[part?.kind ?? 'api'];
  const input = { apiKey: api.key, expectedVersion: api.version, ...(part && { name }) };
  const removal = useReviewedMutation(document, input, ...API_KEYS);
  return (
    <ChangeReview
      title={title}
      permission="apis:write"
      {...removal}
      applyLabel="Delete"
      danger
      onClose={onClose}
      onApplied={({ changeId }) => onDone(done, changeId)}
      {...(part && aside ? { aside: () => aside(removal.call, onClose) } : {})}
    >
      <Text size="sm">{text}</Text>
    </ChangeReview>
  );
}

/** How requests for unregistered operations are decided, for a picker. */
export const UNKNOWN_CHOICES = [
  { value: 'COUNT', label: 'Count against API-wide limits' },
  { value: 'ALLOW', label: 'Allow without limits' },
  { value: 'REFUSE', label: 'Deny' },
];

const HEADER_STYLES = [
  { value: 'DRAFT_11', label: 'RateLimit-Policy, RateLimit' },
  { value: 'DRAFT_3', label: 'RateLimit-Limit, -Remaining, -Reset' },
  { value: 'X_RATELIMIT', label: 'X-RateLimit-Limit, -Remaining, -Reset' },
];

export function ApiEdit({ api, onClose, onDone }: ApiFormProps & { api: ApiDetail }) {
  const { name, description, tags, unknownOperations, headerStyles } = api;
  const original = { name, description, tags, unknownOperations, headerStyles };
  const { values, bind, changed, unchanged, review } = useEditForm(original);
  const input = { apiKey: api.key, expectedVersion: api.version, ...changed };
  const update = useReviewedMutation(ApiUpdateDocument, input, ...API_KEYS);
  return (
    <ChangeReview
      title={`Edit ${api.name}`}
      permission="apis:write"
      {...update}
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
      {...review}
      onClose={onClose}
      onApplied={({ changeId }) => onDone(`${values.name} updated`, changeId)}
    >
      <TextInput label="Name" {...bind('name')} />
      <Textarea label="Description" {...bind('description')} />
      <Select label="Unregistered operations" data={UNKNOWN_CHOICES} {...bind('unknownOperations')} />
      <MultiSelect
        label="Rate limit headers"
        description="Headers that tell callers about their limits. None: only Retry-After."
        data={HEADER_STYLES}
        {...bind('headerStyles')}
      />
      <TagsInput label="Tags" {...bind('tags')} />
    </ChangeReview>
  );
}
