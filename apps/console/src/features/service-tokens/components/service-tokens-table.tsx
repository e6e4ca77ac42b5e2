import { Badge, Group, Text } from '@mantine/core';
import { GatedButton } from '../../../components/buttons.js';
import { askToConfirm } from '../../../components/confirmation.js';
import { DataTable } from '../../../components/data-table.js';
import { KeyText, StateDot } from '../../../components/marks.js';
import { formatAgo, formatMoment } from '../../../lib/time-format.js';
import type { ServiceTokenInList } from '../api/service-tokens.js';

interface ServiceTokensTableProps {
  tokens: readonly ServiceTokenInList[];
  onRotate: (token: ServiceTokenInList) => void;
  onRevoke: (token: ServiceTokenInList) => void;
}

/** Every service token by name; of the token itself only what tells it from others. */
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
