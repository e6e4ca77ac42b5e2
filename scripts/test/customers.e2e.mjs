import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPolicy, LIMIT } from '../../apps/control-plane/test/support/policy-factory.ts';
import { Shop, TOPUP } from '../../apps/control-plane/test/support/shop.ts';
import { startConsole } from './console-app.mjs';

/** 100,000 for a measurement: inserting them takes most of a minute. */
const MANY = Number(process.env.SCROLL_TENANTS ?? 10_000);
const LONG_MS = 50;

describe('customers in the console', () => {
  let host;

  beforeAll(async () => {
    host = await startConsole({ PAYMENT_TEST_ENABLED: 'true' });
    await createPolicy(host.app);
    for (const key of ['bolt', 'brick'])
      await host.app.graphql(
        `mutation { tenantCreate(input: { key: "${key}", name: "${key}", tierKey: "basic" }) { changeId } }`,
      );
    await host.become('OWNER');
  });
  afterAll(() => host?.stop());

  const limitOf = async (key) => {
    const { data } = await host.app.graphql(
      'query($key: String!) { tenant(key: $key) { effectiveLimits { source limit { limit } } } }',
      { key },
    );
    const [{ limit, source }] = data.tenant.effectiveLimits;
    return [limit.limit, source];
  };

  test('boosts a limit after a preview, requires a reason and ends the boost', async () => {
    const { page } = host;
    await host.goto('/tenants/acme');
    await page.getByRole('button', { name: 'how per-minute, shop was calculated' }).click();
    await page.getByText('Effective', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Boost per-minute' }).click();
    const dialog = page.getByRole('dialog');
    const preview = dialog.getByText('20/min', { exact: true });
    await preview.waitFor().catch(async (cause) => {
      throw new Error(`dialog: ${await dialog.textContent()}`, { cause });
    });
    await dialog.getByLabel('Duration').fill('2 h');
    await dialog.getByRole('button', { name: 'Start boost' }).click();
    await dialog.getByText(/^Enter a reason/).waitFor();
    await dialog.getByLabel('Reason').fill('launch');
    await dialog.getByRole('button', { name: 'Start boost' }).click();
    await page.getByText('Acme boosted').waitFor();
    expect(await limitOf('acme')).toEqual([20, 'BOOST']);

    await page.getByRole('link', { name: 'Overrides and boosts' }).click();
    await page.getByRole('button', { name: 'End Boost per-minute' }).click();
    await dialog.getByLabel('Reason').fill('over');
    await dialog.getByRole('button', { name: 'End now' }).click();
    await page.getByText('Ended early').waitFor();
    expect(await limitOf('acme')).toEqual([10, 'TIER']);
  });

  test('sets a rule for a subject, shows the error of its pattern, edits and removes it', async () => {
    const { page } = host;
    const dialog = page.getByRole('dialog');
    const effectOf = async () => {
      const { data } = await host.app.graphql(
        '{ subjectRules(tenantKey: "acme", live: true) { nodes { pattern effect { kind message } } } }',
      );
      return data.subjectRules.nodes;
    };
    await host.goto('/tenants/acme/exceptions');
    await page.getByText('deny ip 203.0.113.0/24 for a week').waitFor();
    await page.getByRole('button', { name: 'Add rule' }).click();
    const pattern = dialog.getByLabel('Pattern');
    await pattern.fill('te*st');
    await dialog.getByLabel('Reason').fill('abuse');
    await dialog.getByRole('button', { name: 'Add rule' }).click();
    await expect.poll(() => pattern.getAttribute('aria-invalid')).toBe('true');
    await pattern.fill('test-*');
    await dialog.getByRole('button', { name: 'Add rule' }).click();
    await page.getByRole('button', { name: 'Edit rule for user test-*' }).click();
    await dialog.getByLabel('Message').fill('Call us');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'Call us' }).waitFor();
    expect(await effectOf()).toEqual([{ pattern: 'test-*', effect: { kind: 'DENY', message: 'Call us' } }]);
    await page.getByRole('button', { name: 'Remove rule for user test-*' }).click();
    await dialog.getByLabel('Reason').fill('over');
    await dialog.getByRole('button', { name: 'Remove now' }).click();
    await page.getByText('No rules yet.').waitFor();
    expect(await effectOf()).toEqual([]);
  });

  test('changes several tenants in a bulk action, shows progress and undoes it', async () => {
    const { page } = host;
    await host.goto('/tenants?search=b');
    await page.getByLabel('Select bolt').check();
    await page.getByRole('button', { name: 'Select all 2 matching' }).click();
    await page.getByRole('button', { name: 'Bulk actions' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Action').click();
    await page.getByRole('option', { name: 'Suspend' }).click();
    await dialog.getByLabel('Reason').fill('unpaid');
    await dialog.getByText(/No tenant would fail\.$/).waitFor();
    await dialog.getByRole('button', { name: 'Apply to 2 tenants' }).click();
    await page.getByText('2 done, 0 failed').waitFor();
    expect(await host.app.database.tenant.count({ where: { status: 'SUSPENDED' } })).toBe(2);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(/undone/).waitFor();
    await page.getByText('Undo', { exact: true }).first().waitFor();
    await expect.poll(() => host.app.database.tenant.count({ where: { status: 'SUSPENDED' } })).toBe(0);
  });

  test('keeps filter and order in the address, saves them as a view and moves between rows by key', async () => {
    const { page } = host;
    const names = () => page.locator('tbody th a').allTextContents();
    const views = page.getByRole('navigation', { name: 'Views' });
    await host.goto('/tenants');
    await page.getByLabel('Search tenants').fill('b');
    await expect.poll(names).toHaveLength(2);
    await page.getByRole('button', { name: 'Tenant', exact: true }).click();
    await page.getByRole('button', { name: 'Tenant', exact: true }).click();
    await expect.poll(() => page.url()).toMatch(/search=b.*sort=name.*reverse=true/);
    await page.reload();
    await expect.poll(names).toEqual(['brick', 'bolt']);

    await page.getByRole('button', { name: 'Save view' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Builders');
    await dialog.getByRole('button', { name: 'Save view' }).click();
    await views.getByRole('link', { name: 'All' }).click();
    await expect.poll(names).toHaveLength(3);
    await views.getByRole('link', { name: 'Builders' }).click();
    await expect.poll(names).toEqual(['brick', 'bolt']);
    await page.goBack();
    await expect.poll(names).toHaveLength(3);
    await page.goForward();
    await expect.poll(names).toEqual(['brick', 'bolt']);

    await page.locator('tr[data-index="0"]').focus();
    await page.keyboard.press('j');
    await page.locator('tr[data-index="1"]:focus').waitFor();
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('k');
    await page.locator('tr[data-index="0"]:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'brick' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Remove view' }).click();
    await views.getByRole('link', { name: 'Builders' }).waitFor({ state: 'hidden' });
  });

  test('edits a tenant and shows errors next to the fields', async () => {
    const { page } = host;
    await host.goto('/tenants/bolt');
    await page.getByRole('button', { name: 'More actions for bolt' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Billing day').fill('9');
    await dialog.getByLabel('Name').fill('');
    await expect.poll(() => dialog.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
    expect(await dialog.getByText('Enter a name').count()).toBe(2); // next to the field and above the buttons
    await dialog.getByLabel('Name').fill('Bolt Corporation');
    await dialog.getByRole('button', { name: /^Apply/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Bolt Corporation' }).waitFor();
    const { data } = await host.app.graphql('{ tenant(key: "bolt") { name billingAnchorDay timeZone } }');
    expect(data.tenant).toEqual({ name: 'Bolt Corporation', billingAnchorDay: 9, timeZone: 'UTC' });
  });

  test('shows usage by keyboard and as a table', async () => {
    const { page } = host;
    await host.goto('/tenants/acme/usage?range=7d');
    const chart = page.getByRole('slider', { name: /Usage over time/ });
    await chart.focus();
    await page.keyboard.press('ArrowLeft');
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/: 0 denied, 0 allowed$/);
    await page.getByRole('button', { name: 'View as table' }).click();
    await page.getByRole('table', { name: 'Usage over time' }).waitFor();
  });

  test('reports an unknown request ID and finds the tenant of an API key', async () => {
    const { page } = host;
    await host.goto('/why');
    await page.getByLabel('Paste a request ID, an API key or a tenant key.').fill('req_nothing');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('No match for “req_nothing”').waitFor();
    const { data } = await host.app.graphql(
      'mutation { apiKeyCreate(input: { tenantKey: "acme", name: "k" }) { key } }',
    );
    await page.getByLabel('Paste a request ID, an API key or a tenant key.').fill(data.apiKeyCreate.key);
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('Recently denied requests of acme').waitFor();
  });

  test('shows a failed cancellation with the provider’s error and retries it', async () => {
    const { page, app } = host;
    const shop = new Shop(app);
    await shop.sell(TOPUP);
    const { id } = await shop.buy(TOPUP);
    // As after three days of failures: automatic retries have ended.
    const refused = { stopDue: true, stopAttempts: 9, stopError: 'No such subscription' };
    await app.database.purchase.update({ where: { id }, data: refused });
    await host.goto(`/purchases/${id}`);
    const alert = page.getByRole('alert');
    await alert.getByText('Test card has not confirmed the cancellation (9 attempts)').waitFor();
    await alert.getByText('Last error: No such subscription').waitFor();
    await alert.getByText(/Automatic retries have ended/).waitFor();
    await alert.getByRole('button', { name: 'Retry now' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('card removed there');
    await dialog.getByRole('button', { name: 'Retry now' }).click();
    await page.getByText(/has not confirmed the cancellation/).waitFor({ state: 'detached' });
    expect(await app.database.purchase.findUniqueOrThrow({ where: { id } })).toMatchObject({
      stopDue: false,
      stopAttempts: 0,
    });
  });

  test('changes limits of two tiers in the matrix as one change and undoes it', async () => {
    const { page, app } = host;
    await app.graphql(
      'mutation { tierCreate(input: { key: "pro", name: "Pro", rank: 1 }) { userErrors { message } } }',
    );
    // Only a published tier has a version to go back to.
    const first = { tierKey: 'pro', expectedVersion: 1, limits: [{ ...LIMIT, limit: 50 }] };
    await app.graphql(
      'mutation($input: TierPublishInput!) { tierPublish(input: $input) { userErrors { message } } }',
      { input: first },
    );
    const limitsOf = async () => {
      const { data } = await app.graphql(
        '{ tiers(first: 9) { nodes { key published { limits { limit } } } } }',
      );
      return data.tiers.nodes.map(({ key, published }) => [key, published?.limits[0]?.limit]);
    };
    await host.goto('/tiers');
    await page.getByLabel('per-minute of shop in Basic').fill('12/min');
    await page.getByLabel('per-minute of shop in Pro').fill('100/min');
    await page.getByRole('button', { name: 'Review changes' }).click();
    const review = page.getByRole('dialog');
    await review.getByLabel('Reason').fill('both at once');
    await review.getByRole('button', { name: /^Apply/ }).click();
    await page.getByText('Basic, Pro applied').waitFor();
    expect(await limitsOf()).toEqual([
      ['basic', 12],
      ['pro', 100],
    ]);
    const { data } = await app.graphql('{ changeSets(first: 9) { nodes { title status } } }');
    expect(data.changeSets.nodes).toEqual([{ title: 'both at once', status: 'APPLIED' }]);

    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone: Basic, Pro applied').waitFor();
    expect(await limitsOf()).toEqual([
      ['basic', 10],
      ['pro', 50],
    ]);
  });

  test('scrolls through thousands of tenants', async () => {
    const { page, app } = host;
    await app.database.$executeRaw`
      INSERT INTO "tenant" ("id", "key", "name")
      SELECT 'ten_' || md5(n::text), 'many-' || lpad(n::text, 6, '0'), 'Many ' || n FROM generate_series(1, ${MANY}::int) n`;
    await app.database.$executeRaw`
      INSERT INTO "subscription" ("id", "tenant_id", "tier_id")
      SELECT 'sub_' || md5(n::text), 'ten_' || md5(n::text), (SELECT "id" FROM "tier" WHERE "key" = 'basic')
      FROM generate_series(1, ${MANY}::int) n`;
    await host.goto('/tenants?search=many&sort=name');
    await page.getByText(`${MANY.toLocaleString('en')} tenants`).waitFor();
    await page.getByText('many-000001').waitFor();
    await page.evaluate(() => {
      const found = [];
      Object.assign(window, { longTasks: found });
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) found.push(duration);
      }).observe({ entryTypes: ['longtask'] });
    });
    for (let step = 0; step < 60; step++) {
      await page.mouse.wheel(0, 900);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    }
    // Each arrival at the end loads a page of rows.
    const furthest = () =>
      page.evaluate(() => {
        window.scrollTo(0, document.documentElement.scrollHeight);
        const rows = [...document.querySelectorAll('[aria-rowindex]')];
        return Math.max(0, ...rows.map((row) => Number(row.getAttribute('aria-rowindex'))));
      });
    await expect.poll(furthest, { interval: 200 }).toBeGreaterThan(112);
    const longTasks = await page.evaluate(() => window.longTasks);
    const longest = Math.max(0, ...longTasks);
    console.log(
      `${MANY} rows: ${longTasks.length} tasks above ${LONG_MS} ms, the longest ${Math.round(longest)} ms`,
    );
    expect(await page.getByRole('row').count()).toBeLessThan(100);
    expect(host.errors).toEqual([]);
  });
});
