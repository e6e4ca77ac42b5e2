import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectErrors } from '../../apps/console/test/screens.ts';
import { launchBrowser } from '../../packages/test-kit/src/index.ts';
import { linkInMail } from './link-in-mail.mjs';
import { Copies, callOnce } from './running-copy.mjs';

const DECLINED = '4000 0000 0000 0002';
const OFFER = 'Pack of 5,000 links';
const CUSTOMER = 'wile@acme.example';

/** Stripe is at nobody's door, so that what happens while a provider is away can be seen. */
const STRIPE_AWAY = {
  PAYMENT_STRIPE_ENABLED: 'true',
  STRIPE_SECRET_KEY: 'sk_test_nobody',
  STRIPE_WEBHOOK_SECRET: 'whsec_nobody_at_all',
  STRIPE_API_BASE: 'http://127.0.0.1:9',
};

const SDK_FETCH = new URL('../../packages/sdk/dist/adapters/fetch.js', import.meta.url).href;

/** Runs an example with the SDK against a service that refuses its first request. @returns the keys that it was sent */
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

// What customers do in their portal, and operators in commerce: a real browser, the real card page, real decisions.
describe('the portal and the shop', { timeout: 240_000 }, () => {
  const copies = new Copies();
  let dev;
  let browser;
  let page;
  let errors;

  beforeAll(async () => {
    ({ dev } = await copies.start(STRIPE_AWAY));
    browser = await launchBrowser();
    page = browser.context.pages()[0] ?? (await browser.context.newPage());
    errors = collectErrors(page);
  }, 180_000);
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
  const graphql = async (query, variables) => {
    const response = await fetch(dev.graphqlUrl, {
      method: 'POST',
      headers: { authorization: `Bearer ${dev.adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors: failures } = await response.json();
    expect(failures).toBeUndefined();
    return data;
  };
  /** What the next decision will be made by. */
  const limitNow = async (name) => {
    const { answer } = await callOnce(dev, '/v1/peek');
    return answer.policies.find((policy) => policy.name === name)?.limit;
  };

  test('a customer who signs in is in the portal, and sees each limit with its scope', async () => {
    await asCustomer();
    expect(new URL(page.url()).pathname).toBe('/portal/acme');
    await page.getByText('Up to 100 requests an hour per tenant').first().waitFor();
    expect(await page.getByRole('link', { name: 'Back to console' }).count()).toBe(0);
    noErrors();
  });

  test('while a provider is away nothing is ordered, and the page says so', async () => {
    await page.getByRole('link', { name: 'Buy more' }).first().click();
    await page.getByText('Stripe', { exact: true }).click();
    await button(/^Buy for/).click();
    await page.getByText('Payment provider unavailable').waitFor();
    await page.getByText('Test card', { exact: true }).click();
    noErrors();
  });

  test('two clicks and a card that works raise the limit of the next decision; a declined card does not', async () => {
    expect(await limitNow('create-hour')).toBe(100);
    await button('Buy for €19.00').click();
    await heading(OFFER).waitFor();
    await page.getByLabel('Card number').fill(DECLINED);
    await button('Pay €19.00').click();
    await page.getByText('Your card was declined.').waitFor();
    expect(await limitNow('create-hour')).toBe(100);
    errors.splice(0); // The browser notes the refusal, which is a 402.
    await page.getByLabel('Card number').fill('4242 4242 4242 4242');
    await button('Pay €19.00').click();
    await page.getByText(`Payment received. ${OFFER} is active.`).waitFor();
    await expect.poll(() => limitNow('create-hour'), { timeout: 30_000 }).toBe(600);
    await page.getByText('create-hour url-shortener 100 → 600').waitFor();
    const bill = page.getByRole('table', { name: /create-hour/ });
    expect(await bill.textContent()).toMatch(/Free tier100.*Pack of 5,000 links.*\+500.*= 600\/h/);
    noErrors();
  });

  test('the receipt says what was paid, and an order that is not paid can be given up', async () => {
    await page.getByRole('link', { name: 'Receipts' }).click();
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

  test('a key that is made in the quick start stands in examples that work', async () => {
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
    // A key is known to nodes a moment after it is made.
    await expect.poll(answer, { timeout: 30_000 }).toEqual([200, true]);
    await page.getByRole('tab', { name: 'Node with the SDK' }).click();
    const example = await page.getByText(/^import \{ patientFetch/).textContent();
    expect(await runAgainstRefusal(example)).toEqual([`Bearer ${key}`, `Bearer ${key}`]);
    await page.getByRole('tab', { name: 'Express' }).click();
    expect(await page.getByText(/^import express/).textContent()).toContain("api: 'url-shortener'");
    noErrors();
  });

  test('alerts are set, and the headers are explained with the tenant’s own numbers', async () => {
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

  test('a customer asks for more beside the own peak; an operator approves; the limit is higher', async () => {
    await open('/portal/acme/requests');
    await button('Withdraw').click(); // What the demo has asked for already.
    await page.getByText('Request withdrawn').waitFor();
    await page.getByRole('combobox', { name: 'Limit' }).click();
    await page.getByRole('option', { name: 'create-hour · url-shortener' }).click();
    await page.getByLabel('New limit').fill('900');
    await page.getByLabel('Reason').fill('The winter catalogue');
    await button('Send request').click();
    await page.getByText('Request sent.').first().waitFor();
    await asOperator();
    await open('/quota-requests');
    await page.getByText('The winter catalogue').waitFor();
    await page
      .getByText(/ in one hour/)
      .first()
      .waitFor();
    await button('Approve').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await heading('No open requests').waitFor();
    await expect.poll(() => limitNow('create-hour'), { timeout: 30_000 }).toBe(900);
    noErrors();
  });

  test('an operator sells something new, and takes it from sale; who looks at it still is told', async () => {
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
    const { offer } = await graphql('{ offer(key: "winter-pack") { version } }');
    const input = { offerKey: 'winter-pack', expectedVersion: offer.version };
    await graphql(
      'mutation($input: OfferChangeInput!) { offerArchive(input: $input) { userErrors { message } } }',
      { input },
    );
    await card.getByRole('button', { name: 'Buy for €5.50' }).click();
    await page.getByText('This offer is no longer available.').waitFor();
    await card.waitFor({ state: 'hidden' });
    noErrors();
  });

  test('a purchase is refunded and its state drawn; the limit falls with it', async () => {
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
    await expect
      .poll(
        async () => {
          await page.reload();
          return page
            .getByRole('img', { name: 'Purchase lifecycle; current status: Refunded' })
            .waitFor({ timeout: 10_000 })
            .then(
              () => true,
              () => false,
            );
        },
        { timeout: 60_000 },
      )
      .toBe(true);
    noErrors();
  });

  test('an invoice is marked paid, and the billing time of a tenant moves to where what was bought ends', async () => {
    await open('/purchases?show=invoices');
    await button('Mark as paid').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Mark as paid' }).click();
    await page.getByRole('cell', { name: 'Paid' }).waitFor();
    await open('/portal/wonka/receipts');
    await page.getByRole('row', { name: /Active/ }).waitFor();
    await button('Advance').click();
    await page.getByRole('menuitem', { name: '1 month' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Advance' }).click();
    await page.getByText('test clock, advanced by hand').waitFor();
    await page.getByRole('row', { name: /Expired/ }).waitFor();
    noErrors();
  });

  test('who is invited sets a password by the link in the mail, and is in the portal', async () => {
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

  test('who signs up confirms the address, and has an organisation', async () => {
    await page.context().clearCookies();
    await open('/sign-in');
    await page.getByRole('link', { name: 'Create an organisation' }).click();
    await page.getByLabel('Organisation name').fill('New Co');
    await page.getByLabel('Your email').fill('first@newco.example');
    await button('Send link').click();
    await heading('Check your email').waitFor();
    errors.splice(0); // Who has not signed in yet is nobody, which the browser notes.
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

  test('a session that ends leads to the sign-in, and from there back', async () => {
    await asCustomer();
    await page.getByRole('link', { name: 'API keys' }).click();
    await heading('Keys of acme').waitFor();
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByLabel('Email').waitFor();
    errors.splice(0); // The refusal that said so.
    await page.getByLabel('Email').fill(CUSTOMER);
    await page.getByLabel('Password', { exact: true }).fill(dev.admin.password);
    await button('Sign in').click();
    await heading('Your limits').waitFor();
    noErrors();
  });
});
