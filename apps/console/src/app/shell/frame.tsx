import {
  AppShell,
  Burger,
  Kbd,
  SegmentedControl,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDeviceDesktop, IconMoon, IconSearch, IconSun } from '@tabler/icons-react';
import { Link, type LinkProps, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { LogoMark } from '../../components/marks.js';
import { AccountMenu } from '../../features/session/account-menu.js';
import { MOD_KEY } from '../palette/keys.js';
import classes from './console-shell.module.css';

const SCHEMES = [
  { value: 'light', label: 'Light', Icon: IconSun },
  { value: 'dark', label: 'Dark', Icon: IconMoon },
  { value: 'auto', label: 'As the system', Icon: IconDeviceDesktop },
] as const;

export function ColorSchemeToggle() {
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

/** Opens the command palette by hand. */
export function SearchButton({ onOpen }: { onOpen: () => void }) {
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

interface FrameProps {
  /** Where the brand leads. */
  home: LinkProps;
  /** The links at the side; `onNavigate` closes the menu of a narrow screen. */
  navigation: (onNavigate: () => void) => ReactNode;
  /** Beside the brand. */
  beside?: ReactNode;
  /** Below the brand. */
  search?: ReactNode;
  /** Above every page. */
  banner?: ReactNode;
}

/** The frame around every page behind the sign-in. */
export function Frame({ home, navigation, beside, search, banner }: FrameProps) {
  const [opened, { toggle, close }] = useDisclosure();
  const brand = (
    <Link {...home} className={classes.brand} onClick={close}>
      <LogoMark />
      Tollgate
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
        {brand}
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar}>
        <AppShell.Section style={{ display: 'flex', alignItems: 'center', justifyContent: 'space-between' }}>
          {brand}
          <span style={{ flex: 1 }} />
          {beside}
          <Burger opened={opened} onClick={close} size="sm" hiddenFrom="sm" aria-label="Close menu" />
        </AppShell.Section>
        {search && <AppShell.Section mt={10}>{search}</AppShell.Section>}
        <AppShell.Section grow style={{ overflowY: 'auto' }}>
          {navigation(close)}
        </AppShell.Section>
        <AppShell.Section style={{ display: 'flex', flexDirection: 'column', gap: 6 }}>
          <ColorSchemeToggle />
          <AccountMenu />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} style={{ outline: 'none' }}>
        {banner}
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}
