import { IconPlus, IconStack2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { EmptyState } from '../../components/empty-state.js';
import { Failure } from '../../components/failure.js';
import { GatedButton } from '../../components/gated-button.js';
import { Page, Panel, RowsSkeleton } from '../../components/page.js';
import { tiersQuery } from '../../features/tiers/api/tiers.js';
import { TierCreate } from '../../features/tiers/components/tier-create.js';
import { TierMatrixTable } from '../../features/tiers/components/tier-matrix-table.js';

/** All tiers side by side. */
export function TiersPage() {
  const { data, error, refetch } = useQuery(tiersQuery);
  const [creating, setCreating] = useState(false);
  const navigate = useNavigate();
  const createButton = (
    <GatedButton
      permission="tiers:write"
      leftSection={<IconPlus size={15} aria-hidden />}
      onClick={() => setCreating(true)}
    >
      Create tier
    </GatedButton>
  );
  return (
    <Page
      title="Tiers"
      description="What each level of access allows. Open one to change its limits."
      actions={data && data.nodes.length > 0 && createButton}
    >
      <Panel flush>
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <RowsSkeleton rows={8} />}
        {data?.nodes.length === 0 && (
          <EmptyState
            icon={<IconStack2 size={30} stroke={1.5} aria-hidden />}
            title="No tiers yet"
            action={createButton}
          >
            A tier is a level of access that tenants are on, such as Free or Pro, with a limit for each
            operation.
          </EmptyState>
        )}
        {data && data.nodes.length > 0 && <TierMatrixTable tiers={data.nodes} />}
      </Panel>
      {creating && (
        <TierCreate
          opened
          onClose={() => setCreating(false)}
          onCreated={(tierKey) => void navigate({ to: '/tiers/$tierKey', params: { tierKey } })}
        />
      )}
    </Page>
  );
}
