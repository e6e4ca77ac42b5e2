import { Alert } from '@mantine/core';
import { IconAlertTriangle, IconBan, IconBuilding, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { GatedButton } from '../../../components/buttons.js';
import { LinkAnchor, LinkButton } from '../../../components/links.js';
import { EmptyState, Page, Panel, QueryFallback } from '../../../components/page.js';
import { SharedLimits } from '../../../components/shared-limits.js';
import { AlertSettings, AlertsSummary } from '../../../features/alerts/alert-settings.js';
import { ApiKeyCreate } from '../../../features/api-keys/api-key-dialogs.js';
import { ApiKeysPanel } from '../../../features/api-keys/api-keys-panel.js';
import { People } from '../../../features/members/people.js';
import { offersOnSaleQuery } from '../../../features/offers/api.js';
import { callsOf } from '../../../features/portal/answer-headers.js';
import { type LimitUsage, type PortalTenant, portalUtilizationQuery } from '../../../features/portal/api.js';
import { HeadersHelp } from '../../../features/portal/headers-help.js';
import { fullestOf, isRaisedBy, LimitsList, RaisedLimits } from '../../../features/portal/limits-list.js';
import classes from '../../../features/portal/portal.module.css';
import { QuickStart } from '../../../features/portal/quick-start.js';
import { AutoTopUps } from '../../../features/purchases/auto-top-up.js';
import { OrderOutcome } from '../../../features/purchases/offer-shelf.js';
import { SpendCap } from '../../../features/purchases/spend-cap.js';
import { TopUps } from '../../../features/purchases/top-ups.js';
import { UpcomingCharges } from '../../../features/purchases/upcoming-charges.js';
import { UsagePanel } from '../../../features/usage/usage-panel.js';
import { LimitCrossings, UsageSummary } from '../../../features/usage/usage-summary.js';
import type { UsageView } from '../../../features/usage/usage-view.js';
import { MEMBER_ROLE_TEXT } from '../../../lib/labels.js';
import { limitHistoryQuery } from '../../../lib/limit-history.js';
import { formatNumber } from '../../../lib/number-format.js';
import { useTenantPermissions, viewerQuery } from '../../../lib/viewer.js';
import { limitsByApi, WithTenant } from './with-tenant.js';

const route = getRouteApi('/portal/$tenantKey/');

export function PortalHomePage() {
  return <WithTenant>{(tenant) => <Overview tenant={tenant} />}</WithTenant>;
}

function Overview({ tenant }: { tenant: PortalTenant }) {
  const { ordered, autoTopUp } = route.useSearch();
  const navigate = route.useNavigate();
  const utilization = useQuery(portalUtilizationQuery(tenant.key));
  const usages = utilization.data ?? [];
  const { data: offers, isPending: isLoadingOffers } = useQuery(offersOnSaleQuery);
  const { data: histories } = useQuery(limitHistoryQuery(tenant.key));
  const permissions = useTenantPermissions(tenant.key);
  const params = { tenantKey: tenant.key };
  return (
    <Page
      title={tenant.name}
      description={`${tenant.subscription.tier.name} plan · Times in ${tenant.timeZone}`}
      actions={
        <>
          <LinkButton to="/portal/$tenantKey/requests" params={params} variant="default">
            Request more
          </LinkButton>
          <LinkButton to="/portal/$tenantKey/buy" params={params}>
            Buy more
          </LinkButton>
        </>
      }
    >
      {tenant.status === 'SUSPENDED' && (
        <Alert color="ember" icon={<IconBan size={18} aria-hidden />} title="All requests are denied">
          Your organization is suspended. Contact the operator of this service. Your data is kept.
        </Alert>
      )}
      {ordered && (
        <OrderOutcome
          tenantKey={tenant.key}
          offerKey={ordered}
          raisedBy={(label) => (isRaisedBy(tenant, label) ? <RaisedLimits {...{ tenant, label }} /> : null)}
          onClose={() => void navigate({ search: {}, replace: true })}
        />
      )}
      <NearLimit tenant={tenant} usages={usages} />
      <div className={classes.overview}>
        {utilization.data === undefined ? (
          <QueryFallback query={utilization} rows={6} framed />
        ) : (
          <LimitsList
            tenant={tenant}
            usages={usages}
            histories={histories}
            actions={
              <LinkAnchor to="/portal/$tenantKey/usage" params={params} size="sm">
                Usage
              </LinkAnchor>
            }
          />
        )}
        <div className={classes.column}>
          <SharedLimits
            title={tenant.parentKey === null ? 'Shared with your teams' : 'Shared within your group'}
            note="All requests together, yours included"
            limits={tenant.sharedLimits}
            timeZone={tenant.timeZone}
          />
          {permissions.has('purchases:read') && (
            <UpcomingCharges
              tenantKey={tenant.key}
              footer={
                <LinkAnchor to="/portal/$tenantKey/receipts" params={params} size="sm">
                  All invoices
                </LinkAnchor>
              }
            />
          )}
          {permissions.has('entitlements:read') && <TopUps tenantKey={tenant.key} />}
          {permissions.has('purchases:read') && (
            <AutoTopUps
              tenantKey={tenant.key}
              quotas={monthlyQuotasOf(tenant)}
              offers={(offers ?? []).filter(
                ({ tierKeys }) => tierKeys.length === 0 || tierKeys.includes(tenant.subscription.tier.key),
              )}
              opened={autoTopUp}
              onClose={() => void navigate({ search: {}, replace: true })}
            />
          )}
          {permissions.has('purchases:read') && (
            <SpendCap
              tenantKey={tenant.key}
              currency={isLoadingOffers ? undefined : (offers?.[0]?.currency ?? 'USD')}
            />
          )}
          <AlertsSummary
            tenantKey={tenant.key}
            link={
              <LinkButton to="/portal/$tenantKey/alerts" params={params} variant="default" size="xs">
                Manage alerts
              </LinkButton>
            }
          />
        </div>
      </div>
    </Page>
  );
}

/** Quotas whose top-ups are used once: per month or billing period, of the tenant as a whole. */
const monthlyQuotasOf = ({ effectiveLimits }: PortalTenant) =>
  effectiveLimits.flatMap(({ limit: { policy } }) =>
    policy.algorithm === 'quota' && policy.per.length === 0 && ['month', 'billing'].includes(policy.period)
      ? [{ apiKey: policy.api, limitName: policy.name }]
      : [],
  );

/** A warning about the fullest limit, from 80 %. */
function NearLimit({ tenant, usages }: { tenant: PortalTenant; usages: readonly LimitUsage[] }) {
  const fullest = fullestOf(tenant.effectiveLimits, usages);
  if (fullest === undefined || fullest.usage.percent < 80) return null;
  const { title, usage } = fullest;
  const { percent, denied, resetsAt } = usage;
  return (
    <Alert color={percent >= 100 ? 'ember' : 'ochre'} icon={<IconAlertTriangle size={18} aria-hidden />}>
      <div className={classes.aside}>
        <span>
          <strong>
            {title} is at {percent} % of its limit.
          </strong>
          {denied > 0 &&
            ` ${formatNumber(denied)} requests were rate limited in the last ${resetsAt ? 'period' : 'hour'}.`}
        </span>
        <LinkAnchor to="/portal/$tenantKey/usage" params={{ tenantKey: tenant.key }} size="sm">
          See requests
        </LinkAnchor>
      </div>
    </Alert>
  );
}

const portalUsageRoute = getRouteApi('/portal/$tenantKey/usage');

export function PortalUsagePage() {
  const { tenantKey } = portalUsageRoute.useParams();
  const view = portalUsageRoute.useSearch();
  const navigate = useNavigate();
  const setView = (search: UsageView) =>
    void navigate({ to: '/portal/$tenantKey/usage', params: { tenantKey }, search, resetScroll: false });
  return (
    <WithTenant>
      {({ timeZone }) => (
        <Page title="Usage">
          <UsagePanel tenantKey={tenantKey} view={view} onView={setView} />
          <UsageSummary tenantKey={tenantKey} timeZone={timeZone} />
        </Page>
      )}
    </WithTenant>
  );
}

export function PortalAlertsPage() {
  return (
    <WithTenant>
      {(tenant) => (
        <Page title="Alerts" description="Get an email, and webhook events, when usage approaches a limit.">
          <AlertSettings tenantKey={tenant.key} limitsByApi={limitsByApi(tenant)} />
          <LimitCrossings tenantKey={tenant.key} timeZone={tenant.timeZone} />
        </Page>
      )}
    </WithTenant>
  );
}

/** A key created here is kept in memory while the page is open. */
export function PortalQuickStartPage() {
  const [issued, setIssued] = useState<{ name: string; key: string }>();
  const [creating, setCreating] = useState(false);
  return (
    <WithTenant>
      {(tenant) => (
        <Page title="Quick start" description="Ready-to-run requests with your key and names.">
          <QuickStart
            tenant={tenant}
            issued={issued}
            createKey={
              <GatedButton
                permission="api-keys:write"
                tenantKey={tenant.key}
                variant={issued ? 'default' : 'filled'}
                onClick={() => setCreating(true)}
              >
                Create key
              </GatedButton>
            }
          />
          {creating && (
            <ApiKeyCreate
              tenantKey={tenant.key}
              calls={callsOf(tenant.effectiveLimits)}
              onClose={() => setCreating(false)}
              onIssued={(made) => {
                setIssued(made);
                setCreating(false);
              }}
            />
          )}
        </Page>
      )}
    </WithTenant>
  );
}

export function PortalKeysPage() {
  return (
    <WithTenant>
      {({ key, name, effectiveLimits }) => (
        <Page title="API keys">
          <ApiKeysPanel tenantKey={key} tenantName={name} calls={callsOf(effectiveLimits)} />
        </Page>
      )}
    </WithTenant>
  );
}

export function PortalHeadersPage() {
  return (
    <WithTenant>
      {(tenant) => (
        <Page
          title="Response headers"
          description={`Rate limit headers, with current values of ${tenant.name}.`}
        >
          <HeadersHelp tenant={tenant} />
        </Page>
      )}
    </WithTenant>
  );
}

export function PortalMembersPage() {
  return (
    <WithTenant>
      {({ key }) => (
        <Page title="Members">
          <People tenantKey={key} />
        </Page>
      )}
    </WithTenant>
  );
}

/** The choice of a portal, for members of several tenants or none. */
export function PortalsPage() {
  const { data: viewer } = useQuery(viewerQuery);
  return (
    <Page title="Your organizations" description="Each has its own limits, keys and receipts.">
      <Panel flush>
        {viewer?.memberships.length === 0 && (
          <EmptyState icon={IconBuilding} title="You have no organizations yet">
            Ask an owner to invite you by email.
          </EmptyState>
        )}
        <ul className={classes.choices}>
          {viewer?.memberships.map(({ tenantKey, tenantName, role }) => (
            <li key={tenantKey}>
              <LinkAnchor to="/portal/$tenantKey" params={{ tenantKey }} underline="never">
                {tenantName}
                <span className="tg-soft">
                  {MEMBER_ROLE_TEXT[role]} <IconChevronRight size={14} aria-hidden />
                </span>
              </LinkAnchor>
            </li>
          ))}
        </ul>
      </Panel>
    </Page>
  );
}
