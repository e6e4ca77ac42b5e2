import { fileURLToPath } from 'node:url';
import { launchBrowser, type TestBrowser } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPolicy } from './support/policy-factory.js';
import { Shop, TOPUP, UPGRADE } from './support/shop.js';
import { startTestApp, type TestApp } from './support/test-app.js';

const VIEWPORT = { width: 390, height: 844 };

const ORIGIN = 'http://127.0.0.1:1';

let app: TestApp;
let shop: Shop;
let browser: TestBrowser;

beforeAll(async () => {
  app = await startTestApp({
    PAYMENT_TEST_ENABLED: 'true',
    PUBLIC_URL: ORIGIN,
    // The logo of the page is a file of the console.
    CONSOLE_DIR: fileURLToPath(new URL('../../console/dist', import.meta.url)),
  });
  await createPolicy(app);
  shop = new Shop(app);
  await shop.sell({ ...UPGRADE, name: 'More <b>requests</b> & "quotas"' });
  await shop.sell(TOPUP);
  browser = await launchBrowser({ viewport: VIEWPORT, colorScheme: 'dark' });
});
afterAll(async () => {
  await browser?.close();
  await app.stop();
});

const pageOf = ({ checkoutUrl }: { checkoutUrl: string }) => `${app.url}${new URL(checkoutUrl).pathname}`;

describe('the card page', () => {
  it('escapes the order, obeys its content security policy and fits a phone', async () => {
    const page = await browser.context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(pageOf(await shop.order(UPGRADE)));
    expect(await page.textContent('h1')).toBe('More <b>requests</b> & "quotas"');
    expect(await page.textContent('.price')).toBe('€49.00 a month, until you cancel');
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(VIEWPORT.width);
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(background).toBe('rgb(13, 16, 17)');
    expect(
      await page.evaluate('document.fonts.load("16px \'Geist Variable\'").then((faces) => faces.length)'),
    ).toBe(1);
    const heights = await page.$$eval('button, input:not([type=hidden])', (all) =>
      all.map((one) => one.clientHeight),
    );
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(42);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('shows why a card was declined, keeps its number and accepts another one', async () => {
    const order = await shop.order(TOPUP);
    const body = (number: string) => new URLSearchParams({ number });
    const declined = await fetch(pageOf(order), { method: 'POST', body: body('4111 <script>') });
    expect(declined.status).toBe(402);
    const text = await declined.text();
    expect(text).toContain('This is no test card.');
    expect(text).toContain('value="4111 &lt;script&gt;"');
    expect(declined.headers.get('content-security-policy')).toContain("form-action 'self'");
    const paid = await fetch(pageOf(order), {
      method: 'POST',
      body: body('4242424242424242'),
      redirect: 'manual',
    });
    expect([paid.status, paid.headers.get('location')]).toEqual([303, `${ORIGIN}/portal/acme/receipts`]);
    expect(await (await fetch(pageOf(order))).text()).toContain('Paid.');
  });

  it.each([
    '/.//evil.example/x',
    '/..//evil.example',
    '//evil.example',
    '/\\evil.example',
    '/%2e//evil.example',
    '/\t/evil.example',
    '/portal@evil.example',
  ])('never redirects to another host for returnPath %j', async (returnPath) => {
    await expect(shop.order(TOPUP, { returnPath })).rejects.toThrow(/returnPath/);
    // An order of an earlier version.
    const order = await shop.order(TOPUP);
    const id = new URL(order.checkoutUrl).pathname.split('/').at(-1) ?? '';
    const returnUrl = `${ORIGIN}${returnPath}`;
    await app.database.testOrder.update({ where: { id }, data: { returnUrl } });
    const paid = await shop.payWith(order);
    const location = paid.headers.get('location') ?? '';
    // Browsers resolve a relative header against the page.
    expect(new URL(location, app.url).origin).toBe(ORIGIN);
    expect(location).toMatch(/^http:\/\/127\.0\.0\.1:1\/(?!\/)/);
  });

  it.each(['tpo_00000000000000000000000000000000', 'x', '..%2f..'])('returns 404 for %s', async (id) => {
    const response = await fetch(`${app.url}/pay/test/${id}`);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('No such order');
  });

  it('rejects a form posted by another site', async () => {
    const order = await shop.order(TOPUP);
    const response = await fetch(pageOf(order), {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
      body: new URLSearchParams({ number: '4242424242424242' }),
    });
    expect(response.status).toBe(403);
    expect(await shop.read(order.id)).toMatchObject({ status: 'PENDING' });
  });
});
