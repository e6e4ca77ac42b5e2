import { Alert } from '@mantine/core';
import { IconBan, IconBuilding, IconEye } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Outlet } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.js';
import { Failure } from '../../components/failure.js';
import { KeyText } from '../../components/key-text.js';
import { LinkAnchor, LinkButton } from '../../components/link.js';
import { ManagedBadge } from '../../components/managed-badge.js';
import { Page, PageSkeleton } from '../../components/page.js';
import { TabLinks } from '../../components/tab-links.js';
import { followChange } from '../../features/nodes/components/follow-change.js';
import { type TenantDetail, tenantQuery } from '../../features/tenants/api/tenant.js';
import { TenantActions } from '../../features/tenants/components/tenant-actions.js';
import { TenantStatusDot } from '../../features/tenants/components/tenant-status.js';
import { formatDayInZone } from '../../lib/time-format.js';

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
      marks={
        <>
          <TenantStatusDot status={tenant.status} />
          <ManagedBadge managedBy={tenant.managedBy} />
        </>
      }
      description={<TenantFacts tenant={tenant} />}
      actions={
        <>
          <LinkButton
            to="/portal/$tenantKey"
            params={{ tenantKey }}
            variant="default"
            leftSection={<IconEye size={15} aria-hidden />}
          >
            View as tenant
          </LinkButton>
          <LinkButton to="/why" search={{ q: tenantKey }} variant="default">
            Why?
          </LinkButton>
          <TenantActions tenant={tenant} onChanged={followChange} />
        </>
      }
    >
      {tenant.status === 'SUSPENDED' && (
        <Alert
          color="ember"
          icon={<IconBan size={18} aria-hidden />}
          title="All requests of this tenant are denied"
        >
          The limits below apply again when you resume it.
        </Alert>
      )}
      <TenantTabs tenantKey={tenant.key} />
      <Outlet />
    </Page>
  );
}

function TenantTabs({ tenantKey }: { tenantKey: string }) {
  const params = { tenantKey };
  return (
    <TabLinks
      label="Tenant sections"
      tabs={[
        { label: 'Limits', link: { to: '/tenants/$tenantKey', params }, exact: true },
        { label: 'Usage', link: { to: '/tenants/$tenantKey/usage', params } },
        { label: 'Purchases', link: { to: '/tenants/$tenantKey/purchases', params } },
        { label: 'Overrides and boosts', link: { to: '/tenants/$tenantKey/exceptions', params } },
        { label: 'API keys', link: { to: '/tenants/$tenantKey/keys', params } },
        { label: 'Members', link: { to: '/tenants/$tenantKey/people', params } },
        { label: 'Alerts', link: { to: '/tenants/$tenantKey/alerts', params } },
        { label: 'Activity', link: { to: '/tenants/$tenantKey/activity', params } },
      ]}
    />
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
      {pinned
        ? `, pinned since ${formatDayInZone(since, tenant.timeZone)}`
        : ` since ${formatDayInZone(since, tenant.timeZone)}`}
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
        Requests for this tenant fail with “unknown tenant”.
      </EmptyState>
    </Page>
  );
}
