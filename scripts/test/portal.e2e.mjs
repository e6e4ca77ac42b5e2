import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { graphql } from '../run/graphql.mjs';
import { linkInMail } from './link-in-mail.mjs';
import { Copies, callOnce, openBrowser } from './running-copy.mjs';

const DECLINED = '4000 0000 0000 0002';
const OFFER = 'Pack of 5,000 links';
const CUSTOMER = 'wile@acme.example';

/** Points Stripe at an unused port, to test an unavailable provider. */
const STRIPE_AWAY = {
  PAYMENT_STRIPE_ENABLED: 'true',
  STRIPE_SECRET_KEY: 'sk_test_unused',
  STRIPE_WEBHOOK_SECRET: 'whsec_unused_secret',
  STRIPE_API_BASE: 'http://127.0.0.1:1',
};

const SDK_FETCH = new URL('../../packages/sdk/dist/adapters/fetch.js', import.meta.url).href;

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

describe('the portal and the shop', () => {
  const copies = new Copies();
  let dev;
  let browser;
  let page;
  let errors;

  beforeAll(async () => {
    ({ dev } = await copies.start(STRIPE_AWAY));
    ({ browser, page, errors } = await openBrowser());
  });
  afterAll(async () => {
    await browser?.close();
    await copies.stopAll();
    copies.removeHome();
  });

  const open = (path) => page.goto(new URL(path, dev.consoleUrl).href);
  const button = (name) => page.getByRole('button', { name });
  const heading = (name) => page.getByRole('heading', { name });
  const noErrors = () => expect(errors.splice(0)).toEqual([]);

  async function enter(email, password) {
    await page.context().clearCookies();
    await open('/sign-in');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await button('Sign in').click();
  }
  const asCustomer = async () => {
    await enter(CUSTOMER, dev.admin.password);
    await heading('Your limits').waitFor();
  };
  const asOperator = async () => {
    await enter(dev.admin.email, dev.admin.password);
    await page.getByRole('link', { name: 'Offers' }).waitFor();
  };
  /** The limit that the next decision applies. */
  const limitNow = async (name) => {
    const { answer } = await callOnce(dev, '/v1/peek');
    return answer.policies.find((policy) => policy.name === name)?.limit;
  };

  test('shows a customer the portal with each limit after sign-in', async () => {
    await asCustomer();
    expect(new URL(page.url()).pathname).toBe('/portal/acme');
    await page.getByText('100 per hour').first().waitFor();
    expect(await page.getByRole('link', { name: 'Back to console' }).count()).toBe(0);
    noErrors();
  });

  test('orders nothing while the payment provider is unavailable', async () => {
    await page.getByRole('link', { name: 'Buy more' }).first().click();
    await page.getByText('Stripe', { exact: true }).click();
    await button(/^Buy for/).click();
    await page.getByText('Payment provider unavailable').waitFor();
    await page.getByText('Test card', { exact: true }).click();
    noErrors();
  });

  test('raises the limit after a payment, and not after a declined card', async () => {
    expect(await limitNow('create-hour')).toBe(100);
    await button('Buy for €19.00').click();
    await heading(OFFER).waitFor();
    await page.getByLabel('Card number').fill(DECLINED);
    await button('Pay €19.00').click();
    await page.getByText('Your card was declined.').waitFor();
    expect(await limitNow('create-hour')).toBe(100);
    errors.splice(0); // The browser logs the 402 response.
    await page.getByLabel('Card number').fill('4242 4242 4242 4242');
    await button('Pay €19.00').click();
    await page.getByText(`Payment received. ${OFFER} is active.`).waitFor();
    await expect.poll(() => limitNow('create-hour')).toBe(600);
    await page.getByText('Create URL 100 → 600 per hour').waitFor();
    await page.getByText('Includes +500 per hour').click();
    const bill = page.getByRole('table', { name: /create-hour/ });
    expect(await bill.textContent()).toMatch(/Free plan100.*Pack of 5,000 links.*\+500.*= 600 per hour/);
    noErrors();
  });

  test('shows payments in the receipt and cancels an unpaid order', async () => {
    await page.getByRole('link', { name: 'Invoices', exact: true }).click();
    await page
      .getByRole('row', { name: /Active/ })
      .getByRole('link', { name: OFFER })
      .click();
    await page.getByText('Paid €19.00').waitFor();
    await open('/portal/acme/buy');
    await page.getByText('Test card', { exact: true }).click();
    await button('Buy for €19.00').click();
    await page.getByRole('link', { name: 'Back without paying' }).click();
    await page.getByText(`${OFFER} is ordered but not paid`).waitFor();
    await button('Cancel order').click();
    await page.getByText(`${OFFER} is ordered but not paid`).waitFor({ state: 'hidden' });
    noErrors();
  });

  test('lowers an own limit within seconds, and removes it', async () => {
    const before = await limitNow('create-minute');
    await open('/portal/acme');
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
    await expect.poll(() => limitNow('create-minute')).toBe(4);
    const lowered = page
      .getByRole('listitem')
      .filter({ hasText: `Lowered from ${before} by your own limit` });
    await lowered.getByRole('row', { name: /Your own limit/ }).waitFor(); // The details stay open.
    await lowered.getByRole('button', { name: 'Remove your own limit' }).click();
    await expect.poll(() => limitNow('create-minute')).toBe(before);
    noErrors();
  });

  test('rejects an order above the spend cap before payment', async () => {
    await open('/portal/acme');
    await page.getByText('No cap set').waitFor();
    await button('Set a cap').click();
    await page.getByRole('dialog').getByLabel('Most per month').fill('20');
    await page.getByRole('dialog').getByRole('button', { name: 'Save cap' }).click();
    await page.getByText('€19.00 of €20.00 this month').waitFor();
    await open('/portal/acme/buy');
    await page.getByText('Test card', { exact: true }).click();
    await button('Buy for €19.00').click();
    await page.getByText(/above the spend cap of €20\.00/).waitFor();
    await open('/portal/acme');
    await button('Change cap').click();
    await button('Remove cap').click();
    await page.getByText('No cap set').waitFor();
    noErrors();
  });

  test('leads from an unknown page back to the portal, and explains a portal without access', async () => {
    await open('/portal/acme/nothing-here');
    await page.getByRole('link', { name: 'Back to overview' }).click();
    await heading('Your limits').waitFor();
    await open('/portal/globex');
    await heading('You have no access to globex').waitFor();
    await page.getByRole('link', { name: 'Your organizations' }).click();
    await heading('Your limits').waitFor();
    noErrors();
  });

  test('puts a key created in the quick start into working examples', async () => {
    await open('/portal/acme/quick-start');
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
    noErrors();
  });

  test('sets alerts and explains headers with the tenant’s values', async () => {
    await open('/portal/acme/alerts');
    await button('Add threshold').click();
    await page.getByRole('dialog').getByLabel('API').click();
    await page.getByRole('option', { name: 'messaging' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('rowheader', { name: 'All limits of messaging' }).waitFor();
    await open('/portal/acme/headers');
    await page
      .getByText(/"create-hour";q=600;w=3600/)
      .first()
      .waitFor();
    noErrors();
  });

  test('raises a limit when an operator approves a customer’s request', async () => {
    await open('/portal/acme/requests');
    await button('Withdraw').click(); // The demo's own request.
    await page.getByText('Request withdrawn').waitFor();
    await page.getByRole('combobox', { name: 'Limit' }).click();
    await page.getByRole('option', { name: 'Create URL per hour' }).click();
    await page.getByLabel('New limit').fill('900');
    await page.getByLabel('Reason').fill('The winter catalogue');
    await button('Send request').click();
    await page.getByText('Request sent.').first().waitFor();
    await asOperator();
    await open('/quota-requests');
    await page.getByText('The winter catalogue').waitFor();
    await page
      .getByText(/in the last 30 days/)
      .first()
      .waitFor();
    await button('Approve').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await heading('No open requests').waitFor();
    await expect.poll(() => limitNow('create-hour')).toBe(900);
    noErrors();
  });

  test('puts an offer on sale, and tells a buyer when it was archived', async () => {
    await open('/offers/new');
    await page.getByLabel('Name').fill('Winter pack');
    await page.getByLabel('Price').fill('5.5');
    await page.getByText('Adds 1,000 to every limit of every API for 30 days, for €5.50 once.').waitFor();
    await button('Create offer').click();
    await button('Put on sale').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Put on sale' }).click();
    await page.getByText('“Winter pack” is on sale').waitFor();
    await asCustomer();
    await open('/portal/acme/buy');
    const card = page.getByRole('article', { name: 'Winter pack' });
    await card.waitFor();
    const { offer } = await graphql(dev, '{ offer(key: "winter-pack") { version } }');
    const input = { offerKey: 'winter-pack', expectedVersion: offer.version };
    await graphql(
      dev,
      'mutation($input: OfferChangeInput!) { offerArchive(input: $input) { userErrors { message } } }',
      { input },
    );
    await card.getByRole('button', { name: 'Buy for €5.50' }).click();
    await page.getByText('This offer is no longer available.').waitFor();
    await card.waitFor({ state: 'hidden' });
    noErrors();
  });

  test('refunds a purchase and shows its status', async () => {
    await asOperator();
    await open('/purchases');
    await page
      .getByRole('row', { name: /acme.*Active/ })
      .getByRole('link', { name: OFFER })
      .click();
    await page.getByRole('img', { name: 'Purchase lifecycle; current status: Active' }).waitFor();
    await button('Refund').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Refund' }).click();
    await page.getByText('Refund started').waitFor();
    await page.getByRole('img', { name: 'Purchase lifecycle; current status: Refunded' }).waitFor();
    noErrors();
  });

  test('marks an invoice as paid and advances billing time to the end of the purchase', async () => {
    await open('/purchases?show=invoices');
    await button('Mark as paid').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Mark as paid' }).click();
    await page.getByRole('cell', { name: 'Paid' }).waitFor();
    await open('/portal/wonka/receipts');
    const paid = page.getByRole('row', { name: new RegExp(`2 × ${OFFER}`) });
    await paid.filter({ hasText: 'Active' }).waitFor();
    await button('Advance').click();
    await page.getByRole('menuitem', { name: '1 month' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Advance' }).click();
    await page.getByText('test clock, advanced by hand').waitFor();
    await paid.filter({ hasText: 'Expired' }).waitFor();
    noErrors();
  });

  test('lets an invited member set a password and open the portal', async () => {
    await open('/portal/acme/members');
    await button('Invite').click();
    await page.getByRole('dialog').getByLabel('Email').fill('sam@acme.example');
    await page.getByRole('dialog').getByRole('button', { name: 'Send invitation' }).click();
    await page.getByRole('rowheader', { name: 'sam@acme.example' }).waitFor();
    const link = await linkInMail(page.context(), dev, 'sam@acme.example');
    await page.context().clearCookies();
    await page.goto(link);
    await heading('Join Acme').waitFor();
    await page.getByLabel('Your name').fill('Sam');
    await page.getByLabel('Choose a password').fill('short');
    await button('Join Acme').click();
    await page.getByText('Use at least 8 characters').waitFor();
    await page.getByLabel('Choose a password').fill('long enough by far');
    await button('Join Acme').click();
    await heading('Your limits').waitFor();
    await page.goto('about:blank');
    await page.goto(link);
    await heading('This invitation is invalid').waitFor();
    noErrors();
  });

  test('creates an organization after the address is confirmed', async () => {
    await page.context().clearCookies();
    await open('/sign-in');
    await page.getByRole('link', { name: 'Create an organization' }).click();
    await page.getByLabel('Organization name').fill('New Co');
    await page.getByLabel('Your email').fill('first@newco.example');
    await button('Send link').click();
    await heading('Check your email').waitFor();
    errors.splice(0); // The browser logs the 401 responses before sign-in.
    await asOperator();
    const link = await linkInMail(page.context(), dev, 'first@newco.example');
    await page.context().clearCookies();
    await page.goto(link);
    await page.getByLabel('Your name').fill('First');
    await page.getByLabel('Choose a password').fill('long enough by far');
    await button('Join New Co').click();
    await page.getByRole('heading', { name: 'New Co', exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/portal/new-co');
    noErrors();
  });

  test('redirects to sign-in when the session ends, and back', async () => {
    await asCustomer();
    await page.getByRole('link', { name: 'API keys' }).click();
    await heading('Keys of Acme').waitFor();
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByLabel('Email').waitFor();
    errors.splice(0); // The browser logs the 401 response.
    await page.getByLabel('Email').fill(CUSTOMER);
    await page.getByLabel('Password', { exact: true }).fill(dev.admin.password);
    await button('Sign in').click();
    await heading('Your limits').waitFor();
    noErrors();
  });
});
