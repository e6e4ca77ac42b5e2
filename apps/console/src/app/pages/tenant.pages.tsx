import { Alert, Stack } from '@mantine/core';
import { IconBan, IconBuilding, IconEye } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Outlet, useMatches, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { LinkAnchor, LinkButton, TabLinks } from '../../components/links.js';
import { KeyText, ManagedBadge } from '../../components/marks.js';
import { Columns, EmptyText, MissingPage, Page, Panel, QueryFallback } from '../../components/page.js';
import { AdjustmentDialog } from '../../features/adjustments/adjustment-dialog.js';
import type { AdjustmentMaking } from '../../features/adjustments/adjustment-draft.js';
import { EntitlementsPanel, OverridesPanel } from '../../features/adjustments/adjustments-panels.js';
import { SubjectRulesPanel } from '../../features/adjustments/subject-rules-panel.js';
import { AlertSettings } from '../../features/alerts/alert-settings.js';
import { ApiKeysPanel } from '../../features/api-keys/api-keys-panel.js';
import { Activity } from '../../features/audit/activity.js';
import { AddToChangeSet } from '../../features/change-sets/add-to-change-set.js';
import { RecentDenials } from '../../features/explain/decision-view.js';
import { People } from '../../features/members/people.js';
import { followChange } from '../../features/nodes/follow-change.js';
import { purchasesQuery } from '../../features/purchases/api.js';
import { AutoTopUpsTable } from '../../features/purchases/auto-top-up.js';
import { PurchasesTable } from '../../features/purchases/purchases-table.js';
import { type TenantDetail, tenantQuery } from '../../features/tenants/api.js';
import { EffectiveLimits } from '../../features/tenants/effective-limits.js';
import { TenantActions } from '../../features/tenants/tenant-actions.js';
import { TenantStatusDot } from '../../features/tenants/utilization-cells.js';
import { TestRequestButton } from '../../features/test-requests/test-request.js';
import { UsagePanel } from '../../features/usage/usage-panel.js';
import { LimitCrossings, UsageSummary } from '../../features/usage/usage-summary.js';
import type { UsageView } from '../../features/usage/usage-view.js';
import { useRequestedAction } from '../../lib/requested-action.js';
import { formatDayInZone } from '../../lib/time-format.js';
import { TenantSide } from './tenant/tenant-side.js';
import { toAdjustmentTenant, useTenant } from './tenant/use-tenant.js';

const route = getRouteApi('/shell/tenants/$tenantKey');
const PARENT = { label: 'Tenants', to: '/tenants' } as const;

export function TenantPage() {
  const { tenantKey } = route.useParams();
  const query = useQuery(tenantQuery(tenantKey));
  const { data: tenant } = query;
  const address = useMatches({ select: (matches) => matches.at(-1)?.fullPath.replace(/\/$/, '') });
  const section = TABS.find(({ to }) => to === address)?.label;
  if (tenant === undefined) return <QueryFallback query={query} />;
  if (tenant === null) {
    return (
      <MissingPage
        title="No such tenant"
        heading={`There is no tenant “${tenantKey}”`}
        parent={PARENT}
        back="All tenants"
        icon={IconBuilding}
      >
        Requests for this tenant fail with “unknown tenant”.
      </MissingPage>
    );
  }
  return (
    <Page
      title={tenant.name}
      section={section}
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
          <TestRequestButton tenantKey={tenantKey} />
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
      <TabLinks
        label="Tenant sections"
        tabs={TABS.map(({ label, to }, index) => ({
          label,
          link: { to, params: { tenantKey } },
          exact: index === 0,
        }))}
      />
      <Outlet />
    </Page>
  );
}

const TABS = [
  { label: 'Limits', to: '/tenants/$tenantKey' },
  { label: 'Usage', to: '/tenants/$tenantKey/usage' },
  { label: 'Purchases', to: '/tenants/$tenantKey/purchases' },
  { label: 'Overrides and boosts', to: '/tenants/$tenantKey/exceptions' },
  { label: 'API keys', to: '/tenants/$tenantKey/keys' },
  { label: 'Members', to: '/tenants/$tenantKey/people' },
  { label: 'Alerts', to: '/tenants/$tenantKey/alerts' },
  { label: 'Activity', to: '/tenants/$tenantKey/activity' },
] as const;

