import { Badge, Button, Menu } from '@mantine/core';
import { IconApi, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { AddButton, GatedButton } from '../../components/buttons.js';
import { LinkButton } from '../../components/links.js';
import { KeyText, ManagedBadge } from '../../components/marks.js';
import { EmptyState, MissingPage, Page, Panel, QueryFallback } from '../../components/page.js';
import {
  type ApiDetail,
  apiQuery,
  apisQuery,
  type DiscoveredOperation,
  type TierOnApi,
} from '../../features/apis/api.js';
import { ApiCreate } from '../../features/apis/api-create.js';
import { ApiEdit, Removal } from '../../features/apis/api-forms.js';
import { ApiLimits, ApisList, UNKNOWN_OPERATIONS } from '../../features/apis/apis-list.js';
import {
  DiscoveredOperations,
  OperationForm,
  OperationsPanel,
} from '../../features/apis/operations-panel.js';
import { PoolsPanel } from '../../features/apis/pools-panel.js';
import { AddToChangeSet } from '../../features/change-sets/add-to-change-set.js';
import { followChange } from '../../features/nodes/follow-change.js';
import { TestRequestButton } from '../../features/test-requests/test-request.js';
import { DefaultLimits } from '../../features/tiers/default-limits.js';
import { TierCreate } from '../../features/tiers/tier-menu.js';
import { notifyDone } from '../../lib/graphql-request.js';
import type { MutationCall } from '../../lib/mutation-text.js';
import { usePermission } from '../../lib/viewer.js';

export function ApisPage() {
  const query = useQuery(apisQuery);
  const { data } = query;
  const [creating, setCreating] = useState<string>();
  const navigate = useNavigate();
  const createButton = (
    <AddButton permission="apis:write" onClick={() => setCreating('')}>
      Register API
    </AddButton>
  );
  return (
    <Page
      title="APIs"
      description="Services that request decisions, and the operations that limits apply to."
      actions={data && data.nodes.length > 0 && createButton}
    >
      <Panel flush>
        <QueryFallback query={query} rows={4} />
        {data?.nodes.length === 0 && (
          <EmptyState icon={IconApi} title="No APIs yet" action={createButton}>
            Register the service you want to protect, then its operations. Tiers define their limits.
          </EmptyState>
        )}
        {data && data.nodes.length > 0 && <ApisList apis={data.nodes} />}
      </Panel>
      <DiscoveredOperations
        action={({ apiKey, apiKnown }) =>
          apiKnown ? (
            <LinkButton to="/apis/$apiKey" params={{ apiKey }} variant="default">
              Open
            </LinkButton>
          ) : (
            <GatedButton
              permission="apis:write"
              variant="default"
              aria-label={`Register API ${apiKey}`}
              onClick={() => setCreating(apiKey)}
            >
              Register API
            </GatedButton>
          )
        }
      />
      {creating !== undefined && (
        <ApiCreate
          suggestedKey={creating}
          onClose={() => setCreating(undefined)}
          onCreated={(apiKey) => void navigate({ to: '/apis/$apiKey', params: { apiKey } })}
        />
      )}
    </Page>
  );
}

const route = getRouteApi('/shell/apis/$apiKey');
const PARENT = { label: 'APIs', to: '/apis' } as const;

export function ApiPage() {
  const { apiKey } = route.useParams();
  const query = useQuery(apiQuery(apiKey));
  if (query.data === undefined) return <QueryFallback query={query} />;
  const { api, tiers } = query.data;
  if (!api) {
    return (
      <MissingPage
        title="No such API"
        heading={`There is no API “${apiKey}”`}
        parent={PARENT}
        back="All APIs"
        icon={IconApi}
      >
        Services may already call it. Register it under this key to limit it.
      </MissingPage>
    );
  }
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
    else notifyDone(title);
  };
  const aside = (call: MutationCall, onAdded: () => void) => (
    <AddToChangeSet calls={[call]} onAdded={onAdded} />
  );
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
          <AddLimitsMenu apiKey={api.key} tiers={tiers} />
          <TestRequestButton apiKey={api.key} />
          {(['edit', 'delete'] as const).map((kind) => (
            <GatedButton
              key={kind}
              permission="apis:write"
              variant="default"
              disabled={!editable}
              onClick={() => setOpen({ kind })}
            >
              {kind === 'edit' ? 'Edit' : 'Delete API'}
            </GatedButton>
          ))}
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
        key={JSON.stringify(api.defaultLimits)}
        api={api}
        limits={api.defaultLimits}
        editable={editable}
        onApplied={(changeId) => followChange(changeId, `${api.name} updated`)}
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

/** Opens a tier, or creates one, to add limits on this API. */
function AddLimitsMenu({ apiKey, tiers }: { apiKey: string; tiers: readonly TierOnApi[] }) {
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const { allowed, why } = usePermission('tiers:write');
  const open = (tierKey: string) =>
    void navigate({ to: '/tiers/$tierKey', params: { tierKey }, hash: apiKey });
  return (
    <>
      <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button leftSection={<IconPlus size={15} aria-hidden />} disabled={!allowed} title={why}>
            Add limits
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {tiers.map(({ key, name }) => (
            <Menu.Item key={key} onClick={() => open(key)}>
              {name}
            </Menu.Item>
          ))}
          <Menu.Item onClick={() => setCreating(true)}>New tier</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {creating && <TierCreate onClose={() => setCreating(false)} onCreated={open} />}
    </>
  );
}

/** The next step towards a limit on an operation. */
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
