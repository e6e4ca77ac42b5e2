import { Badge } from '@mantine/core';
import { IconStack2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.js';
import { Failure } from '../../components/failure.js';
import { KeyText } from '../../components/key-text.js';
import { LinkAnchor, LinkButton } from '../../components/link.js';
import { Page, PageSkeleton } from '../../components/page.js';
import { followChange } from '../../features/nodes/components/follow-change.js';
import { type TierDetail, tierQuery } from '../../features/tiers/api/tier.js';
import { TierWorkspace } from '../../features/tiers/components/tier-workspace.js';
import { VersionHistory } from '../../features/tiers/components/version-history.js';
import { plural } from '../../lib/number-format.js';

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
  return (
    <Page
      title={tier.name}
      parent={PARENT}
      marks={
        <>
          {tier.published ? (
            <Badge color="gate">v{tier.published.number} published</Badge>
          ) : (
            <Badge color="gray">not published</Badge>
          )}
          {tier.draft && <Badge color="ochre">draft</Badge>}
        </>
      }
      description={<TierFacts tier={tier} />}
    >
      <TierWorkspace
        key={tier.id}
        tier={tier}
        apis={apis}
        onApplied={({ changeId, versionNumber }) =>
          followChange(
            changeId,
            versionNumber === undefined ? `${tier.name} applied` : `${tier.name} v${versionNumber} applied`,
          )
        }
      />
      <VersionHistory tier={tier} />
    </Page>
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
        It may have another key, or somebody removed it.
      </EmptyState>
    </Page>
  );
}
