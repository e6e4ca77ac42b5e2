import { Badge } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconApi } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { EmptyState } from '../../components/empty-state.js';
import { Failure } from '../../components/failure.js';
import { GatedButton } from '../../components/gated-button.js';
import { KeyText } from '../../components/key-text.js';
import { LinkButton } from '../../components/link.js';
import { ManagedBadge } from '../../components/managed-badge.js';
import { Page, PageSkeleton } from '../../components/page.js';
import { type ApiDetail, apiQuery, type TierOnApi } from '../../features/apis/api/api.js';
import type { DiscoveredOperation } from '../../features/apis/api/discovered-operations.js';
import { ApiEdit } from '../../features/apis/components/api-edit.js';
import { ApiLimits } from '../../features/apis/components/api-limits.js';
import { DiscoveredOperations } from '../../features/apis/components/discovered-operations.js';
import { OperationForm } from '../../features/apis/components/operation-form.js';
import { OperationsPanel } from '../../features/apis/components/operations-panel.js';
import { PoolsPanel } from '../../features/apis/components/pools-panel.js';
import { Removal } from '../../features/apis/components/removal.js';
import { UNKNOWN_OPERATIONS } from '../../features/apis/components/unknown-operations.js';
import { AddToChangeSet } from '../../features/change-sets/components/add-to-change-set.js';
import { followChange } from '../../features/nodes/components/follow-change.js';
import { DefaultLimits } from '../../features/tiers/components/default-limits.js';
import type { MutationCall } from '../../lib/mutation-text.js';
import { usePermission } from '../../lib/viewer.js';

const route = getRouteApi('/shell/apis/$apiKey');
const PARENT = { label: 'APIs', to: '/apis' } as const;

/** One API: its operations, defaults and pools, and what the tiers allow on it. */
export function ApiPage() {
  const { apiKey } = route.useParams();
  const { data, error, refetch } = useQuery(apiQuery(apiKey));
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <PageSkeleton />;
  const { api, tiers } = data;
  if (!api) return <NoSuchApi apiKey={apiKey} />;
  return <ApiView key={api.id} api={api} tiers={tiers} />;
}

type Open = { kind: 'edit' | 'delete' } | { kind: 'add'; operation: string };

function ApiView({ api, tiers }: { api: ApiDetail; tiers: readonly TierOnApi[] }) {
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open>();
  const { allowed } = usePermission('apis:write');
  const editable = allowed && api.managedBy === 'CONSOLE';
  const close = () => setOpen(undefined);
  const done = (title: string, changeId: string | null | undefined) => {
    close();
    if (changeId) followChange(changeId, title);
    else notifications.show({ message: title, color: 'gate', withBorder: true });
  };
  const aside = (call: MutationCall) => <AddToChangeSet calls={[call]} onAdded={close} />;
  const parts = { api, editable, aside, onDone: done };
  return (
    <Page
      title={api.name}
      parent={PARENT}
      marks={
        <>
          <Badge color="gray">
            Unregistered operations: {UNKNOWN_OPERATIONS[api.unknownOperations].toLowerCase()}
          </Badge>
          <ManagedBadge managedBy={api.managedBy} />
        </>
      }
      description={
        <>
          {api.description && `${api.description} `}
          <KeyText>{api.key}</KeyText>
        </>
      }
      actions={
        <>
          <GatedButton
            permission="apis:write"
            variant="default"
            disabled={!editable}
            onClick={() => setOpen({ kind: 'edit' })}
          >
            Edit
          </GatedButton>
          <GatedButton
            permission="apis:write"
            variant="default"
            disabled={!editable}
            onClick={() => setOpen({ kind: 'delete' })}
          >
            Delete API
          </GatedButton>
        </>
      }
    >
      <DiscoveredOperations
        apiKey={api.key}
        action={(found) => (
          <DiscoveredAction
            found={found}
            onAdd={() => setOpen({ kind: 'add', operation: found.operation })}
          />
        )}
      />
      <OperationsPanel {...parts} />
      <PoolsPanel {...parts} />
      <DefaultLimits
        key={api.version}
        api={api}
        limits={api.defaultLimits}
        editable={editable}
        onApplied={(changeId) => {
          if (changeId) followChange(changeId, `${api.name} updated`);
        }}
      />
      <ApiLimits apiKey={api.key} tiers={tiers} />
      {open?.kind === 'edit' && <ApiEdit api={api} onClose={close} onDone={done} />}
      {open?.kind === 'add' && (
        <OperationForm api={api} suggestedName={open.operation} onClose={close} onDone={done} aside={aside} />
      )}
      {open?.kind === 'delete' && (
        <Removal
          api={api}
          onClose={close}
          onDone={(title, changeId) => {
            void navigate({ to: '/apis' });
            done(title, changeId);
          }}
        />
      )}
    </Page>
  );
}

/** The one step that brings an operation under a limit. */
function DiscoveredAction({ found, onAdd }: { found: DiscoveredOperation; onAdd: () => void }) {
  const navigate = useNavigate();
  const { apiKey, operation, known } = found;
  return known ? (
    <GatedButton
      permission="tiers:write"
      variant="default"
      aria-label={`Set limit on ${operation}`}
      onClick={() => void navigate({ to: '/tiers', hash: `${apiKey}/${operation}` })}
    >
      Set limit
    </GatedButton>
  ) : (
    <GatedButton
      permission="apis:write"
      variant="default"
      aria-label={`Add operation ${operation}`}
      onClick={onAdd}
    >
      Add operation
    </GatedButton>
  );
}

function NoSuchApi({ apiKey }: { apiKey: string }) {
  return (
    <Page title="No such API" parent={PARENT}>
      <EmptyState
        icon={<IconApi size={30} stroke={1.5} aria-hidden />}
        title={`There is no API “${apiKey}”`}
        action={
          <LinkButton to="/apis" variant="default">
            All APIs
          </LinkButton>
        }
      >
        Services may already call it. Register it under this key to limit it.
      </EmptyState>
    </Page>
  );
}
