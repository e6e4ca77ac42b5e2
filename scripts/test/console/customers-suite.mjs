import { afterEach, beforeEach, expect, test } from 'vitest';
import { Shop, TOPUP } from '../../../apps/control-plane/test/support/shop.ts';

/** 100,000 for a measurement: inserting them takes most of a minute. */
const MANY = Number(process.env.SCROLL_TENANTS ?? 10_000);
const LONG_MS = 50;

/** Customers in the console. @param {import('./console-app.mjs').ConsoleApp} host */
export function testCustomers(host) {
  beforeEach(() => host.become('OWNER'));
  afterEach(() => expect(host.errors.splice(0)).toEqual([]));

  const limitOf = async (key) => {
    const { data } = await host.app.graphql(
      'query($key: String!) { tenant(key: $key) { effectiveLimits { source limit { limit } } } }',
      { key },
    );
    const [{ limit, source }] = data.tenant.effectiveLimits;
    return [limit.limit, source];
  };

  test('boosts a limit after a preview and ends the boost', async () => {
    const { page } = host;
    await host.createPlan('boosted');
    await host.goto('/tenants/boosted');
    await page.getByRole('button', { name: 'how per-minute, boosted was calculated' }).click();
    await page.getByText('Effective', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Boost per-minute' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('20/min', { exact: true }).waitFor();
    await dialog.getByLabel('Duration').fill('2 h');
    await dialog.getByLabel('Reason').fill('launch');
    await dialog.getByRole('button', { name: 'Start boost' }).click();
    await page.getByText('boosted boosted').waitFor();
    expect(await limitOf('boosted')).toEqual([20, 'BOOST']);

    await page.getByRole('link', { name: 'Overrides and boosts' }).click();
    await page.getByRole('button', { name: 'End Boost per-minute' }).click();
    await dialog.getByLabel('Reason').fill('over');
    await dialog.getByRole('button', { name: 'End now' }).click();
    await page.getByText('Ended early').waitFor();
    expect(await limitOf('boosted')).toEqual([10, 'TIER']);
  });

  test('keeps the names of tenants readable at every width', async () => {
    const { page } = host;
    const viewport = page.viewportSize();
    await host.createPlan('long-named');
    try {
      for (const path of ['/', '/tenants']) {
        await host.goto(path);
        const name = page
          .getByRole('table', { name: 'Tenants by utilization' })
          .getByRole('rowheader')
          .first();
        await name.waitFor();
        for (const width of [1440, 1280, 1200, 1024, 820]) {
          await page.setViewportSize({ width, height: 900 });
          const room = () =>
            name.evaluate((cell) => {
              const { paddingLeft, paddingRight } = getComputedStyle(cell);
              return cell.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
            });
          await expect.poll(room, `${path} at ${width} px`).toBeGreaterThanOrEqual(160);
        }
      }
    } finally {
      await page.setViewportSize(viewport);
    }
  });

  test('sets a rule for a subject, edits and removes it', async () => {
    const { page } = host;
    const dialog = page.getByRole('dialog');
    await host.createPlan('ruled');
    const effectOf = async () => {
      const { data } = await host.app.graphql(
        '{ subjectRules(tenantKey: "ruled", live: true) { nodes { pattern effect { kind message } } } }',
      );
      return data.subjectRules.nodes;
    };
    await host.goto('/tenants/ruled/exceptions');
    await page.getByText('deny ip 203.0.113.0/24 for a week').waitFor();
    await page.getByRole('button', { name: 'Add rule' }).click();
    await dialog.getByLabel('Pattern').fill('test-*');
    await dialog.getByLabel('Reason').fill('abuse');
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
    for (const key of ['bulk-a', 'bulk-b'])
      await host.mutate('tenantCreate', 'TenantCreateInput', { key, name: key, tierKey: 'basic' });
    const suspended = () =>
      host.app.database.tenant.count({ where: { key: { startsWith: 'bulk-' }, status: 'SUSPENDED' } });
    await host.goto('/tenants?search=bulk-');
    await page.getByLabel('Select bulk-a').check();
    await page.getByRole('button', { name: 'Select all 2 matching' }).click();
    await page.getByRole('button', { name: 'Bulk actions' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Action').click();
    await page.getByRole('option', { name: 'Suspend' }).click();
    await dialog.getByLabel('Reason').fill('unpaid');
    await dialog.getByText(/No tenant would fail\.$/).waitFor();
    await dialog.getByRole('button', { name: 'Apply to 2 tenants' }).click();
    await page.getByText('2 done, 0 failed').waitFor();
    expect(await suspended()).toBe(2);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(/undone/).waitFor();
    await page.getByText('Undo', { exact: true }).first().waitFor();
    await expect.poll(suspended).toBe(0);
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
  });
}
