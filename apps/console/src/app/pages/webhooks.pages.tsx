import { Alert, Badge } from '@mantine/core';
import { IconInfoCircle, IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { AddButton } from '../../components/buttons.js';
import { StateDot } from '../../components/marks.js';
import { EmptyState, Page, Panel, QueryFallback } from '../../components/page.js';
import { endpointsQuery } from '../../features/webhooks/api.js';
import { Deliveries } from '../../features/webhooks/deliveries.js';
import { EndpointActions } from '../../features/webhooks/endpoint-actions.js';
import { EndpointCreate, EndpointSecret } from '../../features/webhooks/endpoint-dialogs.js';
import { EndpointsTable } from '../../features/webhooks/endpoints-table.js';
import { formatMoment } from '../../lib/time-format.js';
import { NotFoundPage } from './not-found.page.js';

export function WebhooksPage() {
  const query = useQuery(endpointsQuery());
  const { data } = query;
  const [creating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string | null>();
  const createButton = (
    <AddButton permission="webhooks:write" onClick={() => setCreating(true)}>
      Add endpoint
    </AddButton>
  );
  return (
    <Page
      title="Webhooks"
      description="Endpoints that receive events, signed according to Standard Webhooks 1.0.0."
      actions={data && data.length > 0 && createButton}
    >
      <Panel flush>
        <QueryFallback query={query} rows={3} />
        {data?.length === 0 && (
          <EmptyState icon={IconWebhook} title="No endpoints yet" action={createButton}>
            Add one to receive purchases, reached limits and offline nodes as signed HTTP requests.
          </EmptyState>
        )}
        {data && data.length > 0 && <EndpointsTable endpoints={data} />}
      </Panel>
      {creating && (
        <EndpointCreate
          onClose={() => setCreating(false)}
          onCreated={(made) => {
            setCreating(false);
            setSecret(made);
          }}
        />
      )}
      {secret !== undefined && <EndpointSecret secret={secret} onClose={() => setSecret(undefined)} />}
    </Page>
  );
}

const route = getRouteApi('/shell/webhooks/$endpointId');

export function WebhookPage() {
  const { endpointId } = route.useParams();
  const navigate = useNavigate();
  const query = useQuery(endpointsQuery());
  const [secret, setSecret] = useState<string | null>();
  if (query.data === undefined) return <QueryFallback query={query} />;
  const endpoint = query.data.find(({ id }) => id === endpointId);
  if (endpoint === undefined) return <NotFoundPage />;
  const { url, description, events, status, previousUntil } = endpoint;
  return (
    <Page
      title={new URL(url).host}
      parent={{ label: 'Webhooks', to: '/webhooks' }}
      marks={
        <StateDot tone={status === 'ENABLED' ? 'good' : 'bad'}>
          {status === 'ENABLED' ? 'Enabled' : 'Disabled'}
        </StateDot>
      }
      description={
        <>
          <div style={{ overflowWrap: 'anywhere' }}>{url}</div>
          {description && <div>{description}</div>}
          {events.map((event) => (
            <Badge key={event} color="gray" mr={4}>
              {event}
            </Badge>
          ))}
        </>
      }
      actions={
        <EndpointActions
          endpoint={endpoint}
          onSecret={setSecret}
          onDeleted={() => void navigate({ to: '/webhooks' })}
        />
      }
    >
      {previousUntil && new Date(previousUntil) > new Date() && (
        <Alert color="gate" icon={<IconInfoCircle size={18} aria-hidden />}>
          Also signed with the old secret until {formatMoment(previousUntil)}
        </Alert>
      )}
      <Deliveries endpointId={endpointId} />
      {secret !== undefined && <EndpointSecret secret={secret} onClose={() => setSecret(undefined)} />}
    </Page>
  );
}
