import { Badge, Group, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { askToConfirm } from '../../../components/confirmation.js';
import { DataTable } from '../../../components/data-table.js';
import { GatedButton } from '../../../components/gated-button.js';
import { KeyText } from '../../../components/key-text.js';
import { StateDot } from '../../../components/state-dot.js';
import { formatAgo, formatMoment } from '../../../lib/time-format.js';
import type { ServiceTokenInList } from '../api/service-tokens.js';

interface ServiceTokensTableProps {
  tokens: readonly ServiceTokenInList[];
  onRotate: (token: ServiceTokenInList) => void;
  onRevoke: (token: ServiceTokenInList) => void;
}

/** Every service token by name; of the token itself only what tells it from others. */
export function ServiceTokensTable({ tokens, onRotate, onRevoke }: ServiceTokensTableProps) {
  const t = useTranslations('serviceTokens');
  const common = useTranslations('common');
  const ask = (token: ServiceTokenInList) =>
    askToConfirm({
      title: t('revokeTitle', { name: token.name }),
      children: <Text size="sm">{t('revokeHint')}</Text>,
      labels: { confirm: t('revokeConfirm'), cancel: t('keep') },
      color: 'ember',
      onConfirm: () => onRevoke(token),
    });
  const columns = [
    { name: t('name') },
    { name: t('token') },
    { name: t('mayColumn') },
    { name: t('state') },
    { name: t('used') },
    { name: t('created') },
    { name: common('actions'), hidden: true },
  ];
  return (
    <DataTable label={t('title')} columns={columns}>
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
  const t = useTranslations('serviceTokens');
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
            {t('tenantsShort', { tenants: tenantKeys.join(', ') })}
          </Text>
        )}
      </td>
      <td style={nowrap}>
        <TokenState token={token} />
      </td>
      <td style={nowrap}>{lastUsedAt ? formatAgo(lastUsedAt) : t('never')}</td>
      <td title={formatMoment(createdAt)} style={nowrap}>
        {formatAgo(createdAt)}
      </td>
      <td>
        {!revokedAt && (
          <Group gap={6} justify="flex-end" wrap="nowrap">
            <GatedButton {...button} onClick={onRotate}>
              {t('rotate')}
            </GatedButton>
            <GatedButton {...button} onClick={onRevoke}>
              {t('revoke')}
            </GatedButton>
          </Group>
        )}
      </td>
    </tr>
  );
}

function TokenState({ token: { revokedAt, expiresAt } }: { token: ServiceTokenInList }) {
  const t = useTranslations('serviceTokens');
  if (revokedAt) return <StateDot tone="quiet">{t('revokedAgo', { ago: formatAgo(revokedAt) })}</StateDot>;
  if (!expiresAt) return <StateDot tone="good">{t('valid')}</StateDot>;
  const ago = formatAgo(expiresAt);
  return new Date(expiresAt).getTime() <= Date.now() ? (
    <StateDot tone="bad">{t('expired', { ago })}</StateDot>
  ) : (
    <StateDot tone="good">{t('validUntil', { ago })}</StateDot>
  );
}
