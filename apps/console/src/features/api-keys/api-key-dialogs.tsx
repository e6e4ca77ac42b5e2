import { Pill, SegmentedControl, Select, TagsInput, Text, TextInput } from '@mantine/core';
import { wordsOfName } from '@tollgate/contracts/limit-title';
import { useState } from 'react';
import { CreateModal } from '../../components/create-modal.js';
import type { ApiKeyMode } from '../../generated/graphql.js';
import { endOfLifetime, LIFETIMES, OVERLAP_HOURS, useFields } from '../../lib/form.js';
import { notifyDone } from '../../lib/graphql-request.js';
import { useMutationDialog } from '../../lib/mutation.js';
import {
  ApiKeyCreateDocument,
  ApiKeyRevokeDocument,
  ApiKeyRotateDocument,
  type ApiKeyRow,
  apiKeysKey,
} from './api.js';

export interface ApiKeyCreateProps {
  tenantKey: string;
  onClose: () => void;
  /** Shows the key, which no later request returns. */
  onIssued: (issued: { name: string; key: string }) => void;
  /** Operations that the tenant calls, as suggestions. */
  calls?: ReadonlyArray<{ api: string; operation: string | null }> | undefined;
}

/** `url-shortener/createURL` as `URL shortener · Create URL`. */
export const scopeInWords = (scope: string): string => scope.split('/').map(wordsOfName).join(' · ');

export function ApiKeyCreate({ tenantKey, onClose, onIssued, calls = [] }: ApiKeyCreateProps) {
  const fields = ['name', 'mode', 'scopes', 'expiresAt'];
  const { errors, dialog } = useMutationDialog(ApiKeyCreateDocument, fields, apiKeysKey);
  const { values, bind } = useFields(errors, {
    name: '',
    mode: 'LIVE' as ApiKeyMode,
    scopes: [] as string[],
    days: '',
  });
  const { days, ...rest } = values;
  const input = { tenantKey, ...rest, expiresAt: endOfLifetime(days) };
  return (
    <CreateModal
      title="Create key"
      submitLabel="Create key"
      onClose={onClose}
      {...dialog(input, ({ key }) => onIssued({ name: values.name, key: key ?? '' }))}
    >
      <TextInput
        label="Name"
        description="Where the key is used, such as “production”."
        required
        data-autofocus
        {...bind('name')}
      />
      <SegmentedControl
        aria-label="Mode"
        data={[
          { value: 'LIVE', label: 'Live' },
          { value: 'TEST', label: 'Test' },
        ]}
        value={values.mode}
        onChange={bind('mode').onChange}
      />
      <TagsInput
        label="Scopes"
        description="Leave empty for all operations. Otherwise select APIs or operations, or enter api/operation."
        data={[
          ...new Set(
            calls.flatMap(({ api, operation }) => [api, ...(operation ? [`${api}/${operation}`] : [])]),
          ),
        ]}
        renderOption={({ option }) => scopeInWords(option.value)}
        renderPill={({ value = '', onRemove, disabled }) => (
          <Pill withRemoveButton={!disabled} {...(onRemove && { onRemove })}>
            {scopeInWords(value)}
          </Pill>
        )}
        {...bind('scopes')}
      />
      <Select label="Valid for" data={LIFETIMES} {...bind('days')} error={errors.expiresAt} />
    </CreateModal>
  );
}

interface KeyDialogProps {
  tenantKey: string;
  row: ApiKeyRow;
  onClose: () => void;
}

interface ApiKeyRotateProps extends KeyDialogProps {
  onIssued: (key: string) => void;
}

export function ApiKeyRotate({ tenantKey, row, onClose, onIssued }: ApiKeyRotateProps) {
  const [hours, setHours] = useState<string>('24');
  const { errors, dialog } = useMutationDialog(ApiKeyRotateDocument, ['overlapHours'], apiKeysKey);
  const input = { tenantKey, id: row.id, overlapHours: Number(hours) };
  return (
    <CreateModal
      title={`Rotate “${row.name}”?`}
      submitLabel="Rotate"
      onClose={onClose}
      {...dialog(input, ({ key }) => onIssued(key ?? ''))}
    >
      <Text size="sm">You get a new key. The old key stays valid for the period you choose.</Text>
      <Select
        label="Keep old key valid for"
        data={OVERLAP_HOURS}
        value={hours}
        onChange={(value) => value && setHours(value)}
        error={errors.overlapHours}
      />
    </CreateModal>
  );
}

export function ApiKeyRevoke({ tenantKey, row, onClose }: KeyDialogProps) {
  const { dialog } = useMutationDialog(ApiKeyRevokeDocument, [], apiKeysKey);
  const onDone = () => {
    notifyDone(`“${row.name}” revoked`);
    onClose();
  };
  return (
    <CreateModal
      title={`Revoke “${row.name}”?`}
      submitLabel="Revoke"
      onClose={onClose}
      {...dialog({ tenantKey, id: row.id }, onDone)}
    >
      <Text size="sm">Requests with this key are denied within seconds. This cannot be undone.</Text>
    </CreateModal>
  );
}
