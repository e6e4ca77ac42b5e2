import { Alert } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { EmptyState } from '../../components/empty-state.js';
import { Failure } from '../../components/failure.js';
import { GatedButton } from '../../components/gated-button.js';
import { Page, Panel, RowsSkeleton } from '../../components/page.js';
import { useServiceTokenRevoke } from '../../features/service-tokens/api/service-token-revoke.js';
import { serviceTokensQuery } from '../../features/service-tokens/api/service-tokens.js';
import { ServiceTokenCreate } from '../../features/service-tokens/components/service-token-create.js';
import { ServiceTokensTable } from '../../features/service-tokens/components/service-tokens-table.js';

/** What services show to the decision API, and scripts to GraphQL. */
export function ServiceTokensPage() {
  const { data, error, refetch } = useQuery(serviceTokensQuery);
  const revoke = useServiceTokenRevoke();
  const [creating, setCreating] = useState(false);
  const createButton = (
    <GatedButton
      permission="service-tokens:write"
      leftSection={<IconPlus size={15} aria-hidden />}
      onClick={() => setCreating(true)}
    >
      Create token
    </GatedButton>
  );
  return (
    <Page
      title="Service tokens"
      description="What a service shows to the decision API when it asks."
      actions={data && data.length > 0 && createButton}
    >
      {revoke.error && (
        <Alert
          role="alert"
          color="ember"
          title="The token was not revoked"
          withCloseButton
          onClose={revoke.reset}
        >
          {revoke.error.message}
        </Alert>
      )}
      <Panel flush>
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <RowsSkeleton rows={3} />}
        {data?.length === 0 && (
          <EmptyState
            icon={<IconKey size={30} stroke={1.5} aria-hidden />}
            title="No service tokens yet"
            action={createButton}
          >
            Create one for each service that asks for decisions, so that each can be revoked alone.
          </EmptyState>
        )}
        {data && data.length > 0 && (
          <ServiceTokensTable tokens={data} onRevoke={(token) => revoke.mutate(token.id)} />
        )}
      </Panel>
      {creating && <ServiceTokenCreate onClose={() => setCreating(false)} />}
    </Page>
  );
}
