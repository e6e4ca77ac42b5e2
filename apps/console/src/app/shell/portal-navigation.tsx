import {
  IconBell,
  IconChartAreaLine,
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
import { Link } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { useTranslations } from 'use-intl';
import type { Permission } from '../../lib/permissions.js';
import { useTenantPermissions } from '../../lib/viewer.js';
import classes from './console-shell.module.css';

type Label =
  | 'home'
  | 'usage'
  | 'raise'
  | 'buy'
  | 'requests'
  | 'alerts'
  | 'build'
  | 'quickStart'
  | 'keys'
  | 'headers'
  | 'organisation'
  | 'receipts'
  | 'members';

interface Entry {
  label: Label;
  to:
    | '/portal/$tenantKey'
    | `/portal/$tenantKey/${'usage' | 'buy' | 'requests' | 'alerts' | 'quick-start' | 'keys' | 'headers' | 'receipts' | 'members'}`;
  icon: ComponentType<IconProps>;
  /** Without it the entry is left out. */
  permission?: Permission;
}

const GROUPS: ReadonlyArray<{ title: Label | undefined; entries: readonly Entry[] }> = [
  {
    title: undefined,
    entries: [
      { label: 'home', to: '/portal/$tenantKey', icon: IconGauge },
      { label: 'usage', to: '/portal/$tenantKey/usage', icon: IconChartAreaLine },
    ],
  },
  {
    title: 'raise',
    entries: [
      { label: 'buy', to: '/portal/$tenantKey/buy', icon: IconShoppingBag },
      { label: 'requests', to: '/portal/$tenantKey/requests', icon: IconMessageUp },
      { label: 'alerts', to: '/portal/$tenantKey/alerts', icon: IconBell },
    ],
  },
  {
    title: 'build',
    entries: [
      { label: 'quickStart', to: '/portal/$tenantKey/quick-start', icon: IconRocket },
      { label: 'keys', to: '/portal/$tenantKey/keys', icon: IconKey, permission: 'api-keys:read' },
      { label: 'headers', to: '/portal/$tenantKey/headers', icon: IconListDetails },
    ],
  },
  {
    title: 'organisation',
    entries: [
      {
        label: 'receipts',
        to: '/portal/$tenantKey/receipts',
        icon: IconReceipt,
        permission: 'purchases:read',
      },
      { label: 'members', to: '/portal/$tenantKey/members', icon: IconUsers, permission: 'members:read' },
    ],
  },
];

interface PortalNavigationProps {
  tenantKey: string;
  onNavigate: () => void;
}

/** A tenant's own navigation: what the viewer may see in it. */
export function PortalNavigation({ tenantKey, onNavigate }: PortalNavigationProps) {
  const t = useTranslations('portal');
  const shell = useTranslations('shell');
  const permissions = useTenantPermissions(tenantKey);
  return (
    <nav aria-label={shell('navigation')}>
      {GROUPS.map(({ title, entries }) => (
        <div key={title ?? 'top'}>
          {title ? <div className={classes.groupTitle}>{t(title)}</div> : <div style={{ height: 14 }} />}
          <ul className={classes.links}>
            {entries
              .filter(({ permission }) => permission === undefined || permissions.has(permission))
              .map(({ label, to, icon: Icon }) => (
                <li key={to}>
                  <Link
                    to={to}
                    params={{ tenantKey }}
                    className={classes.link}
                    activeOptions={{ exact: label === 'home' }}
                    onClick={onNavigate}
                  >
                    <Icon size={17} stroke={1.7} aria-hidden />
                    {t(label)}
                  </Link>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
