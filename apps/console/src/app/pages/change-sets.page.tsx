import { IconGitPullRequest, IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { EmptyState } from '../../components/empty-state.js';
import { Failure } from '../../components/failure.js';
import { GatedButton } from '../../components/gated-button.js';
import { MoreButton } from '../../components/more-button.js';
import { Page, Panel, RowsSkeleton } from '../../components/page.js';
import { changeSetsQuery } from '../../features/change-sets/api/change-sets.js';
import { ChangeSetCreate } from '../../features/change-sets/components/change-set-create.js';
import { ChangeSetsTable } from '../../features/change-sets/components/change-sets-table.js';

/** Changes that are collected, looked at and made together. */
export function ChangeSetsPage() {
  const query = useInfiniteQuery(changeSetsQuery);
  const { data, error, refetch } = query;
  const [creating, setCreating] = useState(false);
  const navigate = useNavigate();
  const sets = data?.pages.flatMap(({ nodes }) => nodes) ?? [];
  const createButton = (
    <GatedButton
      permission="change-sets:write"
      leftSection={<IconPlus size={15} aria-hidden />}
      onClick={() => setCreating(true)}
    >
      New change set
    </GatedButton>
  );
  return (
    <Page
      title="Change sets"
      description="Policy changes that are reviewed together, approved by a second person and applied at once."
      actions={sets.length > 0 && createButton}
    >
      <Panel flush>
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <RowsSkeleton rows={5} />}
        {data && sets.length === 0 && (
          <EmptyState
            icon={<IconGitPullRequest size={30} stroke={1.5} aria-hidden />}
            title="No change sets yet"
            action={createButton}
          >
            Collect several changes, preview their combined effect, get them approved, then apply or schedule
            them.
          </EmptyState>
        )}
        {sets.length > 0 && <ChangeSetsTable sets={sets} />}
      </Panel>
      <MoreButton list={query} />
      {creating && (
        <ChangeSetCreate
          onClose={() => setCreating(false)}
          onCreated={(id) => void navigate({ to: '/change-sets/$changeSetId', params: { changeSetId: id } })}
        />
      )}
    </Page>
  );
}
