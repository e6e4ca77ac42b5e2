import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { EmptyState } from '../../components/empty-state.js';
import { Failure } from '../../components/failure.js';
import { GatedButton } from '../../components/gated-button.js';
import { Page, Panel, RowsSkeleton } from '../../components/page.js';
import { endpointsQuery } from '../../features/webhooks/api/endpoints.js';
import { EndpointCreate } from '../../features/webhooks/components/endpoint-create.js';
import { EndpointSecret } from '../../features/webhooks/components/endpoint-secret.js';
import { EndpointsTable } from '../../features/webhooks/components/endpoints-table.js';

/** Where events are sent. */
export function WebhooksPage() {
  const { data, error, refetch } = useQuery(endpointsQuery());
  const [creating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const createButton = (
    <GatedButton
      permission="webhooks:write"
      leftSection={<IconPlus size={15} aria-hidden />}
      onClick={() => setCreating(true)}
    >
      Add endpoint
    </GatedButton>
  );
  return (
    <Page
      title="Webhooks"
      description="Endpoints that receive events, signed according to Standard Webhooks 1.0.0."
      actions={data && data.length > 0 && createButton}
    >
      <Panel flush>
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <RowsSkeleton rows={3} />}
        {data?.length === 0 && (
          <EmptyState
            icon={<IconWebhook size={30} stroke={1.5} aria-hidden />}
            title="No endpoints yet"
            action={createButton}
          >
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
