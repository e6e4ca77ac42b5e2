import { Badge, Checkbox, Group, Select, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { askToConfirm } from '../../components/confirmation.js';
import { CreateModal } from '../../components/create-modal.js';
import { DataTable } from '../../components/data-table.js';
import { KeyText, StateDot } from '../../components/marks.js';
import { endOfLifetime } from '../../lib/form.js';
import { errorsByField } from '../../lib/graphql-request.js';
import { formatNumber } from '../../lib/number-format.js';
import { formatAgo, formatMoment } from '../../lib/time-format.js';
import { useMayGrant, viewerQuery } from '../../lib/viewer.js';
import {
  type ServiceTokenInList,
  serviceTokenCreateCall,
  serviceTokenRotateCall,
  useServiceTokenCreate,
  useServiceTokenRotate,
} from './api.js';

/** Permission sets of a service token, with labels. */
export const TOKEN_SCOPES = [
  { value: 'decide', label: 'Request decisions' },
  { value: 'reset', label: 'Reset counters' },
  { value: 'read', label: 'Read all' },
  { value: 'policy', label: 'Manage policy' },
  { value: 'config', label: 'Read and apply configuration' },
  { value: 'tenants', label: 'Manage tenants' },
  { value: 'billing', label: 'Manage billing' },
  { value: 'admin', label: 'Full access through GraphQL' },
] as const;

const DAYS = ['30', '90', '365'] as const;

interface ServiceTokenCreateProps {
  onClose: () => void;
  onIssued: (token: string) => void;
}

/** Issues a token. */
export function ServiceTokenCreate({ onClose, onIssued }: ServiceTokenCreateProps) {
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
    label: value === '365' ? '1 year' : `${formatNumber(Number(value))} days`,
  }));
  return (
    <CreateModal
      title="Create service token"
      opened
      onClose={onClose}
      onSubmit={() => create.mutate(input, { onSuccess: onIssued })}
      submitLabel="Create token"
      pending={create.isPending}
      problem={form}
      copy={{ call: serviceTokenCreateCall(input) }}
    >
      <TextInput
        label="Name"
        description="The service that uses it, such as “checkout, production”."
        required
        data-autofocus
        value={values.name}
        onChange={({ currentTarget: { value } }) => setValues({ ...values, name: value })}
        error={byField.name}
      />
      <Checkbox.Group
        label="Permissions"
        value={values.sets}
        onChange={(sets) => setValues({ ...values, sets })}
        error={byField.scopes}
      >
        <Stack gap={8} mt={4}>
          {TOKEN_SCOPES.map(({ value, label }) => (
            <Checkbox key={value} value={value} label={label} disabled={!mayGrant(value)} />
          ))}
        </Stack>
      </Checkbox.Group>
      <TagsInput
        label="Scopes"
        description="Permission sets, or single permissions such as tiers:write. You can only grant permissions you have."
        data={viewer?.permissions ?? []}
        value={values.permissions}
        onChange={(permissions) => setValues({ ...values, permissions })}
      />
      <TagsInput
        label="Tenants"
        description="Tenant keys. Leave empty for all."
        value={values.tenantKeys}
        onChange={(tenantKeys) => setValues({ ...values, tenantKeys })}
        error={byField.tenantKeys}
      />
      <Select
        label="Valid for"
        data={[{ value: '', label: 'No expiry' }, ...lifetimes]}
        value={values.days}
        onChange={(days) => setValues({ ...values, days: days ?? '' })}
        allowDeselect={false}
        error={byField.expiresAt}
      />
    </CreateModal>
  );
}

const OVERLAPS = [
  { value: '0', label: 'Expire immediately' },
  { value: '60', label: '1 hour' },
  { value: '1440', label: '1 day' },
  { value: '10080', label: '1 week' },
];

interface ServiceTokenRotateProps {
  token: ServiceTokenInList;
  onClose: () => void;
  onIssued: (token: string) => void;
}

