import { Text } from '@mantine/core';
import { ChangeReview } from '../../../components/change-review.js';
import type { ApiDetail } from '../api/api.js';
import { useApiChanges } from '../api/api-change.js';
import type { ApiFormProps } from './review-props.js';

interface RemovalProps extends ApiFormProps {
  api: ApiDetail;
  /** Left out: the API itself. */
  part?: { kind: 'operation' | 'pool'; name: string };
}

/** Deletes an API, or an operation or pool of it, after asking; what is in use is refused with where. */
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
