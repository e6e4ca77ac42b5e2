import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { measureLoad } from '../../../apps/console/test/first-load.ts';
import { findClipped, findViolations, installAxe } from '../../../apps/console/test/screens.ts';
import { callOnce } from '../running-copy.mjs';

/** Overview and operations in the console, as an owner. @param {import('./product.mjs').Product} product */
export function testConsole(product) {
  let dev;
  let page;
  let errors;

  beforeAll(async () => {
    ({ dev } = product);
    ({ page, errors } = await product.openPage());
  });
  beforeEach(() => product.become());
  // Without expected responses.
  afterEach(() => expect(errors.splice(0).filter((text) => !/status of (401|403)/.test(text))).toEqual([]));
  afterAll(() => page?.close());

  const open = (at) => page.goto(new URL(at, dev.consoleUrl).href);

  const graphql = (query, variables) => product.graphql(query, variables);

  /** Suspends a tenant through GraphQL, as a colleague would. */
  async function suspend(key) {
    const { tenant } = await graphql('query ($key: String!) { tenant(key: $key) { version } }', { key });
    const input = { tenantKey: key, expectedVersion: tenant.version, reason: 'too loud' };
    await graphql(
      'mutation ($input: TenantStatusInput!) { tenantSuspend(input: $input) { userErrors { message } } }',
      { input },
    );
  }

  const statusOf = async (key) =>
    (await graphql('query ($key: String!) { tenant(key: $key) { status } }', { key })).tenant.status;

  test('loads Home with at most 400 KB and 20 requests, without moving it', async () => {
    const cold = await measureLoad(page, new URL('/', dev.consoleUrl).href, { isCold: true });
    console.log(
      `First load of Home: ${Math.round(cold.bytes / 1000)} KB in ${cold.requests} requests, first paint after ` +
        `${cold.firstPaintMs} ms, interactive after ${cold.interactiveMs} ms, layout shift ${cold.layoutShift.toFixed(4)}`,
    );
    expect(cold.bytes).toBeLessThanOrEqual(400_000);
    expect(cold.requests).toBeLessThanOrEqual(20);
    expect(cold.layoutShift).toBeLessThanOrEqual(0.01);
  });

  test('shows requests on Home, with their latency', async () => {
    await open('/');
    await page.locator('label', { hasText: /^1 h$/ }).click();
    const decisions = async () => {
      const { traffic } = await graphql(
        'query ($from: DateTime!) { traffic(from: $from) { total { count } } }',
        {
          from: new Date(Date.now() - 3_540_000).toISOString(),
        },
      );
      return traffic.total.count;
    };
    const before = await decisions();
    const sentAt = Date.now();
    for (let i = 0; i < 30; i++) await callOnce(dev);
    const figure = (label) => page.locator('dt', { hasText: label }).locator('xpath=following-sibling::dd');
    const shown = () =>
      figure('Decisions').evaluate((dd) => Number.parseFloat(dd.firstChild.textContent.replaceAll(',', '')));
    await expect.poll(shown).toBeGreaterThanOrEqual(before + 30);
    console.log(`Requests were on Home after ${Date.now() - sentAt} ms`);
    await figure('Decision latency')
      .getByText(/^[\d.]+ ms/)
      .waitFor();
  });

  test('zooms into Home’s chart by keyboard and keeps the range in the address', async () => {
    await open('/?range=1h');
    const chart = page.getByRole('slider', { name: /^Usage over time/ });
    await chart.focus();
    await page.keyboard.press('End');
    await expect
      .poll(() => chart.getAttribute('aria-valuetext'))
      .toMatch(/denied, .*allowed, .*previous hour/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/from=.*to=/);
    await chart.focus();
    await page.keyboard.press('Escape');
    await page.waitForURL(/range=24h/);
  });

  test('lists a colleague’s change on the home page, reverts it, and undoes that from the toast', async () => {
    await open('/');
    await suspend('globex');
    const last = page.getByRole('region', { name: 'Recent changes' });
    const entry = last.getByRole('listitem').filter({ hasText: 'suspended Globex' }).first();
    await entry.getByRole('button', { name: 'Revert' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/1 tenant affected|No tenant/).waitFor();
    await dialog.getByRole('button', { name: 'Revert' }).click();
    await page.getByText('Reverted: suspended Globex').waitFor();
    await expect.poll(() => statusOf('globex')).toBe('ACTIVE');
    await page
      .getByText(/Live on 1\/1 node/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await page.getByText(/^Undone:/).waitFor();
    await expect.poll(() => statusOf('globex')).toBe('SUSPENDED');
  });

  test('compares two revisions, rolls the policy back and finds that in the audit trail by URL', async () => {
    await graphql(
      'mutation { apiCreate(input: { key: "late", name: "Late" }) { api { key } userErrors { message } } }',
    );
    await open('/revisions?catalogue=true');
    await page.getByRole('button', { name: 'Compare' }).first().click();
    await page.getByRole('dialog').getByText('late').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Roll back' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/APIs: late/).waitFor();
    await dialog.getByLabel('Reason').fill('made by mistake');
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await page.getByText(/^Rolled back to revision/).waitFor();
    expect(await graphql('{ api(key: "late") { key } }')).toEqual({ api: null });
    await open('/audit?action=policy.rollback');
    await page
      .getByRole('row', { name: /rolled back to/ })
      .first()
      .getByRole('button', { name: 'Details' })
      .click();
    await page.getByRole('dialog').getByText('made by mistake').waitFor();
  });

  test('verifies the integrity of the audit trail and exports it as CSV', async () => {
    await open('/audit');
    await page.getByRole('button', { name: 'Verify integrity' }).click();
    await page.getByText(/Audit trail verified/).waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'CSV' }).click(),
    ]);
    expect(path.basename(file.suggestedFilename())).toBe('audit-all.csv');
  });

  test('creates a service token, shows it once and rotates it', async () => {
    await open('/service-tokens');
    await page.getByRole('button', { name: 'Create token' }).click();
    const dialog = page.getByRole('dialog');
    const name = `e2e ${randomUUID().slice(0, 8)}`;
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await page.getByText(/^tga_live_/).waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    const row = page.getByRole('row', { name: new RegExp(name) });
    await row.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    await page.getByText(/^tga_live_/).waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
  });

  test('adds a webhook endpoint, edits it and lists a test delivery', async () => {
    await open('/webhooks');
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill('https://receiver.example.com/hook');
    await dialog.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    const row = page.getByRole('row', { name: /receiver\.example\.com/ });
    await row.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Description').fill('Records sales');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Records sales').waitFor();
    await page.getByRole('link', { name: 'https://receiver.example.com/hook' }).click();
    await page.getByRole('button', { name: 'Send test event' }).click();
    await page.getByRole('table', { name: 'Deliveries' }).getByRole('row').nth(1).waitFor();
  });

  /** The title when the page shows its data. */
  async function titleWhenShown() {
    await page.locator('h1').first().waitFor();
    await page.waitForFunction(() => document.querySelector('main [aria-busy="true"]') === null);
    return page.title();
  }

  /** Goes to an address without loading the console again. */
  async function navigate(address) {
    await page.evaluate(async (to) => {
      const router = window.__TSR_ROUTER__;
      router.history.push(to);
      await router.load();
    }, address);
    await page.waitForFunction(() => {
      const { status, location, resolvedLocation } = window.__TSR_ROUTER__.state;
      return status === 'idle' && resolvedLocation?.href === location.href;
    });
  }

  test('opens each route by navigation, and some from a link, with its own title, and cuts nothing off at 390 px', async () => {
    await graphql(
      'mutation { webhookEndpointCreate(input: { url: "https://routes.example.com/hook" }) { userErrors { message } } }',
    );
    const objects = await graphql(`{
      apis(first: 1) { nodes { key } }
      tiers(first: 1) { nodes { key } }
      offers(first: 1) { nodes { key } }
      changeSets(first: 1) { nodes { id } }
      purchases(first: 1) { nodes { id tenantKey } }
      webhookEndpoints { id }
    }`);
    const params = {
      $tenantKey: objects.purchases.nodes[0].tenantKey,
      $apiKey: objects.apis.nodes[0].key,
      $tierKey: objects.tiers.nodes[0].key,
      $offerKey: objects.offers.nodes[0].key,
      $changeSetId: objects.changeSets.nodes[0].id,
      $purchaseId: objects.purchases.nodes[0].id,
      $endpointId: objects.webhookEndpoints[0].id,
      $: 'no-such-page',
    };
    await installAxe(product.browser.context);
    const viewport = page.viewportSize();
    onTestFinished(() => page.setViewportSize(viewport));
    await page.setViewportSize({ width: 390, height: 844 });
    const patterns = await page.evaluate(() => Object.keys(window.__TSR_ROUTER__.routesByPath));
    const addresses = patterns.map((pattern) => pattern.replace(/\$\w*/g, (name) => params[name]));
    const titles = new Map();
    const problems = [];
    // Loading the console for each route takes ten times as long.
    for (const [index, address] of addresses.entries()) {
      await (index % 10 === 0 ? open(address) : navigate(address));
      titles.set(address, await titleWhenShown());
      const found = await findClipped(page);
      if (address.startsWith('/portal/')) found.push(...(await findViolations(page)));
      problems.push(...found.map((problem) => `${address}: ${problem}`));
    }
    expect(problems).toEqual([]);
    expect(addresses.length).toBeGreaterThan(50);
    for (const title of titles.values()) expect(title).toMatch(/^.+ · Tollgate$/);
    // The portal repeats names of the console's tenant pages.
    const byTitle = Map.groupBy(
      addresses.filter((address) => !address.startsWith('/portal/')),
      (address) => titles.get(address),
    );
    expect([...byTitle.values()].filter((same) => same.length > 1)).toEqual([]);
    expect(titles.get(`/tenants/${params.$tenantKey}/usage`)).toMatch(/^Usage · .+ · Tollgate$/);

    await page.setViewportSize(viewport);
    const inApp = ['/apis', '/tiers', '/tenants', `/tenants/${params.$tenantKey}/usage`, '/offers'];
    for (const address of inApp) {
      await navigate(address);
      await expect.poll(titleWhenShown).toBe(titles.get(address));
    }
    for (const address of inApp.toReversed().slice(1)) {
      await page.goBack();
      await expect.poll(titleWhenShown).toBe(titles.get(address));
    }
    await page.goForward();
    await expect.poll(titleWhenShown).toBe(titles.get('/tiers'));
  });

  test('opens the dialog of a typed action by keyboard and returns focus to the trigger', async () => {
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
    const dialog = page.getByRole('dialog');
    await open('/tiers/free');
    await page.getByRole('button', { name: 'More actions for Free' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Edit details' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Name').waitFor();
    // Until the menu is gone, it handles Escape.
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await expect.poll(focused).toBe('More actions for Free');

    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Search and commands' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(focused).toBe('More actions for Free');

    await page.keyboard.press('Control+k');
    // It is shown before it has the focus.
    const palette = page.getByRole('textbox', { name: 'Search and commands' });
    await expect.poll(() => palette.evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.type('suspend initech');
    // Before the search ends, the list has all tenants, then none.
    await expect.poll(() => page.locator('[data-action]').count()).toBe(1);
    await page.locator('[data-selected]').getByText('Suspend Initech').waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByText('Suspend Initech?').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await page.keyboard.press('Control+k');
    await page
      .getByRole('option', { name: /initech/i })
      .or(page.getByRole('button', { name: /^initech/i }))
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
  });

  test('finds tenants by name and objects by ID in the palette', async () => {
    await open('/');
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.keyboard.press('ControlOrMeta+k');
    const box = page.getByRole('textbox', { name: 'Search and commands' });
    await box.fill('globex');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /globex/i })
      .first()
      .click();
    await page.waitForURL(/\/tenants\/globex/);
    const { tier } = await graphql('{ tier(key: "free") { id } }');
    await page.keyboard.press('ControlOrMeta+k');
    await box.fill(tier.id);
    await page.getByText(tier.id).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/tiers\/free/);
    await page.keyboard.press('Escape');
    // The keys count only within a second.
    const goHome = async () => {
      await page.locator('body').press('g');
      await page.locator('body').press('h');
      return new URL(page.url()).pathname;
    };
    await expect.poll(goHome).toBe('/');
  });

  test('invites a colleague, and the server enforces the role’s permissions', async () => {
    await open('/team');
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email').fill('colleague@example.com');
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await page.getByText('colleague@example.com invited').waitFor();
    await graphql(
      'mutation { operatorInvite(input: { email: "viewer@example.com", role: VIEWER }) { userErrors { message } } }',
    );
    const link = await product.invitationTo('viewer@example.com');
    await product.signOut();
    await page.goto(link);
    await page.getByLabel('Your name').fill('Vera');
    await page.getByLabel('Choose a password').fill('long enough by far');
    await page.getByRole('button', { name: /^Join/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    expect(await page.getByRole('link', { name: 'Audit trail' }).count()).toBe(0);
    const refused = await page.evaluate(async () => {
      const answer = await fetch('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          query:
            'mutation { operatorInvite(input: { email: "x@example.com", role: OWNER }) { userErrors { code } } }',
        }),
      });
      return (await answer.json()).errors[0].extensions.code;
    });
    expect(refused).toBe('FORBIDDEN');
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toMatch(
      /tga_|session/i,
    );
  });

  test('asks to sign in over the page when the session ends, or leads back to it', async () => {
    await open('/nodes');
    await page.getByRole('table', { name: 'Decision nodes' }).waitFor();
    await product.signOut();
    await page.getByRole('button', { name: 'Leave this page' }).click();
    await page.waitForURL(/\/sign-in\?next=%2Fnodes/);
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('Email').fill(dev.admin.email);
    await page.getByLabel('Password', { exact: true }).fill(dev.admin.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/nodes/);
  });

  test('keeps a form while its user signs in again', async () => {
    await open('/tenants/planet-express');
    await page.getByRole('button', { name: 'More actions for Planet Express' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const form = page.getByRole('dialog', { name: 'Edit Planet Express' });
    await form.getByRole('combobox', { name: 'Time zone' }).fill('Berlin');
    await page.getByRole('option', { name: 'Europe/Berlin' }).click();
    await product.signOut();
    await form.getByRole('textbox', { name: 'Name' }).fill('Planet Express Ltd');
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('Password', { exact: true }).fill(dev.admin.password);
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    expect(await form.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Planet Express Ltd');
    expect(await form.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe('Europe/Berlin');
  });
}
