import { Alert } from '@mantine/core';
import {
  IconBell,
  IconChartAreaLine,
  IconEye,
  IconGauge,
  IconKey,
  IconListDetails,
  IconMessageUp,
  type IconProps,
  IconReceipt,
  IconRocket,
  IconShoppingBag,
  IconUsers,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { LinkAnchor } from '../../components/links.js';
import { type Permission, useTenantPermissions, viewerQuery } from '../../lib/viewer.js';
import classes from './console-shell.module.css';
import { Frame } from './frame.js';

interface Entry {
  label: string;
  to:
    | '/portal/$tenantKey'
    | `/portal/$tenantKey/${'usage' | 'buy' | 'requests' | 'alerts' | 'quick-start' | 'keys' | 'headers' | 'receipts' | 'members'}`;
  icon: ComponentType<IconProps>;
  /** Without it the entry is left out. */
  permission?: Permission;
}

const GROUPS: ReadonlyArray<{ title: string | undefined; entries: readonly Entry[] }> = [
  {
    title: undefined,
    entries: [
      { label: 'Overview', to: '/portal/$tenantKey', icon: IconGauge },
      { label: 'Usage', to: '/portal/$tenantKey/usage', icon: IconChartAreaLine },
    ],
  },
  {
    title: 'Raise limits',
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
      { label: 'Headers', to: '/portal/$tenantKey/headers', icon: IconListDetails },
    ],
  },
  {
    title: 'Organisation',
    entries: [
      {
        label: 'Receipts',
        to: '/portal/$tenantKey/receipts',
        icon: IconReceipt,
        permission: 'purchases:read',
      },
      { label: 'Members', to: '/portal/$tenantKey/members', icon: IconUsers, permission: 'members:read' },
    ],
  },
];

interface PortalNavigationProps {
  tenantKey: string;
  onNavigate: () => void;
}

/** The portal's navigation, filtered by permission. */
export function PortalNavigation({ tenantKey, onNavigate }: PortalNavigationProps) {
  const permissions = useTenantPermissions(tenantKey);
  return (
    <nav aria-label="Main">
      {GROUPS.map(({ title, entries }) => (
        <div key={title ?? 'top'}>
          {title ? <div className={classes.groupTitle}>{title}</div> : <div style={{ height: 14 }} />}
          <ul className={classes.links}>
            {entries
              .filter(({ permission }) => permission === undefined || permissions.has(permission))
              .map(({ label, to, icon: Icon }) => (
                <li key={to}>
                  <Link
                    to={to}
                    params={{ tenantKey }}
                    className={classes.link}
                    activeOptions={{ exact: to === '/portal/$tenantKey' }}
                    onClick={onNavigate}
                  >
                    <Icon size={17} stroke={1.7} aria-hidden />
                    {label}
                  </Link>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** A tenant's own pages. */
export function PortalShell() {
  const { tenantKey } = useParams({ from: '/portal/$tenantKey' });
  const home = { to: '/portal/$tenantKey', params: { tenantKey } } as const;
  return (
    <Frame
      home={home}
      banner={<ViewingAs tenantKey={tenantKey} />}
      navigation={(onNavigate) => <PortalNavigation tenantKey={tenantKey} onNavigate={onNavigate} />}
    />
  );
}

/** Reminds operators that they view a tenant's portal with operator permissions. */
function ViewingAs({ tenantKey }: { tenantKey: string }) {
  const { data: viewer } = useQuery(viewerQuery);
  if (!viewer || viewer.memberships.some((membership) => membership.tenantKey === tenantKey)) return null;
  return (
    <Alert color="ochre" radius={0} icon={<IconEye size={18} aria-hidden />}>
      You are viewing the portal of {tenantKey}.{' '}
      <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey }}>
        Back to console
      </LinkAnchor>
    </Alert>
  );
}
