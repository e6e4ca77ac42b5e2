import {
  IconActivity,
  IconBuilding,
  IconKey,
  IconPlugConnected,
  type IconProps,
  IconServer2,
  IconStack2,
} from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import classes from './console-shell.module.css';

interface NavigationEntry {
  label: string;
  to: NonNullable<LinkProps['to']>;
  icon: ComponentType<IconProps>;
}

const GROUPS: ReadonlyArray<{ title: string | undefined; entries: readonly NavigationEntry[] }> = [
  { title: undefined, entries: [{ label: 'Live', to: '/', icon: IconActivity }] },
  {
    title: 'Policy',
    entries: [
      { label: 'APIs', to: '/apis', icon: IconPlugConnected },
      { label: 'Tiers', to: '/tiers', icon: IconStack2 },
    ],
  },
  { title: 'Customers', entries: [{ label: 'Tenants', to: '/tenants', icon: IconBuilding }] },
  {
    title: 'Platform',
    entries: [
      { label: 'Nodes', to: '/nodes', icon: IconServer2 },
      { label: 'Service tokens', to: '/service-tokens', icon: IconKey },
    ],
  },
];

/** The console's main navigation. */
export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  return (
    <nav aria-label="Main">
      {GROUPS.map(({ title, entries }) => (
        <div key={title ?? 'top'}>
          {title ? <div className={classes.groupTitle}>{title}</div> : <div style={{ height: 14 }} />}
          <ul className={classes.links}>
            {entries.map(({ label, to, icon: Icon }) => (
              <li key={to}>
                <Link
                  to={to}
                  className={classes.link}
                  activeOptions={{ exact: to === '/' }}
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
