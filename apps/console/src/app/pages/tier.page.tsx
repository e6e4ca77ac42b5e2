import { Badge } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconStack2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.js';
import { Failure } from '../../components/failure.js';
import { KeyText } from '../../components/key-text.js';
import { LinkAnchor, LinkButton } from '../../components/link.js';
import { ManagedBadge } from '../../components/managed-badge.js';
import { Page, PageSkeleton } from '../../components/page.js';
import { AddToChangeSet } from '../../features/change-sets/components/add-to-change-set.js';
import { followChange } from '../../features/nodes/components/follow-change.js';
import { type ApiChoice, ownLimitsOf, type TierDetail, tierQuery } from '../../features/tiers/api/tier.js';
import { RolloutPanel } from '../../features/tiers/components/rollout-panel.js';
import { TierMenu } from '../../features/tiers/components/tier-menu.js';
import { TierWorkspace } from '../../features/tiers/components/tier-workspace.js';
import { useTierEditor } from '../../features/tiers/components/use-tier-editor.js';
import { VersionHistory } from '../../features/tiers/components/version-history.js';
import type { MutationCall } from '../../lib/mutation-text.js';
import { plural } from '../../lib/number-format.js';
import { usePermission } from '../../lib/viewer.js';

const route = getRouteApi('/shell/tiers/$tierKey');
const PARENT = { label: 'Tiers', to: '/tiers' } as const;

/** One tier: its limits to be edited and applied, and its history. */
export function TierPage() {
  const { tierKey } = route.useParams();
  const { data, error, refetch } = useQuery(tierQuery(tierKey));
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <PageSkeleton />;
  const { tier, apis } = data;
  if (!tier) return <NoSuchTier tierKey={tierKey} />;
  return <TierView key={tier.id} tier={tier} apis={apis} />;
}

function TierView({ tier, apis }: { tier: TierDetail; apis: readonly ApiChoice[] }) {
  const editor = useTierEditor(tier);
  const { allowed } = usePermission('tiers:write');
  const editable = allowed && tier.managedBy === 'CONSOLE' && !tier.archivedAt;
  return (
    <Page
      title={tier.name}
      parent={PARENT}
      marks={<TierMarks tier={tier} />}
      description={<TierFacts tier={tier} />}
      actions={<TierMenu tier={tier} onChanged={followChange} />}
    >
      <TierWorkspace
        tier={tier}
        apis={apis}
        editor={editor}
        onApplied={({ changeId, tier: now }) => {
          if (!changeId) return;
          const number = now?.published?.number;
          followChange(
            changeId,
            number === undefined ? `${tier.name} applied` : `${tier.name} v${number} applied`,
          );
        }}
        aside={(call, reason) => <AddToChangeSet calls={[withNote(call, reason)]} onAdded={editor.reload} />}
      />
      <RolloutPanel
        tier={tier}
        onMoving={(count) =>
          notifications.show({
            message: `Moving ${plural(count, 'tenant')}`,
            color: 'gate',
            withBorder: true,
          })
        }
      />
      <VersionHistory
        tier={tier}
        onRevert={
          editable
            ? (version) => {
                editor.take(ownLimitsOf(version));
                window.scrollTo({ top: 0, behavior: 'smooth' });
              }
            : undefined
        }
      />
    </Page>
  );
}

/** In a set the reason stands beside the version, as its note. */
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

function NoSuchTier({ tierKey }: { tierKey: string }) {
  return (
    <Page title="No such tier" parent={PARENT}>
      <EmptyState
        icon={<IconStack2 size={30} stroke={1.5} aria-hidden />}
        title={`There is no tier “${tierKey}”`}
        action={
          <LinkButton to="/tiers" variant="default">
            All tiers
          </LinkButton>
        }
      >
        It may have another key, or it was deleted.
      </EmptyState>
    </Page>
  );
}
