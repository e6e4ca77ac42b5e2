import {
  ActionIcon,
  AppShell,
  Burger,
  Kbd,
  SegmentedControl,
  Stack,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconDeviceDesktop, IconMoon, type IconProps, IconSearch, IconSun } from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ComponentType, ReactNode } from 'react';
import { LogoMark } from '../../components/marks.js';
import { AccountMenu } from '../../features/session/account-menu.js';
import { brand } from '../../lib/brand.js';
import type { Permission } from '../../lib/viewer.js';
import { MOD_KEY } from '../palette/keys.js';
import classes from './console-shell.module.css';

const SCHEMES = [
  { value: 'light', label: 'Light', Icon: IconSun },
  { value: 'dark', label: 'Dark', Icon: IconMoon },
  { value: 'auto', label: 'As the system', Icon: IconDeviceDesktop },
] as const;

function ColorSchemeToggle() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      size="xs"
      fullWidth
      aria-label="Color scheme"
      value={colorScheme}
      onChange={setColorScheme}
      data={SCHEMES.map(({ value, label, Icon }) => ({
        value,
        label: (
          <span title={label} style={{ display: 'grid', placeItems: 'center', height: 18 }}>
            <Icon size={15} aria-hidden />
            <VisuallyHidden>{label}</VisuallyHidden>
          </span>
        ),
      }))}
    />
  );
}

/** Below this width the navigation is behind a menu button. */
const PHONE = '(max-width: 47.99em)';

export function SearchButton({ onOpen }: { onOpen: () => void }) {
  const isPhone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
  if (isPhone) {
    return (
      <ActionIcon size="lg" aria-label="Search" onClick={onOpen}>
        <IconSearch size={18} stroke={1.7} aria-hidden />
      </ActionIcon>
    );
  }
  return (
    <UnstyledButton className={classes.search} onClick={onOpen}>
      <IconSearch size={15} stroke={1.8} aria-hidden />
      <span style={{ flex: 1 }}>Search</span>
      <Kbd size="xs" aria-hidden>
        {MOD_KEY} K
      </Kbd>
    </UnstyledButton>
  );
}

export interface NavigationEntry<To extends string = string> {
  label: string;
  to: To;
  icon: ComponentType<IconProps>;
  /** Without it the entry is left out. */
  permission?: Permission;
}

export interface NavigationGroup<To extends string = string> {
  title?: string;
  entries: ReadonlyArray<NavigationEntry<To>>;
}

interface NavigationProps {
  groups: readonly NavigationGroup[];
  /** Path parameters of the entries. */
  params?: Record<string, string>;
  permissions: ReadonlySet<string>;
  onNavigate: () => void;
}

/** The main navigation, filtered by permission. */
function Navigation({ groups, params = {}, permissions, onNavigate }: NavigationProps) {
  return (
    <nav aria-label="Main">
      {groups.map(({ title, entries }) => {
        const shown = entries.filter(({ permission }) => !permission || permissions.has(permission));
        if (shown.length === 0) return null;
        return (
          <div key={title ?? 'top'}>
            {title ? <div className={classes.groupTitle}>{title}</div> : <div style={{ height: 14 }} />}
            <Stack component="ul" className="tg-list" gap={1}>
              {shown.map(({ label, to, icon: Icon }) => (
                <li key={to}>
                  <Link
                    {...({ to, params } as LinkProps)}
                    className={classes.link}
                    activeOptions={{ exact: to === groups[0]?.entries[0]?.to }}
                    onClick={onNavigate}
                  >
                    <Icon size={17} stroke={1.7} aria-hidden />
                    {label}
                  </Link>
                </li>
              ))}
            </Stack>
          </div>
        );
      })}
    </nav>
  );
}

interface FrameProps extends Omit<NavigationProps, 'onNavigate'> {
  /** Target of the brand link. */
  home: LinkProps;
  beside?: ReactNode;
  search?: ReactNode;
  banner?: ReactNode;
  children: ReactNode;
}

/** The frame of every page behind the sign-in. On phones, search and `beside` are in the header. */
export function Frame({ home, beside, search, banner, children, ...navigation }: FrameProps) {
  const [opened, { toggle, close }] = useDisclosure();
  const isPhone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
  const brandLink = (
    <Link {...home} className={classes.brand} onClick={close}>
      <LogoMark />
      {brand.productName}
    </Link>
  );
  return (
    <AppShell
      layout="alt"
      header={{ height: { base: 52, sm: 0 } }}
      navbar={{ width: 228, breakpoint: 'sm', collapsed: { mobile: !opened } }}
    >
      <a href="#main" className={classes.skip}>
        Skip to content
      </a>
      <AppShell.Header className={classes.header} hiddenFrom="sm">
        <Burger opened={opened} onClick={toggle} size="sm" aria-label={opened ? 'Close menu' : 'Open menu'} />
        {brandLink}
        <span style={{ flex: 1 }} />
        {isPhone && search}
        {isPhone && beside}
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} inert={isPhone && !opened}>
        <AppShell.Section style={{ display: 'flex', alignItems: 'center', justifyContent: 'space-between' }}>
          {brandLink}
          <span style={{ flex: 1 }} />
          {!isPhone && beside}
          <Burger opened={opened} onClick={close} size="sm" hiddenFrom="sm" aria-label="Close menu" />
        </AppShell.Section>
        {search && !isPhone && <AppShell.Section mt={10}>{search}</AppShell.Section>}
        <AppShell.Section grow style={{ overflowY: 'auto' }}>
          <Navigation {...navigation} onNavigate={close} />
        </AppShell.Section>
        <AppShell.Section style={{ display: 'flex', flexDirection: 'column', gap: 6 }}>
          <ColorSchemeToggle />
          <AccountMenu />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} style={{ outline: 'none' }}>
        {banner}
        {children}
      </AppShell.Main>
    </AppShell>
  );
}