function TenantFacts({ tenant }: { tenant: TenantDetail }) {
  const { tier, tierVersion, pinned, since } = tenant.subscription;
  return (
    <>
      <KeyText>{tenant.key}</KeyText>
      {' · '}
      <LinkAnchor to="/tiers/$tierKey" params={{ tierKey: tier.key }} underline="always">
        {tier.name} v{tierVersion.number}
      </LinkAnchor>
      {`${pinned ? ', pinned' : ''} since ${formatDayInZone(since, tenant.timeZone)}`}
      {tenant.parentKey !== null && (
        <>
          {' · child of '}
          <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey: tenant.parentKey }} underline="always">
            {tenant.parentKey}
          </LinkAnchor>
        </>
      )}
      {' · '}
      {tenant.timeZone}
    </>
  );
}

const MAKING_TEXT = { boost: 'Boost', override: 'Override' } as const;

interface Request {
  making: AdjustmentMaking;
  target?: { apiKey: string; limit: string };
}

export function TenantLimitsPage() {
  const tenant = useTenant();
  const [request, setRequested] = useState<Request>();
  useRequestedAction(['boost', 'override'], (making) => setRequested({ making }));
  if (!tenant) return null;
  return (
    <Columns first={2.9}>
      <Stack gap={16}>
        <EffectiveLimits
          tenant={tenant}
          actionsFor={({ limit: { policy } }) => {
            const target = { apiKey: policy.api, limit: policy.name };
            return (
              <>
                {(['boost', 'override'] as const).map((making) => (
                  <GatedButton
                    key={making}
                    permission={`${making}s:write`}
                    variant="default"
                    size="compact-sm"
                    aria-label={`${MAKING_TEXT[making]} ${policy.name}`}
                    onClick={() => setRequested({ making, target })}
                  >
                    {MAKING_TEXT[making]}
                  </GatedButton>
                ))}
              </>
            );
          }}
        />
        <RecentDenials tenantKey={tenant.key} />
      </Stack>
      <TenantSide tenant={tenant} />
      {request && (
        <AdjustmentDialog
          {...request}
          tenant={toAdjustmentTenant(tenant)}
          onClose={() => setRequested(undefined)}
          onChanged={followChange}
        />
      )}
    </Columns>
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

export function TenantPurchasesPage() {
  const tenant = useTenant();
  if (!tenant) return null;
  return (
    <>
      <AutoTopUpsTable tenantKey={tenant.key} />
      <Purchases tenantKey={tenant.key} />
      <EntitlementsPanel tenant={toAdjustmentTenant(tenant)} onChanged={followChange} />
    </>
  );
}

function Purchases({ tenantKey }: { tenantKey: string }) {
  const query = useInfiniteQuery(purchasesQuery({ tenantKey }));
  const purchases = query.data?.nodes;
  return (
    <Panel title="Purchases" flush>
      <QueryFallback query={query} rows={3} />
      {purchases?.length === 0 && <EmptyText>No purchases yet.</EmptyText>}
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

export function TenantExceptionsPage() {
  const tenant = useTenant();
  if (!tenant) return null;
  const panel = { tenant: toAdjustmentTenant(tenant), onChanged: followChange };
  const { limits } = panel.tenant;
  const { key, name, timeZone } = tenant;
  return (
    <>
      <OverridesPanel {...panel} />
      <SubjectRulesPanel
        title="Rules for subjects"
        note={
          <>
            for some users, keys, networks or other values of this tenant;{' '}
            <LinkAnchor to="/subject-rules">rules for all tenants</LinkAnchor> apply too; times in {timeZone}
          </>
        }
        empty="No rules yet. Deny or exempt some users, keys or networks of this tenant, or give them another limit. Example: deny ip 203.0.113.0/24 for a week."
        owner={{ key, name, timeZone, limits, apis: [...new Set(limits.map(({ api }) => api))].sort() }}
        onChanged={followChange}
        aside={(call, onAdded) => <AddToChangeSet calls={[call]} onAdded={onAdded} />}
      />
    </>
  );
}

export function TenantKeysPage() {
  const tenant = useTenant();
  if (!tenant) return null;
  const { key: tenantKey, name, effectiveLimits } = tenant;
  return (
    <ApiKeysPanel
      tenantKey={tenantKey}
      tenantName={name}
      calls={effectiveLimits.flatMap(({ limit: { policy } }) =>
        [null, ...policy.operations].map((operation) => ({ api: policy.api, operation })),
      )}
      actionsFor={({ publicId }) => <TestRequestButton tenantKey={tenantKey} publicId={publicId} />}
    />
  );
}

export function TenantPeoplePage() {
  const tenant = useTenant();
  return tenant ? <People tenantKey={tenant.key} /> : null;
}

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
