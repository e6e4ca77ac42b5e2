import { Badge } from '@mantine/core';
import { IconArrowsDiff, IconStack2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { AddButton } from '../../components/buttons.js';
import { LinkAnchor, LinkButton } from '../../components/links.js';
import { KeyText, ManagedBadge } from '../../components/marks.js';
import { EmptyState, MissingPage, Page, Panel, QueryFallback, RowsSkeleton } from '../../components/page.js';
import { AddToChangeSet } from '../../features/change-sets/add-to-change-set.js';
import { useChangeSetAtOnce } from '../../features/change-sets/api.js';
import { followChange } from '../../features/nodes/follow-change.js';
import {
  type ApiChoice,
  type ApiInMatrix,
  apisForMatrixQuery,
  ownLimitsOf,
  type TierDetail,
  type TierInOverview,
  tierQuery,
  tiersQuery,
} from '../../features/tiers/api.js';
import { CandidatePanel } from '../../features/tiers/candidate-panel.js';
import { GuardBanner } from '../../features/tiers/guard-banner.js';
import { RolloutPanel, VersionHistory } from '../../features/tiers/rollout-panel.js';
import { SaveBar } from '../../features/tiers/save-bar.js';
import { TierComparison } from '../../features/tiers/tier-comparison.js';
import { TierMatrixTable, useMatrixEditor } from '../../features/tiers/tier-matrix-table.js';
import { TierCreate, TierMenu } from '../../features/tiers/tier-menu.js';
import { TierReview } from '../../features/tiers/tier-review.js';
import { TierWorkspace, useTierEditor } from '../../features/tiers/tier-workspace.js';
import { notifyDone } from '../../lib/graphql-request.js';
import type { MutationCall } from '../../lib/mutation-text.js';
import { plural } from '../../lib/number-format.js';
import { usePermission } from '../../lib/viewer.js';
import { parseTierCompareSearch } from '../search-params.js';
import { NewTenant } from './tenant/new-tenant.js';

export function TiersPage() {
  const query = useQuery(tiersQuery);
  const { data: tiers } = query;
  const { data: apis } = useQuery(apisForMatrixQuery);
  const [creating, setCreating] = useState(false);
  const navigate = useNavigate();
  const createButton = (
    <AddButton permission="tiers:write" onClick={() => setCreating(true)}>
      Create tier
    </AddButton>
  );
  const isEmpty = tiers?.length === 0;
  return (
    <Page
      title="Tiers"
      description="Enter a limit such as 100/min, 10k per month, 5 at once or blocked. Clear a cell to remove its limit. You can paste from a spreadsheet."
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
          <QueryFallback query={query} rows={8} />
          {tiers && !isEmpty && <RowsSkeleton rows={8} />}
          {isEmpty && (
            <EmptyState icon={IconStack2} title="No tiers yet" action={createButton}>
              A tier is a plan such as Free or Pro. It sets a limit for each operation.
            </EmptyState>
          )}
        </Panel>
      )}
      {tiers && apis && !isEmpty && <Matrix tiers={tiers} apis={apis} />}
      {creating && (
        <TierCreate
          onClose={() => setCreating(false)}
          onCreated={(tierKey) => void navigate({ to: '/tiers/$tierKey', params: { tierKey } })}
        />
      )}
    </Page>
  );
}

/** The two lowest tiers. */
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
      {(changes.length > 0 || editor.problems.length > 0) && (
        <SaveBar
          changes={changes}
          problems={editor.problems}
          onDiscard={discard}
          onReview={() => setReviewing(true)}
        />
      )}
      {reviewing && editor.edited.length > 0 && (
        <TierReview
          edited={editor.edited}
          onClose={() => setReviewing(false)}
          applyAtOnce={(calls, reason) => applyAtOnce(reason?.slice(0, 80) ?? 'Several tiers', calls)}
          onApplied={({ changeId }) => {
            const names = editor.edited.map(({ tier }) => tier.name).join(', ');
            discard();
            followChange(changeId, `${names} applied`);
          }}
          aside={(calls) => <AddToChangeSet calls={calls} onAdded={discard} />}
        />
      )}
    </>
  );
}

const route = getRouteApi('/shell/tiers/$tierKey');
const PARENT = { label: 'Tiers', to: '/tiers' } as const;

