import type { Page } from 'playwright-core';
import type { Screen } from './screen.ts';

/** Home, live view and shared parts of all pages. */
export const OVERVIEW_SCREENS: readonly Screen[] = [
  {
    name: 'home',
    path: () => '/',
    arrive: async (page) => {
      await page.getByRole('slider', { name: /^Usage over time/ }).waitFor();
      await page.getByRole('heading', { name: 'Recent changes' }).waitFor();
    },
  },
  {
    name: 'live',
    path: () => '/live',
    arrive: (page) => page.getByRole('heading', { name: 'Decisions per second' }).waitFor(),
  },
  { name: 'notices', path: () => '/notices', arrive: (page) => page.getByRole('listitem').first().waitFor() },
  { name: 'notices-bell', path: () => '/', arrive: openBell },
  { name: 'palette', path: () => '/', arrive: openPalette },
  {
    name: 'not-found',
    path: () => '/nowhere',
    arrive: (page) => page.getByRole('heading').first().waitFor(),
  },
  { name: 'menu', path: () => '/', arrive: openMenu },
  { name: 'keyboard', path: () => '/', arrive: openKeys },
];

async function openBell(page: Page): Promise<void> {
  await page.getByRole('table').first().waitFor();
  await page.getByRole('button', { name: /notice/i }).click();
  await page.getByRole('link', { name: 'All notices' }).waitFor();
}

async function openPalette(page: Page): Promise<void> {
  await page.getByRole('table').first().waitFor();
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('textbox', { name: 'Search and commands' }).fill('a');
  await page.getByText('Tenants', { exact: true }).last().waitFor();
}

async function openKeys(page: Page): Promise<void> {
  await page.getByRole('table').first().waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
}

/** Where the screen is narrow, the navigation is behind a button. */
async function openMenu(page: Page): Promise<void> {
  const menu = page.getByRole('button', { name: 'Open menu' });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole('link', { name: 'Audit trail' }).first().waitFor();
}
