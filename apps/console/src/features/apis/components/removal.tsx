import { Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
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
  const t = useTranslations('apis');
  const { apiDelete, operationDelete, poolDelete } = useApiChanges();
  const input = { apiKey: api.key, expectedVersion: api.version };
  const named = { ...input, name: part?.name ?? '' };
  const name = part?.name ?? '';
  const { title, text, done, call, send } = {
    api: {
      title: t('deleteTitle', { api: api.name }),
      text: t('deleteText'),
      done: t('deleted', { api: api.name }),
      call: { mutation: 'apiDelete', inputType: 'ApiDeleteInput', input },
      send: (terms: { reason: string | null; dryRun: boolean }) => apiDelete({ ...input, ...terms }),
    },
    operation: {
      title: t('deleteOperation', { name }),
      text: t('deleteOperationText'),
      done: t('operationDeleted', { name }),
      call: { mutation: 'operationDelete', inputType: 'OperationDeleteInput', input: named },
      send: (terms: { reason: string | null; dryRun: boolean }) => operationDelete({ ...named, ...terms }),
    },
    pool: {
      title: t('deletePool', { name }),
      text: t('deletePoolText'),
      done: t('poolDeleted', { name }),
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
      applyLabel={t('delete')}
      danger
      onClose={onClose}
      onApplied={({ changeId }) => onDone(done, changeId)}
      {...(part && aside ? { aside: () => aside(call) } : {})}
    >
      <Text size="sm">{text}</Text>
    </ChangeReview>
  );
}
