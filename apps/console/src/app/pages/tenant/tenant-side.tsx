import { Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { GatedButton } from '../../../components/buttons.js';
import { Ago } from '../../../components/figures.js';
import { LinkAnchor } from '../../../components/links.js';
import { EmptyText, Panel, QueryFallback } from '../../../components/page.js';
import { SharedLimits } from '../../../components/shared-limits.js';
import { followChange } from '../../../features/nodes/follow-change.js';
import { purchasesQuery } from '../../../features/purchases/api.js';
import { quotaRequestsQuery } from '../../../features/quota-requests/api.js';
import { type TenantDetail, tenantChildrenQuery } from '../../../features/tenants/api.js';
import { boardTenantQuery } from '../../../features/tenants/board-api.js';
import { FloorsEdit } from '../../../features/tenants/floors-edit.js';
import { TenantStatusDot } from '../../../features/tenants/utilization-cells.js';
import type { PurchaseFieldsFragment } from '../../../generated/graphql.js';
import { LIMIT_SOURCE_TEXT } from '../../../lib/labels.js';
import { formatMoney, formatNumber, formatPercent } from '../../../lib/number-format.js';
import { formatDayInZone, formatInZone } from '../../../lib/time-format.js';
import { usePermission } from '../../../lib/viewer.js';
import { NewTenant } from './new-tenant.js';

/** What belongs to the limits of a tenant: its account, scheduled changes and open requests. */
export function TenantSide({ tenant }: { tenant: TenantDetail }) {
  const { allowed: readsPurchases } = usePermission('purchases:read');
  const { data } = useInfiniteQuery({
    ...purchasesQuery({ tenantKey: tenant.key }),
    enabled: readsPurchases,
  });
  const purchases = data?.nodes ?? [];
  return (
    <Stack gap={16}>
      <Account tenant={tenant} purchases={purchases} />
      <Hierarchy tenant={tenant} />
      <ScheduledChanges tenant={tenant} purchases={purchases} />
      {usePermission('quota-requests:read').allowed && <OpenRequests tenantKey={tenant.key} />}
    </Stack>
  );
}

/** What the tenant shares with its parent or children. */
function Hierarchy({ tenant }: { tenant: TenantDetail }) {
  const { key, parentKey, sharedLimits, timeZone } = tenant;
  const { data: children } = useQuery({ ...tenantChildrenQuery(key), enabled: parentKey === null });
  const { allowed: mayAddChildren } = usePermission('subscriptions:write');
  const [isCreating, setCreating] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const isParent = children !== undefined && children.totalCount > 0;
  return (
    <>
      <SharedLimits
        title={parentKey === null ? 'Shared with children' : `Shared by ${parentKey}`}
        note="Usage of the parent and all its children"
        limits={sharedLimits}
        timeZone={timeZone}
        actions={
          parentKey !== null && (
            <GatedButton
              permission="overrides:write"
              variant="default"
              size="compact-sm"
              onClick={() => setEditing(true)}
            >
              Set floors
            </GatedButton>
          )
        }
      />
      {(isParent || (parentKey === null && sharedLimits.length > 0)) && (
        <Panel
          title="Child tenants"
          actions={
            <GatedButton
              permission={mayAddChildren ? 'tenants:write' : 'subscriptions:write'}
              variant="default"
              size="compact-sm"
              onClick={() => setCreating(true)}
            >
              Add child
            </GatedButton>
          }
          flush
        >
          {!isParent && <EmptyText>No children share these limits yet.</EmptyText>}
          <ul className="tg-list">
            {children?.nodes.map((child) => (
              <Entry
                key={child.key}
                title={
                  <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey: child.key }} inherit>
                    {child.name}
                  </LinkAnchor>
                }
                note={[child.key, ...child.floors.map(floorText)].join(' · ')}
              >
                <TenantStatusDot status={child.status} />
              </Entry>
            ))}
          </ul>
          {isParent && children.totalCount > children.nodes.length && (
            <EmptyText>and {formatNumber(children.totalCount - children.nodes.length)} more</EmptyText>
          )}
        </Panel>
      )}
      {isCreating && <NewTenant parentKey={key} onClose={() => setCreating(false)} />}
      {isEditing && <FloorsEdit tenant={tenant} onClose={() => setEditing(false)} onChanged={followChange} />}
    </>
  );
}

const floorText = ({ limit, units }: { limit: string; units: number }) =>
  `${limit} floor ${formatNumber(units)}`;

interface AccountProps {
  tenant: TenantDetail;
  purchases: readonly PurchaseFieldsFragment[];
}

