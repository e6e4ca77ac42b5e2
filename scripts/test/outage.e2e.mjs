// @module-tag redis-server
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { launchBrowser } from '../../packages/test-kit/src/index.ts';
import { startPlane } from '../../verification/chaos/control-plane/running-plane.ts';

const CONSOLE = path.resolve(import.meta.dirname, '../../apps/console/dist');
const BANNER = 'The control plane is temporarily unavailable. Retrying…';

describe('console during a Postgres outage', () => {
  const home = mkdtempSync(path.join(tmpdir(), 'tollgate-outage-'));
  let plane;
  let browser;
  let page;

  beforeAll(async () => {
    plane = await startPlane(
      1,
      { CONSOLE_DIR: CONSOLE },
      { dataDir: path.join(home, 'postgres'), durable: true },
    );
    browser = await launchBrowser();
    page = browser.context.pages()[0] ?? (await browser.context.newPage());
    await open('/sign-in');
    await page.getByLabel('Email').fill(plane.operator.email);
    await page.getByLabel('Password', { exact: true }).fill(plane.operator.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  });

  afterAll(async () => {
    await browser?.close();
    await plane?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  const open = (to) => page.goto(new URL(to, plane.urls[0]).href);
  async function apiNames() {
    const response = await fetch(`${plane.urls[0]}/graphql`, {
      method: 'POST',
      headers: { ...plane.admin, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ apis(first: 100) { nodes { name } } }' }),
    });
    return (await response.json()).data.apis.nodes.map(({ name }) => name);
  }

  const banner = () => page.getByText(BANNER);

  /** Postgres runs again afterwards, also for the next test. */
  async function duringOutage(run) {
    await plane.postgres.crash();
    try {
      await run();
    } finally {
      await plane.postgres.restart();
    }
  }

  test('shows a banner, keeps form input and submits it after the outage', async () => {
    await open('/apis');
    await page.getByRole('button', { name: 'Register API' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Outage API');
    await duringOutage(async () => {
      await dialog.getByRole('button', { name: 'Register API' }).click();
      await banner().waitFor();
      expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Outage API');
    });
    await banner().waitFor({ state: 'detached' });
    expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Outage API');
    expect(new URL(page.url()).pathname).toBe('/apis');
    await dialog.getByRole('button', { name: 'Register API' }).click();
    await expect.poll(apiNames).toContain('Outage API');
  });

  test('shows a page opened during the outage afterwards, without a sign-in', async () => {
    await duringOutage(async () => {
      await open('/tiers');
      await banner().waitFor();
    });
    await page.getByRole('heading', { level: 1, name: 'Tiers' }).waitFor();
    await banner().waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/tiers');
  });

  test('keeps the app while the code of a page cannot be loaded, and opens the page when the network is back', async () => {
    await open('/apis');
    await page.getByRole('heading', { level: 1, name: 'APIs' }).waitFor();
    onTestFinished(() => browser.context.setOffline(false));
    await browser.context.setOffline(true);
    await page.getByRole('link', { name: 'Offers' }).click();
    const unreachable = page.getByText('The control plane is unreachable.');
    await unreachable.waitFor();
    expect(await page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(true);
    // Chromium 147 remembers the failed import, and the router reloads the page; 156 loads it again.
    await browser.context.setOffline(false);
    await page.getByRole('heading', { level: 1, name: 'Offers' }).waitFor();
    await unreachable.waitFor({ state: 'detached' });
  });

  test('offers to reload when an update has removed the code of a page', async () => {
    await open('/apis');
    const code = /\/assets\/webhooks\.pages.*\.js/;
    await page.route(code, (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('Tollgate was updated. Reload to open this page.').waitFor();
    await page.unroute(code);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  });
});