/** Puts a new token in the place of one. */
export function ServiceTokenRotate({ token, onClose, onIssued }: ServiceTokenRotateProps) {
  const [minutes, setMinutes] = useState('1440');
  const rotate = useServiceTokenRotate();
  const input = { id: token.id, overlapMinutes: Number(minutes) };
  return (
    <CreateModal
      title={`Rotate “${token.name}”`}
      opened
      onClose={onClose}
      onSubmit={() => rotate.mutate(input, { onSuccess: onIssued })}
      submitLabel="Rotate"
      pending={rotate.isPending}
      problem={rotate.error?.message}
      copy={{ call: serviceTokenRotateCall(input) }}
    >
      <Text size="sm" c="dimmed">
        Creates a token with the same scopes. The old token stays valid for the period you choose.
      </Text>
      <Select
        label="Keep old token valid for"
        data={OVERLAPS}
        value={minutes}
        onChange={(value) => value && setMinutes(value)}
        allowDeselect={false}
      />
    </CreateModal>
  );
}

interface ServiceTokensTableProps {
  tokens: readonly ServiceTokenInList[];
  onRotate: (token: ServiceTokenInList) => void;
  onRevoke: (token: ServiceTokenInList) => void;
}

/** Service tokens by name; shows only a prefix of each token. */
export function ServiceTokensTable({ tokens, onRotate, onRevoke }: ServiceTokensTableProps) {
  const ask = (token: ServiceTokenInList) =>
    askToConfirm({
      title: `Revoke “${token.name}”?`,
      children: <Text size="sm">Services that use it get 401 within seconds. This cannot be undone.</Text>,
      labels: { confirm: 'Revoke token', cancel: 'Cancel' },
      color: 'ember',
      onConfirm: () => onRevoke(token),
    });
  const columns = [
    { name: 'Name' },
    { name: 'Token' },
    { name: 'Permissions' },
    { name: 'Status' },
    { name: 'Last used' },
    { name: 'Created' },
    { name: 'Actions', hidden: true },
  ];
  return (
    <DataTable label="Service tokens" columns={columns}>
      {tokens.map((token) => (
        <TokenRow key={token.id} token={token} onRotate={() => onRotate(token)} onRevoke={() => ask(token)} />
      ))}
    </DataTable>
  );
}

interface TokenRowProps {
  token: ServiceTokenInList;
  onRotate: () => void;
  onRevoke: () => void;
}

function TokenRow({ token, onRotate, onRevoke }: TokenRowProps) {
  const { name, publicId, lastFour, scopes, tenantKeys, lastUsedAt, createdAt, revokedAt } = token;
  const button = { permission: 'service-tokens:write', variant: 'default', size: 'compact-sm' } as const;
  const nowrap = { whiteSpace: 'nowrap' } as const;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <KeyText c="dimmed" style={nowrap}>{`${publicId}…${lastFour}`}</KeyText>
      </td>
      <td>
        <Group gap={4}>
          {scopes.map((scope) => (
            <Badge key={scope} color="gray" style={{ flex: 'none' }}>
              {scope}
            </Badge>
          ))}
        </Group>
        {tenantKeys.length > 0 && (
          <Text size="xs" c="dimmed">
            in {tenantKeys.join(', ')}
          </Text>
        )}
      </td>
      <td style={nowrap}>
        <TokenState token={token} />
      </td>
      <td style={nowrap}>{lastUsedAt ? formatAgo(lastUsedAt) : 'never'}</td>
      <td title={formatMoment(createdAt)} style={nowrap}>
        {formatAgo(createdAt)}
      </td>
      <td>
        {!revokedAt && (
          <Group gap={6} justify="flex-end" wrap="nowrap">
            <GatedButton {...button} onClick={onRotate}>
              Rotate
            </GatedButton>
            <GatedButton {...button} onClick={onRevoke}>
              Revoke
            </GatedButton>
          </Group>
        )}
      </td>
    </tr>
  );
}

function TokenState({ token: { revokedAt, expiresAt } }: { token: ServiceTokenInList }) {
  if (revokedAt) return <StateDot tone="quiet">Revoked {formatAgo(revokedAt)}</StateDot>;
  if (!expiresAt) return <StateDot tone="good">Active, no expiry</StateDot>;
  const ago = formatAgo(expiresAt);
  return new Date(expiresAt).getTime() <= Date.now() ? (
    <StateDot tone="bad">Expired {ago}</StateDot>
  ) : (
    <StateDot tone="good">Active, expires {ago}</StateDot>
  );
}
