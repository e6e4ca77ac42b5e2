import { Badge, Checkbox, Group, Select, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { askToConfirm } from '../../components/confirmation.js';
import { CreateModal } from '../../components/create-modal.js';
import { DataTable, hidden } from '../../components/data-table.js';
import { Ago } from '../../components/figures.js';
import { KeyText, StateDot } from '../../components/marks.js';
import { Hint } from '../../components/page.js';
import { endOfLifetime, LIFETIMES, OVERLAP_HOURS, useFields } from '../../lib/form.js';
import { useMutationDialog } from '../../lib/mutation.js';
import { formatAgo } from '../../lib/time-format.js';
import { useMayGrant, viewerQuery } from '../../lib/viewer.js';
import {
  ServiceTokenCreateDocument,
  type ServiceTokenInList,
  ServiceTokenRotateDocument,
  serviceTokensQuery,
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

interface ServiceTokenCreateProps {
  onClose: () => void;
  onIssued: (token: string | null) => void;
}

export function ServiceTokenCreate({ onClose, onIssued }: ServiceTokenCreateProps) {
  const { data: viewer } = useQuery(viewerQuery);
  const mayGrant = useMayGrant('scopes');
  const fields = ['name', 'scopes', 'tenantKeys', 'expiresAt'];
  const { errors, dialog } = useMutationDialog(
    ServiceTokenCreateDocument,
    fields,
    serviceTokensQuery.queryKey,
  );
  const { values, bind } = useFields(errors, {
    name: '',
    sets: [TOKEN_SCOPES[0].value] as string[],
    permissions: [] as string[],
    tenantKeys: [] as string[],
    days: '',
  });
  const { name, sets, permissions, tenantKeys, days } = values;
  const input = { name, scopes: [...sets, ...permissions], tenantKeys, expiresAt: endOfLifetime(days) };
  return (
    <CreateModal
      title="Create service token"
      submitLabel="Create token"
      onClose={onClose}
      {...dialog(input, ({ token }) => onIssued(token))}
    >
      <TextInput
        label="Name"
        description="The service that uses it, such as “checkout, production”."
        required
        data-autofocus
        {...bind('name')}
      />
      <Checkbox.Group label="Permissions" {...bind('sets')} error={errors.scopes}>
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
        {...bind('permissions')}
      />
      <TagsInput label="Tenants" description="Tenant keys. Leave empty for all." {...bind('tenantKeys')} />
      <Select label="Valid for" data={LIFETIMES} {...bind('days')} error={errors.expiresAt} />
    </CreateModal>
  );
}

interface ServiceTokenRotateProps {
  token: ServiceTokenInList;
  onClose: () => void;
  onIssued: (token: string | null) => void;
}

export function ServiceTokenRotate({ token, onClose, onIssued }: ServiceTokenRotateProps) {
  const [hours, setHours] = useState('24');
  const { dialog } = useMutationDialog(ServiceTokenRotateDocument, [], serviceTokensQuery.queryKey);
  const input = { id: token.id, overlapMinutes: Number(hours) * 60 };
  return (
    <CreateModal
      title={`Rotate “${token.name}”`}
      submitLabel="Rotate"
      onClose={onClose}
      {...dialog(input, ({ token: issued }) => onIssued(issued))}
    >
      <Hint>Creates a token with the same scopes. The old token stays valid for the period you choose.</Hint>
      <Select
        label="Keep old token valid for"
        data={OVERLAP_HOURS}
        value={hours}
        onChange={(value) => value && setHours(value)}
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
      text: 'Services that use it get 401 within seconds. This cannot be undone.',
      confirm: 'Revoke token',
      onConfirm: () => onRevoke(token),
    });
  const columns = [...['Name', 'Token', 'Permissions', 'Status', 'Last used', 'Created'], hidden('Actions')];
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
      <td>
        <Ago at={createdAt} />
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
