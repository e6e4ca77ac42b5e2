import { Badge, Group, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { DataTable } from '../../../components/data-table.js';
import { GatedButton } from '../../../components/gated-button.js';
import { KeyText } from '../../../components/key-text.js';
import { type DotTone, StateDot } from '../../../components/state-dot.js';
import { formatAgo, formatMoment } from '../../../lib/time-format.js';
import type { ServiceTokenInList } from '../api/service-tokens.js';

const COLUMNS = [
  { name: 'Name' },
  { name: 'Token' },
  { name: 'May' },
  { name: 'State' },
  { name: 'Created' },
  { name: 'Actions', hidden: true },
];

interface ServiceTokensTableProps {
  tokens: readonly ServiceTokenInList[];
  onRevoke: (token: ServiceTokenInList) => void;
}

/** Every service token by name; of the token itself only what tells it from others. */
export function ServiceTokensTable({ tokens, onRevoke }: ServiceTokensTableProps) {
  const ask = (token: ServiceTokenInList) =>
    modals.openConfirmModal({
      title: `Revoke “${token.name}”?`,
      children: (
        <Text size="sm">
          Services that use it are answered with 401 within seconds. This cannot be undone; issue a new token
          instead.
        </Text>
      ),
      labels: { confirm: 'Revoke token', cancel: 'Keep it' },
      confirmProps: { color: 'ember' },
      onConfirm: () => onRevoke(token),
    });
  return (
    <DataTable label="Service tokens" columns={COLUMNS}>
      {tokens.map((token) => (
        <tr key={token.id}>
          <th scope="row">{token.name}</th>
          <td>
            <KeyText
              c="dimmed"
              style={{ whiteSpace: 'nowrap' }}
            >{`${token.publicId}…${token.lastFour}`}</KeyText>
          </td>
          <td>
            <Group gap={4} wrap="nowrap">
              {token.scopes.map((scope) => (
                <Badge key={scope} color="gray" style={{ flex: 'none' }}>
                  {scope}
                </Badge>
              ))}
            </Group>
          </td>
          <td>
            <TokenState token={token} />
          </td>
          <td title={formatMoment(token.createdAt)} style={{ whiteSpace: 'nowrap' }}>
            {formatAgo(token.createdAt)}
          </td>
          <td style={{ textAlign: 'right' }}>
            {!token.revokedAt && (
              <GatedButton
                permission="service-tokens:write"
                variant="default"
                size="compact-sm"
                onClick={() => ask(token)}
              >
                Revoke
              </GatedButton>
            )}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function TokenState({ token }: { token: ServiceTokenInList }) {
  const [tone, text] = stateOf(token);
  return <StateDot tone={tone}>{text}</StateDot>;
}

function stateOf({ revokedAt, expiresAt }: ServiceTokenInList): [DotTone, string] {
  if (revokedAt) return ['quiet', `Revoked ${formatAgo(revokedAt)}`];
  if (!expiresAt) return ['good', 'Valid, no end'];
  const expired = new Date(expiresAt).getTime() <= Date.now();
  return expired
    ? ['bad', `Expired ${formatAgo(expiresAt)}`]
    : ['good', `Valid, ends ${formatAgo(expiresAt)}`];
}
