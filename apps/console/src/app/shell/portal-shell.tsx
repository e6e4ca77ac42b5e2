import { Alert } from '@mantine/core';
import {
  IconBell,
  IconChartAreaLine,
  IconEye,
  IconGauge,
  IconHelpCircle,
  IconKey,
  IconListDetails,
  IconMessageUp,
  IconReceipt,
  IconRocket,
  IconShoppingBag,
  IconUsers,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { LinkAnchor } from '../../components/links.js';
import { PageOwner } from '../../components/page.js';
import { useTenantPermissions, viewerQuery } from '../../lib/viewer.js';
import { Frame, type NavigationGroup } from './frame.js';

type Page =
  | 'usage'
  | 'why'
  | 'buy'
  | 'requests'
  | 'alerts'
  | 'quick-start'
  | 'keys'
  | 'headers'
  | 'receipts'
  | 'members';

const GROUPS: ReadonlyArray<NavigationGroup<`/portal/$tenantKey${'' | `/${Page}`}`>> = [
  {
    entries: [
      { label: 'Overview', to: '/portal/$tenantKey', icon: IconGauge },
      { label: 'Usage', to: '/portal/$tenantKey/usage', icon: IconChartAreaLine },
      { label: 'Why?', to: '/portal/$tenantKey/why', icon: IconHelpCircle },
    ],
  },
  {
    title: 'Increase limits',
    entries: [
      { label: 'Buy more', to: '/portal/$tenantKey/buy', icon: IconShoppingBag },
      { label: 'Request more', to: '/portal/$tenantKey/requests', icon: IconMessageUp },
      { label: 'Alerts', to: '/portal/$tenantKey/alerts', icon: IconBell },
    ],
  },
  {
    title: 'Build',
    entries: [
      { label: 'Quick start', to: '/portal/$tenantKey/quick-start', icon: IconRocket },
      { label: 'API keys', to: '/portal/$tenantKey/keys', icon: IconKey, permission: 'api-keys:read' },
      { label: 'Response headers', to: '/portal/$tenantKey/headers', icon: IconListDetails },
    ],
  },
  {
    title: 'Organization',
    entries: [
      {
        label: 'Invoices',
        to: '/portal/$tenantKey/receipts',
        icon: IconReceipt,
        permission: 'purchases:read',
      },
      { label: 'Members', to: '/portal/$tenantKey/members', icon: IconUsers, permission: 'members:read' },
    ],
  },
];

export function PortalShell() {
  const { tenantKey } = useParams({ from: '/portal/$tenantKey' });
  const permissions = useTenantPermissions(tenantKey);
  return (
    <Frame
      home={{ to: '/portal/$tenantKey', params: { tenantKey } }}
      banner={<ViewingAs tenantKey={tenantKey} />}
      groups={GROUPS}
      params={{ tenantKey }}
      permissions={permissions}
    >
      <PageOwner value={tenantKey}>
        <Outlet />
      </PageOwner>
    </Frame>
  );
}

/** Reminds operators that they view a tenant's portal with operator permissions. */
function ViewingAs({ tenantKey }: { tenantKey: string }) {
  const { data: viewer } = useQuery(viewerQuery);
  if (!viewer || viewer.memberships.some((membership) => membership.tenantKey === tenantKey)) return null;
  return (
    <Alert color="ochre" radius={0} icon={<IconEye size={18} aria-hidden />}>
      You see this portal with operator permissions.{' '}
      <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey }}>
        Back to console
      </LinkAnchor>
    </Alert>
  );
}
