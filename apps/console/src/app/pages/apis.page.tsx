import { IconApi, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { EmptyState } from '../../components/empty-state.js';
import { Failure } from '../../components/failure.js';
import { GatedButton } from '../../components/gated-button.js';
import { LinkButton } from '../../components/link.js';
import { Page, Panel, RowsSkeleton } from '../../components/page.js';
import { apisQuery } from '../../features/apis/api/apis.js';
import { ApiCreate } from '../../features/apis/components/api-create.js';
import { ApisList } from '../../features/apis/components/apis-list.js';
import { DiscoveredOperations } from '../../features/apis/components/discovered-operations.js';

/** The protected services. */
export function ApisPage() {
  const { data, error, refetch } = useQuery(apisQuery);
  const [creating, setCreating] = useState<string>();
  const navigate = useNavigate();
  const createButton = (
    <GatedButton
      permission="apis:write"
      leftSection={<IconPlus size={15} aria-hidden />}
      onClick={() => setCreating('')}
    >
      Register API
    </GatedButton>
  );
  return (
    <Page
      title="APIs"
      description="Services that request decisions, and the operations that limits apply to."
      actions={data && data.nodes.length > 0 && createButton}
    >
      <Panel flush>
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <RowsSkeleton rows={4} />}
        {data?.nodes.length === 0 && (
          <EmptyState
            icon={<IconApi size={30} stroke={1.5} aria-hidden />}
            title="No APIs yet"
            action={createButton}
          >
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
          opened
          suggestedKey={creating}
          onClose={() => setCreating(undefined)}
          onCreated={(apiKey) => void navigate({ to: '/apis/$apiKey', params: { apiKey } })}
        />
      )}
    </Page>
  );
}
