import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { callOnce } from '../running-copy.mjs';

const DECLINED = '4000 0000 0000 0002';
const OFFER = 'Pack of 5,000 links';
const PRICE = 1900;

const SDK_FETCH = new URL('../../../packages/sdk/dist/adapters/fetch.js', import.meta.url).href;

/** Runs an SDK example against a service that rejects its first request; returns the keys it received. */
async function runAgainstRefusal(example) {
  const sent = [];
  const service = createServer((request, response) => {
    sent.push(request.headers.authorization);
    response.writeHead(sent.length === 1 ? 429 : 200, { 'retry-after': '0', connection: 'close' }).end();
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  const program = `${example.replace('@tollgate/sdk/fetch', SDK_FETCH)}
    if ((await createURL()).status !== 200) process.exit(1);`;
  const env = { ...process.env, URL_SHORTENER_URL: `http://127.0.0.1:${service.address().port}` };
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { env });
  service.close();
  return sent;
}

/**
 * The portal and the shop, as their customers. Each test has its own.
 * @param {import('./product.mjs').Product} product
 */
export function testPortal(product) {
  let dev;
  let page;
  let errors;

  beforeAll(async () => {
    ({ dev } = product);
    ({ page, errors } = await product.openPage());
  });
  afterEach(() => expect(errors.splice(0)).toEqual([]));
  afterAll(() => page?.close());

  const open = (path) => page.goto(new URL(path, dev.consoleUrl).href);
  const button = (name) => page.getByRole('button', { name });
  const heading = (name) => page.getByRole('heading', { name });
  const asOperator = () => product.become();

  /** Opens a page of the portal as the owner of a new tenant. */
  async function openAsCustomer(key, path = '') {
    const email = await product.createCustomer(key);
    await product.become(email);
    await open(`/portal/${key}${path}`);
    return email;
  }

  async function enter(email) {
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(dev.admin.password);
    await button('Sign in').click();
  }

  /** The limit that the next decision for a tenant applies; undefined until the node knows the tenant. */
  async function limitNow(tenant, name) {
    const { answer } = await callOnce({ ...dev, demo: { ...dev.demo, tenant } }, '/v1/peek');
    return answer.policies?.find((policy) => policy.name === name)?.limit;
  }

  /** An order of the pack, by card or invoice. */
  const order = (tenantKey, provider, quantity = 1) =>
    product.mutate(
      'purchaseStart',
      'PurchaseStartInput',
      { tenantKey, offerKey: 'link-pack', expectedPriceMinor: PRICE, provider, quantity },
      'purchase { id checkoutUrl }',
    );

  /** Pays an order on its card page. */
  const pay = ({ purchase: { checkoutUrl } }) =>
    fetch(new URL(checkoutUrl, dev.consoleUrl), {
      method: 'POST',
      body: new URLSearchParams({ number: '4242 4242 4242 4242' }),
      redirect: 'manual',
    });

  test('shows a customer the portal with each limit after sign-in', async () => {
    const email = await product.createCustomer('portal-sign-in');
    await product.signOut();
    await open('/sign-in');
    await enter(email);
    await heading('Your limits').waitFor();
    expect(new URL(page.url()).pathname).toBe('/portal/portal-sign-in');
    await page.getByText('100 per hour').first().waitFor();
    expect(await page.getByRole('link', { name: 'Back to console' }).count()).toBe(0);
    errors.splice(0); // The browser logs the 401 response before sign-in.
  });

  test('raises the limit after a payment, and not after a declined card', async () => {
    const tenant = 'portal-payment';
    await openAsCustomer(tenant);
    await expect.poll(() => limitNow(tenant, 'create-hour')).toBe(100);
    await page.getByRole('link', { name: 'Buy more' }).first().click();
    await button('Buy for €19.00').click();
    await heading(OFFER).waitFor();
    await page.getByLabel('Card number').fill(DECLINED);
    await button('Pay €19.00').click();
    await page.getByText('Your card was declined.').waitFor();
    expect(await limitNow(tenant, 'create-hour')).toBe(100);
    errors.splice(0); // The browser logs the 402 response.
    await page.getByLabel('Card number').fill('4242 4242 4242 4242');
    await button('Pay €19.00').click();
    await page.getByText(`Payment received. ${OFFER} is active.`).waitFor();
    await expect.poll(() => limitNow(tenant, 'create-hour')).toBe(600);
    await page.getByText('Create URL 100 → 600 per hour').waitFor();
    await page.getByText('Includes +500 per hour').click();
    const bill = page.getByRole('table', { name: /create-hour/ });
    expect(await bill.textContent()).toMatch(/Free plan100.*Pack of 5,000 links.*\+500.*= 600 per hour/);
    await page.getByRole('link', { name: 'Invoices', exact: true }).click();
    await page
      .getByRole('row', { name: /Active/ })
      .getByRole('link', { name: OFFER })
      .click();
    await page.getByText('Paid €19.00').waitFor();
  });

  test('cancels an unpaid order', async () => {
    await openAsCustomer('portal-unpaid', '/buy');
    await button('Buy for €19.00').click();
    await page.getByRole('link', { name: 'Back without paying' }).click();
    await page.getByText(`${OFFER} is ordered but not paid`).waitFor();
    await button('Cancel order').click();
    await page.getByText(`${OFFER} is ordered but not paid`).waitFor({ state: 'hidden' });
  });

  test('lowers an own limit within seconds, and removes it', async () => {
    const tenant = 'portal-own-limit';
    await openAsCustomer(tenant);
    await expect.poll(() => limitNow(tenant, 'create-minute')).toBeGreaterThan(4);
    const before = await limitNow(tenant, 'create-minute');
    const item = page
      .getByRole('listitem')
      .filter({ hasText: `${before} per minute` })
      .filter({ hasText: 'Create URL' });
    await item.getByText('Details').click();
    await item.getByRole('button', { name: 'Set a lower limit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('At most per minute').fill(`${before}`);
    await dialog.getByRole('button', { name: 'Set limit' }).click();
    await dialog.getByText(`Enter a number below ${before}`).waitFor();
    await dialog.getByLabel('At most per minute').fill('4');
    await dialog.getByRole('button', { name: 'Set limit' }).click();
    await expect.poll(() => limitNow(tenant, 'create-minute')).toBe(4);
    const lowered = page
      .getByRole('listitem')
      .filter({ hasText: `Lowered from ${before} by your own limit` });
    await lowered.getByRole('row', { name: /Your own limit/ }).waitFor(); // The details stay open.
    await lowered.getByRole('button', { name: 'Remove your own limit' }).click();
    await expect.poll(() => limitNow(tenant, 'create-minute')).toBe(before);
  });

  test('rejects an order above the spend cap before payment', async () => {
    await openAsCustomer('portal-cap');
    await page.getByText('No cap set').waitFor();
    await button('Set a cap').click();
    await page.getByRole('dialog').getByLabel('Most per month').fill('15');
    await page.getByRole('dialog').getByRole('button', { name: 'Save cap' }).click();
    await page.getByText('€0.00 of €15.00 this month').waitFor();
    await page.getByRole('link', { name: 'Buy more' }).first().click();
    await button('Buy for €19.00').click();
    await page.getByText(/above the spend cap of €15\.00/).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await button('Change cap').click();
    await button('Remove cap').click();
    await page.getByText('No cap set').waitFor();
  });

  test('leads from an unknown page back to the portal, and explains a portal without access', async () => {
    await openAsCustomer('portal-lost', '/nothing-here');
    await page.getByRole('link', { name: 'Back to overview' }).click();
    await heading('Your limits').waitFor();
    await open('/portal/globex');
    await heading('You have no access to globex').waitFor();
    await page.getByRole('link', { name: 'Your organizations' }).click();
    await heading('Your limits').waitFor();
  });

  test('puts a key created in the quick start into working examples', async () => {
    await openAsCustomer('portal-start', '/quick-start');
    await button('Create key').click();
    await page.getByRole('dialog').getByLabel('Name').fill('from the quick start');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByText(/^The examples use from the quick start/).waitFor();
    const curl = await page.getByText(/^curl '/).textContent();
    const [, url, key] = /curl '([^']+)'[\s\S]*Bearer (tgk_live_[^']+)'/.exec(curl);
    const answer = async () => {
      const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
      return [response.status, (await response.json()).limits?.length > 0];
    };
    // Nodes learn of a new key with a short delay.
    await expect.poll(answer).toEqual([200, true]);
    await page.getByRole('tab', { name: 'Node with the SDK' }).click();
    const example = await page.getByText(/^import \{ patientFetch/).textContent();
    expect(await runAgainstRefusal(example)).toEqual([`Bearer ${key}`, `Bearer ${key}`]);
    await page.getByRole('tab', { name: 'Express' }).click();
    expect(await page.getByText(/^import express/).textContent()).toContain("api: 'url-shortener'");
  });

  test('sets alerts and explains headers with the tenant’s values', async () => {
    await openAsCustomer('portal-alerts', '/alerts');
    await button('Add threshold').click();
    await page.getByRole('dialog').getByLabel('API').click();
    await page.getByRole('option', { name: 'messaging' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('rowheader', { name: 'All limits of messaging' }).waitFor();
    await open('/portal/portal-alerts/headers');
    await page
      .getByText(/"create-hour";q=100;w=3600/)
      .first()
      .waitFor();
  });

  test('raises a limit when an operator approves a customer’s request', async () => {
    const tenant = 'portal-request';
    await openAsCustomer(tenant, '/requests');
    await page.getByRole('combobox', { name: 'Limit' }).click();
    await page.getByRole('option', { name: 'Create URL per hour' }).click();
    await page.getByLabel('New limit').fill('900');
    await page.getByLabel('Reason').fill('A catalogue of trains');
    await button('Send request').click();
    await page.getByText('Request sent.').first().waitFor();
    await asOperator();
    await open('/quota-requests');
    const request = page.getByRole('listitem').filter({ hasText: 'A catalogue of trains' });
    await request
      .getByText(/in the last 30 days/)
      .first()
      .waitFor();
    await request.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await request.getByRole('button', { name: 'Approve' }).waitFor({ state: 'hidden' });
    await expect.poll(() => limitNow(tenant, 'create-hour')).toBe(900);
  });

  test('puts an offer on sale, and tells a buyer when it was archived', async () => {
    await asOperator();
    await open('/offers/new');
    await page.getByLabel('Name').fill('Winter pack');
    await page.getByLabel('Price').fill('5.5');
    await page.getByText('Adds 1,000 to every limit of every API for 30 days, for €5.50 once.').waitFor();
    await button('Create offer').click();
    await button('Put on sale').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Put on sale' }).click();
    await page.getByText('“Winter pack” is on sale').waitFor();
    await openAsCustomer('portal-archived', '/buy');
    const card = page.getByRole('article', { name: 'Winter pack' });
    await card.waitFor();
    const { offer } = await product.graphql('{ offer(key: "winter-pack") { version } }');
    const archived = { offerKey: 'winter-pack', expectedVersion: offer.version };
    await product.mutate('offerArchive', 'OfferChangeInput', archived);
    await card.getByRole('button', { name: 'Buy for €5.50' }).click();
    await page.getByText('This offer is no longer available.').waitFor();
    await card.waitFor({ state: 'hidden' });
  });

  test('refunds a purchase and shows its status', async () => {
    await product.createCustomer('portal-refund');
    const bought = await order('portal-refund', 'TEST');
    await pay(bought);
    await asOperator();
    await open(`/purchases/${bought.purchase.id}`);
    await page.getByRole('img', { name: 'Purchase lifecycle; current status: Active' }).waitFor();
    await button('Refund').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Refund' }).click();
    await page.getByText('Refund started').waitFor();
    await page.getByRole('img', { name: 'Purchase lifecycle; current status: Refunded' }).waitFor();
  });

  test('marks an invoice as paid and advances billing time to the end of the purchase', async () => {
    const tenant = 'portal-invoice';
    await product.createCustomer(tenant);
    await order(tenant, 'INVOICE', 2);
    await asOperator();
    await open('/purchases?show=invoices');
    const invoice = page.getByRole('row', { name: new RegExp(tenant) });
    await invoice.getByRole('button', { name: 'Mark as paid' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Mark as paid' }).click();
    await invoice.getByRole('cell', { name: 'Paid' }).waitFor();
    await open(`/portal/${tenant}/receipts`);
    const paid = page.getByRole('row', { name: new RegExp(`2 × ${OFFER}`) });
    await paid.filter({ hasText: 'Active' }).waitFor();
    await button('Advance').click();
    await page.getByRole('menuitem', { name: '1 month' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Advance' }).click();
    await page.getByText('test clock, advanced by hand').waitFor();
    await paid.filter({ hasText: 'Expired' }).waitFor();
  });

  test('lets an invited member set a password and open the portal', async () => {
    await openAsCustomer('portal-members', '/members');
    await button('Invite').click();
    await page.getByRole('dialog').getByLabel('Email').fill('sam@members.example');
    await page.getByRole('dialog').getByRole('button', { name: 'Send invitation' }).click();
    await page.getByRole('rowheader', { name: 'sam@members.example' }).waitFor();
    const link = await product.invitationTo('sam@members.example');
    await product.signOut();
    await page.goto(link);
    await heading('Join portal-members').waitFor();
    await page.getByLabel('Your name').fill('Sam');
    await page.getByLabel('Choose a password').fill('short');
    await button('Join portal-members').click();
    await page.getByText('Use at least 8 characters').waitFor();
    await page.getByLabel('Choose a password').fill('long enough by far');
    await button('Join portal-members').click();
    await heading('Your limits').waitFor();
    await page.goto('about:blank');
    await page.goto(link);
    await heading('This invitation is invalid').waitFor();
  });

  test('creates an organization after the address is confirmed', async () => {
    await product.signOut();
    await open('/sign-in');
    await page.getByRole('link', { name: 'Create an organization' }).click();
    await page.getByLabel('Organization name').fill('New Co');
    await page.getByLabel('Your email').fill('first@newco.example');
    await button('Send link').click();
    await heading('Check your email').waitFor();
    errors.splice(0); // The browser logs the 401 responses before sign-in.
    const link = await product.invitationTo('first@newco.example');
    await page.goto(link);
    await page.getByLabel('Your name').fill('First');
    await page.getByLabel('Choose a password').fill('long enough by far');
    await button('Join New Co').click();
    await page.getByRole('heading', { name: 'New Co', exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/portal/new-co');
  });

  test('asks to sign in over the page when the session ends, and goes on', async () => {
    await openAsCustomer('portal-session', '/keys');
    await heading('Keys of portal-session').waitFor();
    await product.signOut();
    await page.getByRole('link', { name: 'Overview' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('Password', { exact: true }).fill(dev.admin.password);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await heading('Your limits').waitFor();
    await expect.poll(() => dialog.count()).toBe(0);
    errors.splice(0); // The browser logs the 401 responses.
  });
}
