import { IconArrowsDiff, IconPlus, IconStack2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { EmptyState } from '../../components/empty-state.js';
import { Failure } from '../../components/failure.js';
import { GatedButton } from '../../components/gated-button.js';
import { LinkButton } from '../../components/link.js';
import { Page, Panel, RowsSkeleton } from '../../components/page.js';
import { useChangeSetAtOnce } from '../../features/change-sets/api/change-set-at-once.js';
import { AddToChangeSet } from '../../features/change-sets/components/add-to-change-set.js';
import { followChange } from '../../features/nodes/components/follow-change.js';
import { type ApiInMatrix, apisForMatrixQuery } from '../../features/tiers/api/apis-for-matrix.js';
import { type TierInOverview, tiersQuery } from '../../features/tiers/api/tiers.js';
import { MatrixReview } from '../../features/tiers/components/matrix-review.js';
import { SaveBar } from '../../features/tiers/components/save-bar.js';
import { TierCreate } from '../../features/tiers/components/tier-create.js';
import { TierMatrixTable } from '../../features/tiers/components/tier-matrix-table.js';
import { useMatrixEditor } from '../../features/tiers/components/use-matrix-editor.js';
import { usePermission } from '../../lib/viewer.js';

/** All tiers side by side, to be edited like a spreadsheet. */
export function TiersPage() {
  const { data: tiers, error, refetch } = useQuery(tiersQuery);
  const { data: apis } = useQuery(apisForMatrixQuery);
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
  const isEmpty = tiers?.length === 0;
  return (
    <Page
      title="Tiers"
      description="Enter a limit such as 100/min, 10k per month or 5 at once. Clear a cell to remove its limit. You can paste from a spreadsheet."
      actions={
        tiers &&
        !isEmpty && (
          <>
            <LinkButton
              to="/tiers/compare"
              search={compareFirst(tiers)}
              variant="default"
              leftSection={<IconArrowsDiff size={15} aria-hidden />}
            >
              Compare
            </LinkButton>
            {createButton}
          </>
        )
      }
    >
      {(!tiers || !apis || isEmpty) && (
        <Panel flush>
          {error && !tiers && <Failure error={error} onRetry={() => void refetch()} />}
          {!isEmpty && !error && <RowsSkeleton rows={8} />}
          {isEmpty && (
            <EmptyState
              icon={<IconStack2 size={30} stroke={1.5} aria-hidden />}
              title="No tiers yet"
              action={createButton}
            >
              A tier is a plan such as Free or Pro. It sets a limit for each operation.
            </EmptyState>
          )}
        </Panel>
      )}
      {tiers && apis && !isEmpty && <Matrix tiers={tiers} apis={apis} />}
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

/** The two lowest tiers: the difference that customers ask about first. */
function compareFirst([a, b]: readonly TierInOverview[]): { a?: string; b?: string } {
  return { ...(a ? { a: a.key } : {}), ...(b ? { b: b.key } : {}) };
}

function Matrix({ tiers, apis }: { tiers: readonly TierInOverview[]; apis: readonly ApiInMatrix[] }) {
  const { allowed } = usePermission('tiers:write');
  const editor = useMatrixEditor(tiers, apis);
  const applyAtOnce = useChangeSetAtOnce();
  const [reviewing, setReviewing] = useState(false);
  const changes = editor.edited.flatMap((one) => one.changes);
  const discard = () => {
    setReviewing(false);
    editor.discard();
  };
  return (
    <>
      <Panel flush>
        <TierMatrixTable tiers={tiers} editor={editor} editable={allowed} />
      </Panel>
      {(changes.length > 0 || editor.unreadable > 0) && (
        <SaveBar
          changes={changes}
          sound={editor.unreadable === 0}
          onDiscard={discard}
          onReview={() => setReviewing(true)}
        />
      )}
      {reviewing && editor.edited.length > 0 && (
        <MatrixReview
          edited={editor.edited}
          onClose={() => setReviewing(false)}
          applyAtOnce={(calls, reason) => applyAtOnce(reason?.slice(0, 80) ?? 'Several tiers', calls)}
          onApplied={(changeId, names) => {
            discard();
            if (changeId) followChange(changeId, `${names} applied`);
          }}
          aside={(calls) => <AddToChangeSet calls={calls} onAdded={discard} />}
        />
      )}
    </>
  );
}