export function TierPage() {
  const { tierKey } = route.useParams();
  const query = useQuery(tierQuery(tierKey));
  if (query.data === undefined) return <QueryFallback query={query} />;
  const { tier, apis } = query.data;
  if (!tier) {
    return (
      <MissingPage
        title="No such tier"
        heading={`There is no tier “${tierKey}”`}
        parent={PARENT}
        back="All tiers"
        icon={IconStack2}
      >
        It may have another key, or it was deleted.
      </MissingPage>
    );
  }
  return <TierView key={tier.id} tier={tier} apis={apis} />;
}

function TierView({ tier, apis }: { tier: TierDetail; apis: readonly ApiChoice[] }) {
  const editor = useTierEditor(tier);
  const { allowed } = usePermission('tiers:write');
  const editable = allowed && tier.managedBy === 'CONSOLE' && !tier.archivedAt;
  const [addingTenant, setAddingTenant] = useState(false);
  return (
    <Page
      title={tier.name}
      parent={PARENT}
      marks={<TierMarks tier={tier} />}
      description={<TierFacts tier={tier} />}
      actions={
        <>
          {tier.published && !tier.archivedAt && (
            <AddButton permission="tenants:write" variant="default" onClick={() => setAddingTenant(true)}>
              Add tenant
            </AddButton>
          )}
          <TierMenu tier={tier} onChanged={followChange} />
        </>
      }
    >
      {addingTenant && <NewTenant tierKey={tier.key} onClose={() => setAddingTenant(false)} />}
      <GuardBanner tier={tier} />
      <TierWorkspace
        tier={tier}
        apis={apis}
        editor={editor}
        onApplied={({ changeId, tier: now }) => {
          const number = now?.published?.number;
          followChange(changeId, `${tier.name}${number === undefined ? '' : ` v${number}`} applied`);
        }}
        aside={(calls, reason, onAdded) => (
          <AddToChangeSet calls={calls.map((call) => withNote(call, reason))} onAdded={onAdded} />
        )}
      />
      <CandidatePanel tier={tier} onPromote={editable ? editor.promote : undefined} />
      <RolloutPanel tier={tier} onMoving={(count) => notifyDone(`Moving ${plural(count, 'tenant')}`)} />
      <VersionHistory
        tier={tier}
        onRevert={
          editable
            ? (version) => {
                editor.load(ownLimitsOf(version));
                window.scrollTo({ top: 0, behavior: 'smooth' });
              }
            : undefined
        }
      />
    </Page>
  );
}

/** In a change set the reason is stored as the note of the version. */
const withNote = (call: MutationCall, note: string | null): MutationCall => ({
  ...call,
  input: { ...call.input, note },
});

function TierMarks({ tier }: { tier: TierDetail }) {
  return (
    <>
      {tier.published ? (
        <Badge color="gate">v{String(tier.published.number)} published</Badge>
      ) : (
        <Badge color="gray">not published</Badge>
      )}
      {tier.draft && <Badge color="ochre">draft</Badge>}
      {tier.archivedAt && <Badge color="gray">archived</Badge>}
      <ManagedBadge managedBy={tier.managedBy} />
    </>
  );
}

function TierFacts({ tier }: { tier: TierDetail }) {
  return (
    <>
      {tier.description && <span>{tier.description} </span>}
      <KeyText>{tier.key}</KeyText>
      {' · '}
      <LinkAnchor to="/tenants" search={{ tier: tier.key }} underline="always">
        {plural(tier.tenantCount, 'tenant')}
      </LinkAnchor>
    </>
  );
}

const tierCompareRoute = getRouteApi('/shell/tiers/compare');

export function TierComparePage() {
  const { a, av, b, bv } = tierCompareRoute.useSearch();
  const navigate = useNavigate();
  return (
    <Page
      title="Compare tiers"
      parent={PARENT}
      description="Differences between two versions of one tier or two."
    >
      <TierComparison
        a={{ tierKey: a, version: av }}
        b={{ tierKey: b, version: bv }}
        onChange={(first, second) =>
          void navigate({
            to: '/tiers/compare',
            search: parseTierCompareSearch({
              ...{ a: first.tierKey, av: first.version },
              ...{ b: second.tierKey, bv: second.version },
            }),
            replace: true,
          })
        }
      />
    </Page>
  );
}