function Account({ tenant, purchases }: AccountProps) {
  const { allowed: readsUsage } = usePermission('usage:read');
  const { data: usage } = useQuery({ ...boardTenantQuery(tenant.key), enabled: readsUsage });
  const { tier, tierVersion, pinned } = tenant.subscription;
  const [renewal] = scheduleOf(purchases).filter(({ renews }) => renews);
  return (
    <Panel title="Account">
      <dl style={{ margin: 0 }}>
        <Row name="Tier">
          <LinkAnchor to="/tiers/$tierKey" params={{ tierKey: tier.key }} inherit underline="always">
            {tier.name} v{tierVersion.number}
          </LinkAnchor>
          {pinned && ', pinned'}
        </Row>
        {readsUsage && (
          <>
            <Row name="Requests, 24 h">{usage ? formatNumber(usage.requests) : '–'}</Row>
            <Row name="Denied, 24 h">
              {usage ? formatNumber(usage.denied) : '–'}
              {usage && usage.denied > 0 && ` (${formatPercent(usage.denied / usage.requests)})`}
            </Row>
          </>
        )}
        {renewal && (
          <Row name={renewal.isPastDue ? 'Renewal failed, ends' : 'Next renewal'}>
            {formatDayInZone(renewal.at, tenant.timeZone)}, {renewal.amount}
          </Row>
        )}
        <Row name="Tenant since">{formatDayInZone(tenant.createdAt, tenant.timeZone)}</Row>
      </dl>
    </Panel>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Group justify="space-between" wrap="nowrap" gap={12} py={3} fz="sm">
      <Text component="dt" inherit c="dimmed">
        {name}
      </Text>
      <dd className="tg-number" style={{ margin: 0, textAlign: 'right' }}>
        {children}
      </dd>
    </Group>
  );
}

interface Scheduled {
  at: string;
  title: string;
  note: string;
}

/** Purchases that renew or end, the next one first. */
const scheduleOf = (purchases: readonly PurchaseFieldsFragment[]) =>
  purchases
    .filter(({ status }) => status === 'ACTIVE' || status === 'PAST_DUE')
    .flatMap(({ label, status, paidThrough, graceEndsAt, renews, amountMinor, currency }) => {
      const isPastDue = status === 'PAST_DUE';
      const at = isPastDue ? graceEndsAt : paidThrough;
      return at ? { label, at, renews, isPastDue, amount: formatMoney(amountMinor, currency) } : [];
    })
    .sort((a, b) => a.at.localeCompare(b.at));

/** Steps of the limits that end; several limits of one adjustment are separate entries. */
const endsOf = ({ effectiveLimits }: TenantDetail): Scheduled[] =>
  effectiveLimits.flatMap(({ limit: { policy }, provenance }) =>
    provenance.flatMap(({ source, label, from, to, until }, index) => {
      if (!until || source === 'UPGRADE') return []; // upgrades are listed as purchases
      const isLast = index === provenance.length - 1;
      const change = isLast ? ` ${formatNumber(to)} → ${formatNumber(from)}` : '';
      return {
        at: until,
        title: `${label || LIMIT_SOURCE_TEXT[source]} ends`,
        note: `${policy.name}${change}`,
      };
    }),
  );

const MAX_SCHEDULED = 6;

function ScheduledChanges({ tenant, purchases }: AccountProps) {
  const paid = scheduleOf(purchases).map(
    ({ at, label, renews, isPastDue, amount }): Scheduled => ({
      at,
      title: label,
      note: isPastDue ? `ends unless ${amount} is paid` : renews ? `renews for ${amount}` : 'ends',
    }),
  );
  const changes = [...endsOf(tenant), ...paid].sort((a, b) => a.at.localeCompare(b.at));
  return (
    <Panel title="Scheduled changes" flush>
      {changes.length === 0 && <EmptyText>Nothing ends or renews.</EmptyText>}
      <ul className="tg-list">
        {changes.slice(0, MAX_SCHEDULED).map(({ at, title, note }) => (
          <Entry key={`${at}${title}${note}`} title={title} note={note}>
            {formatInZone(at, tenant.timeZone)}
          </Entry>
        ))}
      </ul>
    </Panel>
  );
}

function Entry({ title, note, children }: { title: ReactNode; note: ReactNode; children: ReactNode }) {
  return (
    <Text component="li" fz="sm" px={16} py={10} style={{ borderBottom: '1px solid var(--tg-border)' }}>
      <Text span inherit fw={500}>
        {title}
      </Text>
      <Text inherit fz="xs" c="dimmed" className="tg-number">
        {note}
      </Text>
      <Text inherit fz="xs" c="dimmed">
        {children}
      </Text>
    </Text>
  );
}

function OpenRequests({ tenantKey }: { tenantKey: string }) {
  const query = useInfiniteQuery(quotaRequestsQuery({ tenantKey, status: 'OPEN' }));
  const requests = query.data?.nodes;
  return (
    <Panel
      title="Quota requests"
      actions={
        <LinkAnchor to="/quota-requests" size="sm">
          All requests
        </LinkAnchor>
      }
      flush
    >
      <QueryFallback query={query} rows={1} />
      {requests?.length === 0 && <EmptyText>No open requests.</EmptyText>}
      <ul className="tg-list">
        {requests?.map(({ id, limit, current, wanted, why, createdAt }) => (
          <Entry key={id} title={`${limit} ${formatNumber(current)} → ${formatNumber(wanted)}`} note={why}>
            <Ago at={createdAt} />
          </Entry>
        ))}
      </ul>
    </Panel>
  );
}
