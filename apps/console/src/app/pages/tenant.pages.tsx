import { Alert, Text } from '@mantine/core';
import { IconBan, IconBuilding, IconEye } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Outlet, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { LinkAnchor, LinkButton, TabLinks } from '../../components/links.js';
import { KeyText, ManagedBadge } from '../../components/marks.js';
import { EmptyState, Failure, Page, PageSkeleton, Panel, RowsSkeleton } from '../../components/page.js';
import { AdjustmentDialog } from '../../features/adjustments/adjustment-dialog.js';
import type { AdjustmentMaking } from '../../features/adjustments/adjustment-draft.js';
import { EntitlementsPanel, OverridesPanel } from '../../features/adjustments/adjustments-panels.js';
import { AlertSettings } from '../../features/alerts/alert-settings.js';
import { ApiKeysPanel } from '../../features/api-keys/api-keys-panel.js';
import { Activity } from '../../features/audit/activity.js';
import { People } from '../../features/members/people.js';
import { followChange } from '../../features/nodes/follow-change.js';
import { purchasesQuery } from '../../features/purchases/api.js';
import { PurchasesTable } from '../../features/purchases/purchases-table.js';
import { type TenantDetail, tenantQuery } from '../../features/tenants/api.js';
import { EffectiveLimits } from '../../features/tenants/effective-limits.js';
import { TenantActions } from '../../features/tenants/tenant-actions.js';
import { TenantStatusDot } from '../../features/tenants/tenants-list.js';
import { UsagePanel } from '../../features/usage/usage-panel.js';
import { LimitCrossings, UsageSummary } from '../../features/usage/usage-summary.js';
import type { UsageView } from '../../features/usage/usage-view.js';
import { formatDayInZone } from '../../lib/time-format.js';
import { toAdjustmentTenant, useTenant } from './tenant/use-tenant.js';

const route = getRouteApi('/shell/tenants/$tenantKey');
const PARENT = { label: 'Tenants', to: '/tenants' } as const;

/** One tenant: its facts and tabs. */
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

interface Request {
  making: AdjustmentMaking;
  target: { apiKey: string; limit: string };
}

/** Effective limits and how to change them. */
export function TenantLimitsPage() {
  const tenant = useTenant();
  const [request, setRequested] = useState<Request>();
  if (!tenant) return null;
  return (
    <>
      <EffectiveLimits
        tenant={tenant}
        actionsFor={({ limit: { policy } }) => {
          const target = { apiKey: policy.api, limit: policy.name };
          return (
            <>
              <GatedButton
                permission="boosts:write"
                variant="default"
                size="compact-sm"
                onClick={() => setRequested({ making: 'boost', target })}
              >
                Boost
              </GatedButton>
              <GatedButton
                permission="overrides:write"
                variant="default"
                size="compact-sm"
                onClick={() => setRequested({ making: 'override', target })}
              >
                Override
              </GatedButton>
            </>
          );
        }}
      />
      {request && (
        <AdjustmentDialog
          {...request}
          tenant={toAdjustmentTenant(tenant)}
          onClose={() => setRequested(undefined)}
          onMade={(changeId, title) => {
            setRequested(undefined);
            if (changeId) followChange(changeId, title);
          }}
        />
      )}
    </>
  );
}

const tenantUsageRoute = getRouteApi('/shell/tenants/$tenantKey/usage');

export function TenantUsagePage() {
  const { tenantKey } = tenantUsageRoute.useParams();
  const view = tenantUsageRoute.useSearch();
  const navigate = useNavigate();
  const tenant = useTenant();
  if (!tenant) return null;
  const { timeZone } = tenant;
  const setView = (search: UsageView) =>
    void navigate({ to: '/tenants/$tenantKey/usage', params: { tenantKey }, search, resetScroll: false });
  return (
    <>
      <UsagePanel tenantKey={tenantKey} view={view} onView={setView} />
      <UsageSummary tenantKey={tenantKey} timeZone={timeZone} />
    </>
  );
}

/** Purchases and entitlements. */
export function TenantPurchasesPage() {
  const tenant = useTenant();
  if (!tenant) return null;
  return (
    <>
      <Purchases tenantKey={tenant.key} />
      <EntitlementsPanel tenant={toAdjustmentTenant(tenant)} onChanged={followChange} />
    </>
  );
}

function Purchases({ tenantKey }: { tenantKey: string }) {
  const { data, error, refetch } = useInfiniteQuery(purchasesQuery({ tenantKey }));
  const purchases = data?.pages.flatMap(({ nodes }) => nodes);
  return (
    <Panel title="Purchases" flush>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <RowsSkeleton rows={3} />}
      {purchases?.length === 0 && (
        <Text size="sm" c="dimmed" p="md">
          No purchases yet.
        </Text>
      )}
      {purchases && purchases.length > 0 && (
        <PurchasesTable
          purchases={purchases}
          nameOf={({ id, label }) => (
            <LinkAnchor to="/purchases/$purchaseId" params={{ purchaseId: id }}>
              {label}
            </LinkAnchor>
          )}
        />
      )}
    </Panel>
  );
}

/** Overrides and boosts of a tenant. */
export function TenantExceptionsPage() {
  const tenant = useTenant();
  return tenant ? <OverridesPanel tenant={toAdjustmentTenant(tenant)} onChanged={followChange} /> : null;
}

/** A tenant's API keys. */
export function TenantKeysPage() {
  const tenant = useTenant();
  return tenant ? <ApiKeysPanel tenantKey={tenant.key} /> : null;
}

/** The tenant's own people. */
export function TenantPeoplePage() {
  const tenant = useTenant();
  return tenant ? <People tenantKey={tenant.key} /> : null;
}

/** Alert thresholds and alerts that were sent. */
export function TenantAlertsPage() {
  const tenant = useTenant();
  if (!tenant) return null;
  const policies = tenant.effectiveLimits.map(({ limit }) => limit.policy);
  const byApi = Map.groupBy(policies, ({ api }) => api);
  const limitsByApi = new Map([...byApi].map(([api, own]) => [api, own.map(({ name }) => name)]));
  return (
    <>
      <AlertSettings tenantKey={tenant.key} limitsByApi={limitsByApi} />
      <LimitCrossings tenantKey={tenant.key} timeZone={tenant.timeZone} />
    </>
  );
}

const tenantActivityRoute = getRouteApi('/shell/tenants/$tenantKey/activity');

export function TenantActivityPage() {
  const { tenantKey } = tenantActivityRoute.useParams();
  return <Activity tenantKey={tenantKey} />;
}
