import { Badge, Group } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { GatedButton, MoreButton } from '../../components/buttons.js';
import { SecretModal } from '../../components/copy.js';
import { hidden, QueryTable } from '../../components/data-table.js';
import { KeyText, StateDot } from '../../components/marks.js';
import { EmptyState, Hint, Panel } from '../../components/page.js';
import { usePageZone } from '../../lib/customer-page.js';
import { useRequestedAction } from '../../lib/requested-action.js';
import { formatAgo, formatDayInZone, formatMomentInZone } from '../../lib/time-format.js';
import { type ApiKeyRow, apiKeysQuery } from './api.js';
import {
  ApiKeyCreate,
  type ApiKeyCreateProps,
  ApiKeyRevoke,
  ApiKeyRotate,
  scopeInWords,
} from './api-key-dialogs.js';

type Question =
  | { kind: 'create' }
  | { kind: 'rotate' | 'revoke'; row: ApiKeyRow }
  | { kind: 'issued'; key: string };

interface ApiKeysPanelProps extends Pick<ApiKeyCreateProps, 'calls'> {
  tenantKey: string;
  tenantName: string;
  /** Further actions for a key that is not revoked. */
  actionsFor?: (row: ApiKeyRow) => ReactNode;
}

export function ApiKeysPanel({ tenantKey, tenantName, calls, actionsFor }: ApiKeysPanelProps) {
  const list = useInfiniteQuery(apiKeysQuery(tenantKey));
  const [dialog, setDialog] = useState<Question>();
  const close = () => setDialog(undefined);
  useRequestedAction(['key'], () => setDialog({ kind: 'create' }));
  const create = (
    <GatedButton
      permission="api-keys:write"
      tenantKey={tenantKey}
      onClick={() => setDialog({ kind: 'create' })}
    >
      Create key
    </GatedButton>
  );
  return (
    <Panel
      title={`Keys of ${tenantName}`}
      note="Services send a key with each request to identify you. Only a hash of each key is stored."
      actions={create}
      flush
    >
      <QueryTable
        query={list}
        list={list.data?.nodes}
        rows={3}
        empty={
          <EmptyState icon={IconKey} title="No keys yet">
            An API key identifies your requests. Create one for each service.
          </EmptyState>
        }
        label="API keys"
        columns={['Name', 'Key', 'Scopes', 'Status', 'Last used', hidden('Actions')]}
      >
        {(row) => (
          <KeyRow key={row.id} tenantKey={tenantKey} row={row} onAsk={setDialog} more={actionsFor?.(row)} />
        )}
      </QueryTable>
      <MoreButton list={list} />
      {dialog?.kind === 'create' && (
        <ApiKeyCreate
          tenantKey={tenantKey}
          calls={calls}
          onClose={close}
          onIssued={({ key }) => setDialog({ kind: 'issued', key })}
        />
      )}
      {dialog?.kind === 'issued' && (
        <SecretModal
          title="Copy the key now"
          hint="You won’t be able to see this again. Only a hash is stored."
          secret={dialog.key}
          copyLabel="Copy key"
          doneLabel="I have saved it"
          onClose={close}
        />
      )}
      {dialog?.kind === 'rotate' && (
        <ApiKeyRotate
          tenantKey={tenantKey}
          row={dialog.row}
          onClose={close}
          onIssued={(key) => setDialog({ kind: 'issued', key })}
        />
      )}
      {dialog?.kind === 'revoke' && <ApiKeyRevoke tenantKey={tenantKey} row={dialog.row} onClose={close} />}
    </Panel>
  );
}

interface KeyRowProps {
  tenantKey: string;
  row: ApiKeyRow;
  onAsk: (question: Question) => void;
  more: ReactNode;
}

function KeyRow({ tenantKey, row, onAsk, more }: KeyRowProps) {
  const timeZone = usePageZone();
  const { name, mode, publicId, secrets, scopes, lastUsedAt, revokedAt } = row;
  const [newest] = secrets;
  const overlap = secrets.find(({ endsAt }) => endsAt != null && Date.parse(endsAt) > Date.now());
  const gate = { permission: 'api-keys:write', tenantKey, variant: 'default' } as const;
  return (
    <tr>
      <th scope="row">
        {name} {mode === 'TEST' && <Badge color="gray">Test</Badge>}
      </th>
      <td>
        <KeyText c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {`${publicId}…${newest?.lastFour ?? ''}`}
        </KeyText>
        {overlap?.endsAt && revokedAt == null && (
          <Hint>old key until {formatMomentInZone(overlap.endsAt, timeZone)}</Hint>
        )}
      </td>
      <td>{scopes.length === 0 ? 'All operations' : scopes.map(scopeInWords).join(', ')}</td>
      <td>
        <KeyState row={row} />
      </td>
      <td className="tg-nowrap">{lastUsedAt ? formatAgo(lastUsedAt) : 'Never'}</td>
      <td>
        {revokedAt == null && (
          <Group gap={6} justify="flex-end">
            {more}
            <GatedButton {...gate} onClick={() => onAsk({ kind: 'rotate', row })}>
              Rotate
            </GatedButton>
            <GatedButton {...gate} onClick={() => onAsk({ kind: 'revoke', row })}>
              Revoke
            </GatedButton>
          </Group>
        )}
      </td>
    </tr>
  );
}

function KeyState({ row: { revokedAt, expiresAt } }: { row: ApiKeyRow }) {
  const timeZone = usePageZone();
  if (revokedAt != null) return <StateDot tone="quiet">Revoked</StateDot>;
  if (expiresAt == null) return <StateDot tone="good">Active</StateDot>;
  if (Date.parse(expiresAt) <= Date.now()) return <StateDot tone="quiet">Expired</StateDot>;
  return <StateDot tone="good">Expires {formatDayInZone(expiresAt, timeZone)}</StateDot>;
}
