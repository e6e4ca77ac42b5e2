import { Alert } from '@mantine/core';
import { IconBan, IconBuilding } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.js';
import { Failure } from '../../components/failure.js';
import { KeyText } from '../../components/key-text.js';
import { LinkAnchor, LinkButton } from '../../components/link.js';
import { Page, PageSkeleton } from '../../components/page.js';
import { Activity } from '../../features/audit/components/activity.js';
import { followChange } from '../../features/nodes/components/follow-change.js';
import { type TenantDetail, tenantQuery } from '../../features/tenants/api/tenant.js';
import { EffectiveLimits } from '../../features/tenants/components/effective-limits.js';
import { Members } from '../../features/tenants/components/members.js';
import { TenantActions } from '../../features/tenants/components/tenant-actions.js';
import { TenantStatusDot } from '../../features/tenants/components/tenant-status.js';
import { formatMoment } from '../../lib/time-format.js';

const route = getRouteApi('/shell/tenants/$tenantKey');
const PARENT = { label: 'Tenants', to: '/tenants' } as const;

/** One tenant: what applies to it now, who belongs to it, and what was done to it. */
export function TenantPage() {
  const { tenantKey } = route.useParams();
  const { data: tenant, error, refetch } = useQuery(tenantQuery(tenantKey));
  if (error && tenant === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  if (tenant === undefined) return <PageSkeleton />;
  if (tenant === null) return <NoSuchTenant tenantKey={tenantKey} />;
  return (
    <Page
      title={tenant.name}
      parent={PARENT}
      marks={<TenantStatusDot status={tenant.status} />}
      description={<TenantFacts tenant={tenant} />}
      actions={<TenantActions tenant={tenant} onChanged={followChange} />}
    >
      {tenant.status === 'SUSPENDED' && (
        <Alert
          color="ember"
          icon={<IconBan size={18} aria-hidden />}
          title="Every request of this tenant is refused"
        >
          The limits below apply again as soon as it is resumed.
        </Alert>
      )}
      <EffectiveLimits tenant={tenant} />
      <Members members={tenant.members} />
      <Activity tenantKey={tenant.key} />
    </Page>
  );
}

function TenantFacts({ tenant }: { tenant: TenantDetail }) {
  const { tier, tierVersion, pinned, since } = tenant.subscription;
  return (
    <>
      <KeyText>{tenant.key}</KeyText>
      {' · '}
      <LinkAnchor to="/tiers/$tierKey" params={{ tierKey: tier.key }} underline="always">
        {tier.name} v{tierVersion.number}
      </LinkAnchor>
      {pinned && ', pinned'} since {formatMoment(since)}
      {' · '}
      {tenant.timeZone}
    </>
  );
}

function NoSuchTenant({ tenantKey }: { tenantKey: string }) {
  return (
    <Page title="No such tenant" parent={PARENT}>
      <EmptyState
        icon={<IconBuilding size={30} stroke={1.5} aria-hidden />}
        title={`There is no tenant “${tenantKey}”`}
        action={
          <LinkButton to="/tenants" variant="default">
            All tenants
          </LinkButton>
        }
      >
        Requests in its name are answered with “unknown tenant”.
      </EmptyState>
    </Page>
  );
}
