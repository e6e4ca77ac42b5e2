import { IconKey, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { EmptyState } from '../../components/empty-state.js';
import { Failure } from '../../components/failure.js';
import { GatedButton } from '../../components/gated-button.js';
import { Page, Panel, RowsSkeleton } from '../../components/page.js';
import { SecretModal } from '../../components/secret-modal.js';
import { useServiceTokenRevoke } from '../../features/service-tokens/api/service-token-revoke.js';
import {
  type ServiceTokenInList,
  serviceTokensQuery,
} from '../../features/service-tokens/api/service-tokens.js';
import { ServiceTokenCreate } from '../../features/service-tokens/components/service-token-create.js';
import { ServiceTokenRotate } from '../../features/service-tokens/components/service-token-rotate.js';
import { ServiceTokensTable } from '../../features/service-tokens/components/service-tokens-table.js';
import { tellFailed } from '../../lib/tell-failed.js';

/** What services show to the decision API, and scripts to GraphQL. */
export function ServiceTokensPage() {
  const { data, error, refetch } = useQuery(serviceTokensQuery);
  const revoke = useServiceTokenRevoke();
  const [creating, setCreating] = useState(false);
  const [rotating, setRotating] = useState<ServiceTokenInList>();
  const [issued, setIssued] = useState<string>();
  const show = (token: string) => {
    setCreating(false);
    setRotating(undefined);
    setIssued(token);
  };
  const createButton = (
    <GatedButton
      permission="service-tokens:write"
      leftSection={<IconPlus size={15} aria-hidden />}
      onClick={() => setCreating(true)}
    >
      Create token
    </GatedButton>
  );
  const revokeToken = ({ id }: ServiceTokenInList) =>
    revoke.mutate(id, { onError: tellFailed('Token not revoked') });
  return (
    <Page
      title="Service tokens"
      description="Tokens for services that call the decision API and scripts that call GraphQL."
      actions={data && data.length > 0 && createButton}
    >
      <Panel flush>
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <RowsSkeleton rows={3} />}
        {data?.length === 0 && (
          <EmptyState
            icon={<IconKey size={30} stroke={1.5} aria-hidden />}
            title="No service tokens yet"
            action={createButton}
          >
            Create one for each service, so that you can revoke them separately.
          </EmptyState>
        )}
        {data && data.length > 0 && (
          <ServiceTokensTable tokens={data} onRotate={setRotating} onRevoke={revokeToken} />
        )}
      </Panel>
      {creating && <ServiceTokenCreate onClose={() => setCreating(false)} onIssued={show} />}
      {rotating && (
        <ServiceTokenRotate token={rotating} onClose={() => setRotating(undefined)} onIssued={show} />
      )}
      {issued !== undefined && (
        <SecretModal
          title="Copy the token now"
          hint="You won’t be able to see this again. Only a hash is stored."
          secret={issued}
          copyLabel="Copy token"
          doneLabel="I have saved it"
          onClose={() => setIssued(undefined)}
        />
      )}
    </Page>
  );
}
