import { Alert } from '@mantine/core';
import { IconBan, IconBuilding, IconEye } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Outlet } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
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
  const texts = useTranslations('pages.tenant');
  const { tenantKey } = route.useParams();
  const t = useTranslations('tenants.facts');
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
            {t('viewAs')}
          </LinkButton>
          <LinkButton to="/why" search={{ q: tenantKey }} variant="default">
            {t('why')}
          </LinkButton>
          <TenantActions tenant={tenant} onChanged={followChange} />
        </>
      }
    >
      {tenant.status === 'SUSPENDED' && (
        <Alert color="ember" icon={<IconBan size={18} aria-hidden />} title={texts('everyRequestOfThis')}>
          {texts('theLimitsBelowApply')}
        </Alert>
      )}
      <TenantTabs tenantKey={tenant.key} />
      <Outlet />
    </Page>
  );
}

function TenantTabs({ tenantKey }: { tenantKey: string }) {
  const t = useTranslations('tenants.tabs');
  const params = { tenantKey };
  return (
    <TabLinks
      label={t('label')}
      tabs={[
        { label: t('limits'), link: { to: '/tenants/$tenantKey', params }, exact: true },
        { label: t('usage'), link: { to: '/tenants/$tenantKey/usage', params } },
        { label: t('purchases'), link: { to: '/tenants/$tenantKey/purchases', params } },
        { label: t('exceptions'), link: { to: '/tenants/$tenantKey/exceptions', params } },
        { label: t('keys'), link: { to: '/tenants/$tenantKey/keys', params } },
        { label: t('people'), link: { to: '/tenants/$tenantKey/people', params } },
        { label: t('alerts'), link: { to: '/tenants/$tenantKey/alerts', params } },
        { label: t('activity'), link: { to: '/tenants/$tenantKey/activity', params } },
      ]}
    />
  );
}

function TenantFacts({ tenant }: { tenant: TenantDetail }) {
  const t = useTranslations('pages.tenant');
  const { tier, tierVersion, pinned, since } = tenant.subscription;
  return (
    <>
      <KeyText>{tenant.key}</KeyText>
      {' · '}
      <LinkAnchor to="/tiers/$tierKey" params={{ tierKey: tier.key }} underline="always">
        {tier.name} v{tierVersion.number}
      </LinkAnchor>
      {t(pinned ? 'pinnedSince' : 'since', { day: formatDayInZone(since, tenant.timeZone) })}
      {' · '}
      {tenant.timeZone}
    </>
  );
}

function NoSuchTenant({ tenantKey }: { tenantKey: string }) {
  const t = useTranslations('pages.tenant');
  return (
    <Page title={t('noSuchTenant')} parent={PARENT}>
      <EmptyState
        icon={<IconBuilding size={30} stroke={1.5} aria-hidden />}
        title={t('thereIsNoTenant', { tenantKey })}
        action={
          <LinkButton to="/tenants" variant="default">
            {t('allTenants')}
          </LinkButton>
        }
      >
        {t('requestsInItsName')}
      </EmptyState>
    </Page>
  );
}
