import { Alert } from '@mantine/core';
import { IconAlertTriangle, IconGitPullRequest } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { AddButton, MoreButton } from '../../components/buttons.js';
import { ImpactSummary } from '../../components/change-review.js';
import { LinkAnchor } from '../../components/links.js';
import { EmptyState, MissingPage, Page, Panel, Problem, QueryFallback } from '../../components/page.js';
import { SimulationPart } from '../../components/simulation-part.js';
import {
  type ChangeSetDetail,
  changeSetQuery,
  changeSetsQuery,
  useChangeSetStep,
} from '../../features/change-sets/api.js';
import { ChangeSetActions } from '../../features/change-sets/change-set-actions.js';
import { ChangeSetItems, itemAnchor } from '../../features/change-sets/change-set-items.js';
import {
  ChangeSetCreate,
  ChangeSetsTable,
  StatusBadge,
} from '../../features/change-sets/change-sets-table.js';
import { followChange } from '../../features/nodes/follow-change.js';
import { useSingleMutation } from '../../lib/mutation.js';
import { plural } from '../../lib/number-format.js';
import { formatAgo, formatMoment } from '../../lib/time-format.js';
import { usePermission } from '../../lib/viewer.js';

export function ChangeSetsPage() {
  const query = useInfiniteQuery(changeSetsQuery);
  const { data } = query;
  const [creating, setCreating] = useState(false);
  const navigate = useNavigate();
  const sets = data?.nodes ?? [];
  const createButton = (
    <AddButton permission="change-sets:write" onClick={() => setCreating(true)}>
      New change set
    </AddButton>
  );
  return (
    <Page
      title="Change sets"
      description="Policy changes that are reviewed together, approved by a second person and applied at once."
      actions={sets.length > 0 && createButton}
    >
      <Panel flush>
        <QueryFallback query={query} rows={5} />
        {data && sets.length === 0 && (
          <EmptyState icon={IconGitPullRequest} title="No change sets yet" action={createButton}>
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

const route = getRouteApi('/shell/change-sets/$changeSetId');
const PARENT = { label: 'Change sets', to: '/change-sets' } as const;
const OVER = ['APPLIED', 'CANCELED'];
const EDITABLE = ['DRAFT', 'REJECTED', 'FAILED'];

export function ChangeSetPage() {
  const { changeSetId } = route.useParams();
  const query = useQuery(changeSetQuery(changeSetId));
  const { data: set } = query;
  if (set === undefined) return <QueryFallback query={query} />;
  if (set === null) {
    return (
      <MissingPage
        title="Change set not found"
        parent={PARENT}
        back="All change sets"
        icon={IconGitPullRequest}
      >
        No change set has this ID.
      </MissingPage>
    );
  }
  return <ChangeSetView set={set} />;
}

function ChangeSetView({ set }: { set: ChangeSetDetail }) {
  const navigate = useNavigate();
  const { allowed } = usePermission('change-sets:write');
  const { allowed: readsTraffic } = usePermission('traffic:read');
  const take = useChangeSetStep();
  const remove = useSingleMutation({
    mutationFn: (itemId: string) =>
      take({ id: set.id, expectedVersion: set.version }, { kind: 'remove', itemId }),
  });
  const { diff } = set;
  return (
    <Page
      title={set.title}
      parent={PARENT}
      marks={<StatusBadge status={set.status} />}
      description={<Facts set={set} />}
      actions={
        <ChangeSetActions
          set={set}
          onDone={(step, outcome) => {
            if (step === 'apply') followChange(outcome.changeId, `${set.title} applied`);
            if (step === 'revert' && outcome.changeSet) {
              const { id } = outcome.changeSet;
              void navigate({ to: '/change-sets/$changeSetId', params: { changeSetId: id } });
            }
          }}
        />
      }
    >
      {diff.stale && (
        <Alert
          color="ochre"
          icon={<IconAlertTriangle size={18} aria-hidden />}
          title="The policy has changed since this review"
        >
          The preview below is current. Review it again before you continue.
        </Alert>
      )}
      {diff.errors.length > 0 && (
        <Problem icon={<IconAlertTriangle size={18} aria-hidden />} title="Cannot be applied">
          <ul className="tg-list">
            {diff.errors.map(({ message, field }) => {
              const number = field?.[0] === 'items' ? Number(field[1]) + 1 : undefined;
              return (
                <li key={`${number} ${message}`}>
                  {number === undefined ? message : <a href={`#${itemAnchor(number)}`}>Change {number}</a>}
                  {number !== undefined && `: ${message}`}
                </li>
              );
            })}
          </ul>
        </Problem>
      )}
      <Panel
        title="Changes"
        note={`${set.items.length === 0 ? 'none yet' : plural(set.items.length, 'change')}, applied in this order`}
        flush
      >
        <ChangeSetItems
          set={set}
          onRemove={allowed && EDITABLE.includes(set.status) ? (id) => remove.mutate(id) : undefined}
        />
      </Panel>
      {readsTraffic && !OVER.includes(set.status) && diff.errors.length === 0 && set.items.length > 0 && (
        <Panel title="Recorded traffic">
          <SimulationPart key={set.version} draft={{ changeSetId: set.id }} />
        </Panel>
      )}
      {diff.impact && (
        <Panel title="Affected tenants">
          <div style={{ display: 'grid', gap: 12, maxWidth: 560 }}>
            <ImpactSummary impact={diff.impact} />
          </div>
        </Panel>
      )}
    </Page>
  );
}

function Facts({ set }: { set: ChangeSetDetail }) {
  const reviewed = set.status === 'REJECTED' ? 'Rejected' : 'Approved';
  const { reviewedBy, reviewedAt, appliedAt, appliedBy, scheduledAt, revertsId } = set;
  return (
    <>
      {set.description && <div>{set.description}</div>}
      <div style={{ display: 'flex', flexWrap: 'wrap', gap: '2px 14px' }}>
        <span title={formatMoment(set.createdAt)}>
          Created by {set.author} {formatAgo(set.createdAt)}
        </span>
        {reviewedBy && reviewedAt && (
          <span title={formatMoment(reviewedAt)}>
            {reviewed} by {reviewedBy} {formatAgo(reviewedAt)}
            {set.note && `: “${set.note}”`}
          </span>
        )}
        {scheduledAt && <span>Scheduled for {formatMoment(scheduledAt)} (your time zone)</span>}
        {appliedAt && appliedBy && (
          <span title={formatMoment(appliedAt)}>
            Applied by {appliedBy} {formatAgo(appliedAt)}
          </span>
        )}
        {revertsId && (
          <span>
            Reverts another change set{' '}
            <LinkAnchor to="/change-sets/$changeSetId" params={{ changeSetId: revertsId }} underline="always">
              Open
            </LinkAnchor>
          </span>
        )}
      </div>
    </>
  );
}
