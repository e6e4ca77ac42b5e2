import { AppShell, Burger } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet } from '@tanstack/react-router';
import { LogoMark } from '../../components/logo.js';
import { AccountMenu } from '../../features/session/components/account-menu.js';
import { ColorSchemeToggle } from './color-scheme-toggle.js';
import classes from './console-shell.module.css';
import { Navigation } from './navigation.js';

/** The frame around every page behind the sign-in. */
export function ConsoleShell() {
  const [opened, { toggle, close }] = useDisclosure();
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
        <Brand onNavigate={close} />
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar}>
        <AppShell.Section style={{ display: 'flex', alignItems: 'center', justifyContent: 'space-between' }}>
          <Brand onNavigate={close} />
          <Burger opened={opened} onClick={close} size="sm" hiddenFrom="sm" aria-label="Close menu" />
        </AppShell.Section>
        <AppShell.Section grow>
          <Navigation onNavigate={close} />
        </AppShell.Section>
        <AppShell.Section style={{ display: 'flex', flexDirection: 'column', gap: 6 }}>
          <ColorSchemeToggle />
          <AccountMenu />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} style={{ outline: 'none' }}>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

function Brand({ onNavigate }: { onNavigate: () => void }) {
  return (
    <Link to="/" className={classes.brand} onClick={onNavigate}>
      <LogoMark />
      Tollgate
    </Link>
  );
}
