import { createServer } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findViolations } from '../../../apps/console/test/screens.ts';
import { runFailingJob } from '../../../apps/control-plane/test/support/failing-job.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR4nGNgAAIAAAUAAXpeqz8AAAAASUVORK5CYII=';

/** The installation's own pages. @param {import('./console-app.mjs').ConsoleApp} host */
export function testInstallation(host) {
  beforeEach(() => host.become('OWNER'));
  afterEach(() => expect(host.errors.splice(0)).toEqual([]));

  test('shows a failed job with its error, retries it and removes it', async () => {
    const { page } = host;
    await runFailingJob(host.app);
    await host.goto('/jobs');
    await page.getByText(/^Failed \d+$/).click();
    await page.waitForURL(/\?state=FAILED/);
    const row = page.getByRole('table', { name: 'Jobs' }).getByRole('row', { name: /failing-job/ });
    await row.getByText('1 of 1').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await row.getByRole('button', { name: 'Retry' }).click();
    await row.getByText('2 of 2').waitFor();
    await row.getByRole('button', { name: 'failing-job' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText(/Error: Out of order/).waitFor();
    await drawer.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove job' }).click();
    await page.getByRole('heading', { name: 'No failed jobs' }).waitFor();
  });

  test('shows the name, logo and accent of the installation after a reload', async () => {
    const { page } = host;
    await host.goto('/settings');
    await page.getByLabel('Accent color').fill('#ffcc00');
    await page.getByText(/white text on buttons 1\.5:1/).waitFor();
    await page.getByLabel('Accent color').fill('#1c5fd4');
    await page.getByLabel('Product name').fill('Northwind Cloud');
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByLabel('Logo', { exact: true }).click(),
    ]);
    await chooser.setFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from(PNG, 'base64') });
    await page.getByLabel('Company name').fill('Northwind GmbH');
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved.').waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Northwind Cloud' }).first().waitFor();
    await expect.poll(() => page.title()).toBe('Company and brand · Northwind Cloud');
    const button = page.getByRole('button', { name: 'Save changes' });
    expect(await button.evaluate((it) => getComputedStyle(it).backgroundColor)).toBe('rgb(28, 95, 212)');
    expect(await page.locator('img[src^="/api/brand/logo.png"]').count()).toBeGreaterThan(0);
  });

  test('shows the usage widget in pages of allowed origins only, and takes a new token', async () => {
    const update =
      'mutation($input: InstallationUpdateInput!) { installationUpdate(input: $input) { userErrors { message } } }';
    const create =
      'mutation($input: UsageWidgetTokenCreateInput!) { usageWidgetTokenCreate(input: $input) { token } }';
    const { data } = await host.app.graphql(create, { input: { tenantKey: 'acme' } });
    const { token } = data.usageWidgetTokenCreate;
    const frameOf = (start) =>
      `<iframe title="Usage" width="360" height="400" src="${host.app.url}/embed/usage?token=${start}"></iframe>`;
    const answering = `<script>addEventListener('message', ({ source, data }) => {
      if (data?.type === 'tollgate:token-needed') source.postMessage({ type: 'tollgate:token', token: '${token}' }, '*');
    })</script>`;
    const pages = { '/good': frameOf(token), '/old': frameOf('x'), '/renewed': answering + frameOf('x') };
    const server = createServer((request, response) =>
      response.setHeader('content-type', 'text/html').end(pages[request.url] ?? ''),
    );
    await new Promise((resolve) => server.listen(0, resolve));
    const { port } = server.address();
    const { installationSettings } = (await host.app.graphql('{ installationSettings { version } }')).data;
    const input = {
      expectedVersion: installationSettings.version,
      embedOrigins: [`http://127.0.0.1:${port}`],
    };
    await host.app.graphql(update, { input });
    const dashboard = await host.page.context().newPage();
    const widget = dashboard.frameLocator('iframe');
    try {
      await dashboard.goto(`http://127.0.0.1:${port}/good`);
      await widget.getByRole('meter', { name: /per minute/ }).waitFor();
      expect(await findViolations(dashboard.frames()[1])).toEqual([]);
      await dashboard.goto(`http://127.0.0.1:${port}/old`);
      await widget.getByText('This view has expired').waitFor();
      await dashboard.goto(`http://127.0.0.1:${port}/renewed`);
      await widget.getByRole('meter', { name: /per minute/ }).waitFor();
      const blocked = dashboard.waitForEvent('console', (message) => /frame-ancestors/.test(message.text()));
      await dashboard.goto(`http://localhost:${port}/good`);
      await blocked;
      expect(await widget.getByRole('meter').count()).toBe(0);
    } finally {
      await dashboard.close();
      server.close();
    }
  });
}
