import { Alert, Badge } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Failure } from '../../components/failure.js';
import { Page, PageSkeleton } from '../../components/page.js';
import { StateDot } from '../../components/state-dot.js';
import { endpointsQuery } from '../../features/webhooks/api/endpoints.js';
import { Deliveries } from '../../features/webhooks/components/deliveries.js';
import { EndpointActions } from '../../features/webhooks/components/endpoint-actions.js';
import { EndpointSecret } from '../../features/webhooks/components/endpoint-secret.js';
import { formatMoment } from '../../lib/time-format.js';
import { NotFoundPage } from './not-found.page.js';

const route = getRouteApi('/shell/webhooks/$endpointId');

/** One endpoint, and what was sent to it. */
export function WebhookPage() {
  const { endpointId } = route.useParams();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(endpointsQuery());
  const [secret, setSecret] = useState<string>();
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <PageSkeleton />;
  const endpoint = data.find(({ id }) => id === endpointId);
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
