import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn } from '../../../apps/console/test/screens.ts';
import { graphql as sendGraphql } from '../../run/graphql.mjs';

/**
 * Tasks of an operator, each within a number of clicks. A click into a field counts like any other.
 * @param {import('./product.mjs').Product} product
 */
export function testTasks(product) {
  let dev;
  let page;
  let errors;
  let clicks = 0;

  beforeAll(async () => {
    ({ dev } = product);
    ({ page, errors } = await product.openPage());
    await page.exposeFunction('countClick', () => (clicks += 1));
    await page.addInitScript(() => addEventListener('pointerdown', () => window.countClick(), true));
    await signIn(page, dev);
  });
  afterAll(() => page?.close());

  const graphql = (query, variables) => sendGraphql(dev, query, variables);
  const button = (name, scope = page) => scope.getByRole('button', { name, exact: typeof name === 'string' });
  const dialog = () => page.getByRole('dialog').last();
  const type = (text) => page.keyboard.type(text);

  const hasFocus = (field) => field.evaluate((element) => element === document.activeElement);

  /** Clicks into a field unless it has the focus, and replaces its text. */
  async function write(field, text) {
    await field.waitFor();
    if (!(await hasFocus(field))) await field.click();
    await page.keyboard.press('ControlOrMeta+a');
    await type(text);
  }

  /** Runs a task from a home page and checks the number of clicks. */
  async function within(most, name, task, { path, title } = { path: '/', title: 'Home' }) {
    await page.goto(new URL(path, dev.consoleUrl).href);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    clicks = 0;
    await task();
    console.log(`${name}: ${clicks} clicks (goal: at most ${most})`);
    expect(clicks).toBeLessThanOrEqual(most);
  }

  test('goes from a new API to the first 429 in at most 18 clicks', async () => {
    await within(18, 'New API to first 429', async () => {
      await page.getByRole('link', { name: 'APIs' }).click();
      await button('Register API').first().click();
      await write(dialog().getByLabel('Name'), 'Links');
      await write(dialog().getByLabel('Operations').first(), 'createLink,getLink,');
      await button('Register API', dialog()).click();
      await button('Add limits').click();
      await page.getByRole('menuitem', { name: 'New tier' }).click();
      await write(dialog().getByLabel('Name'), 'Starter');
      await button('Create tier', dialog()).click();
      for (const rate of ['5/min', '20/s', '10k/month']) {
        await write(page.getByRole('textbox', { name: 'Limit' }), rate);
        await page.keyboard.press('Enter');
      }
      await button('Review changes').click();
      await button('Apply', dialog()).click();
      await button('Add tenant').click();
      await write(dialog().getByLabel('Name'), 'Initech Labs');
      await dialog().getByLabel('Create an API key').click();
      await button('Create tenant', dialog()).click();
      await page.getByText(/^tgk_live_/).waitFor();
      await button('I have saved it').click();
      await page.getByRole('heading', { level: 1, name: 'Initech Labs' }).waitFor();
      await button('Send a test request').click();
      await button('Send until denied', dialog()).click();
      await dialog().getByText('429 Denied').waitFor();
    });
    await dialog()
      .getByText(/\d+ requests sent: \d+ allowed, 1 denied\./)
      .waitFor();
    await dialog()
      .getByText(/^HTTP 429\n(.*\n)*retry-after: \d+/)
      .waitFor();
    await dialog()
      .getByText(/Up to 5 requests a minute pass/)
      .waitFor();
    const { tenant } = await graphql(
      `{ tenant(key: "initech-labs") { effectiveLimits { limit { name apiKey algorithm limit } } } }`,
    );
    const own = tenant.effectiveLimits.filter(({ limit }) => limit.apiKey === 'links');
    expect(own.map(({ limit }) => [limit.name, limit.algorithm, limit.limit]).toSorted()).toEqual([
      ['all-month', 'QUOTA', 10_000],
      ['create-link-min', 'FIXED_WINDOW', 5],
      ['get-link-s', 'FIXED_WINDOW', 20],
    ]);
    const { auditEntries } = await graphql(
      '{ auditEntries(first: 1, action: "testRequest.send") { nodes { after } } }',
    );
    expect(auditEntries.nodes[0].after).toMatchObject({ apiKey: 'links', denied: 1 });
  });

  test.each([
    ['tenant', { tenantKey: 'nobody' }, 'tenantKey', /^There is no tenant "nobody". Create it, or choose/],
    ['API', { apiKey: 'nothing' }, 'apiKey', /^There is no API "nothing". Create it, or choose/],
    ['operation name', { operation: 'not one' }, 'operation', /starts with a letter/],
    ['dimension', { subject: [{ dimension: 'User', value: 'u' }] }, 'subject', /^A dimension is lower case/],
    ['empty value', { subject: [{ dimension: 'user', value: '' }] }, 'subject', /^Enter a value, or leave/],
    [
      'long value',
      { subject: [{ dimension: 'user', value: 'u'.repeat(1025) }] },
      'subject',
      /^Enter a value of at most 1024 characters/,
    ],
    [
      'repeated dimension',
      { subject: ['a', 'b'].map((value) => ({ dimension: 'user', value })) },
      'subject',
      /^Send each dimension once/,
    ],
    ['count', { count: 501 }, 'count', /^Send at most 500 requests/],
  ])('rejects a test request with an invalid %s and says what to do', async (_name, part, field, message) => {
    const query = `mutation($input: TestRequestSendInput!) {
      testRequestSend(input: $input) { results { status } errors: userErrors { field message } } }`;
    const input = { tenantKey: 'initech-labs', apiKey: 'links', operation: 'getLink', ...part };
    const { testRequestSend } = await graphql(query, { input });
    expect(testRequestSend).toEqual({
      results: [],
      errors: [{ field: expect.arrayContaining([field]), message: expect.stringMatching(message) }],
    });
  });

  test('sends a test request for an unregistered operation, which the API counts', async () => {
    const query = `mutation($input: TestRequestSendInput!) {
      testRequestSend(input: $input) { results { status limitName } userErrors { message } } }`;
    const input = { tenantKey: 'initech-labs', apiKey: 'links', operation: 'unknown' };
    const { testRequestSend } = await graphql(query, { input });
    expect(testRequestSend.results).toEqual([{ status: 200, limitName: 'all-month' }]);
  });

  test('raises one limit of a tier and undoes the publication', async () => {
    await within(6, 'Raise a limit, publish and undo', async () => {
      await page.getByRole('link', { name: 'Tiers' }).click();
      await page.getByRole('link', { name: 'Starter' }).first().click();
      await write(page.getByLabel('Rate of create-link-min of links'), '8/min');
      await button('Review changes').click();
      await button(/^Apply to 1 tenant/, dialog()).click();
      await page.getByText('Starter v2 applied').waitFor();
      await button('Undo').first().click();
      await page.getByText('Undone: Starter v2 applied').waitFor();
    });
    const { tier } = await graphql('{ tier(key: "starter") { published { limits { name limit } } } }');
    expect(tier.published.limits.find(({ name }) => name === 'create-link-min').limit).toBe(5);
  });

  test('makes a limit elastic and creates its pool in the limit form', async () => {
    await within(12, 'Elastic limit with a new pool', async () => {
      await page.getByRole('link', { name: 'Tiers' }).click();
      await page.getByRole('link', { name: 'Starter' }).first().click();
      await button('Details of create-link-min of links').click();
      await button(/^Advanced/)
        .first()
        .click();
      await page.getByRole('combobox', { name: 'When exceeded' }).first().click();
      await page.getByRole('option', { name: /^Elastic/ }).click();
      await button('Create pool').click();
      await write(page.getByLabel('Capacity (units per second)'), 'many');
      await page.keyboard.press('Enter');
      await page.getByText('Enter units per second, such as 500').waitFor();
      await write(page.getByLabel('Capacity (units per second)'), '500');
      await page.keyboard.press('Enter');
      const pool = page.getByRole('combobox', { name: 'Pool' });
      await expect.poll(() => pool.inputValue()).toBe('shared');
      await expect.poll(() => hasFocus(pool)).toBe(true);
      await button('Review changes').click();
      await button(/^Apply/, dialog()).click();
      await page.getByText('Starter v4 applied').waitFor();
    });
    const { api } = await graphql('{ api(key: "links") { pools { name capacity operations } } }');
    expect(api.pools).toEqual([{ name: 'shared', capacity: 500, operations: ['createLink'] }]);
  });

  test('links each error to its field and keeps the field above the save bar', async () => {
    await page.goto(new URL('/tiers/starter', dev.consoleUrl).href);
    const rate = page.getByLabel('Rate of create-link-min of links');
    await write(rate, 'lots');
    await rate.blur();
    await button(/^create-link-min: Add a time unit/).click();
    await expect.poll(() => hasFocus(rate)).toBe(true);
    const bar = await page.getByRole('region', { name: 'Unapplied changes' }).boundingBox();
    const field = await rate.boundingBox();
    expect(field.y + field.height).toBeLessThanOrEqual(bar.y);
    await write(rate, '9/min');
    await page.getByText('1 unapplied change').waitFor();
    await button('Discard').click();
  });

  test('boosts and suspends a tenant', async () => {
    await within(12, 'Boost a tenant, then suspend it', async () => {
      await page.getByRole('link', { name: 'Tenants', exact: true }).click();
      await page.getByRole('link', { name: 'Initech Labs' }).first().click();
      const boost = button('Boost').first();
      await button(/how create-link-min, links was calculated/).waitFor();
      if (!(await boost.isVisible())) await button(/how create-link-min, links was calculated/).click();
      await boost.click();
      await write(dialog().getByLabel('Reason'), 'launch');
      await button('Start boost', dialog()).click();
      await page.getByText('Initech Labs boosted').waitFor();
      await button('More actions for Initech Labs').click();
      await page.getByRole('menuitem', { name: 'Suspend' }).click();
      await write(dialog().getByLabel('Reason'), 'unpaid');
      await button(/^Suspend/, dialog()).click();
      await page
        .getByText(/suspended/i)
        .first()
        .waitFor();
    });
    const { tenant } = await graphql('{ tenant(key: "initech-labs") { status } }');
    expect(tenant.status).toBe('SUSPENDED');
  });

  test('goes from the portal to an active upgrade in at most 3 clicks', async () => {
    const portal = { path: '/portal/northwind', title: 'Northwind' };
    await within(
      3,
      'Portal to active upgrade',
      async () => {
        await page.getByRole('link', { name: 'Buy more' }).last().click();
        await page
          .getByRole('article', { name: '50 more links a minute' })
          .getByRole('button', { name: 'Subscribe for €29.00' })
          .click();
        await button('Pay €29.00').click();
        await page.getByText('Payment received. 50 more links a minute is active.').waitFor();
      },
      portal,
    );
    const { purchases } = await graphql(
      '{ purchases(first: 1, tenantKey: "northwind") { nodes { status amountMinor offer { key } } } }',
    );
    expect(purchases.nodes).toEqual([{ status: 'ACTIVE', amountMinor: 2900, offer: { key: 'more-links' } }]);
  });

  describe('without a mouse', () => {
    /** What has the focus; throws if nothing visible has it. */
    async function focused() {
      const found = await page.evaluate(() => {
        const element = document.activeElement;
        // The inputs of a segmented control are hidden behind their labels.
        const shown = element.matches('[type="radio"]') ? element.labels[0] : element;
        const { width, height, top, bottom } = shown.getBoundingClientRect();
        const { outlineStyle, borderColor } = getComputedStyle(element);
        return {
          tag: element.tagName,
          isLost: element === document.body,
          isShown: width > 0 && height > 0 && bottom > 0 && top < innerHeight,
          isMarked: element.matches(':focus-visible') && (outlineStyle !== 'none' || borderColor !== ''),
          name: element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent,
        };
      });
      return { ...found, name: found.name.trim().slice(0, 80) };
    }

    async function press(key) {
      await page.keyboard.press(key);
      await expect
        .poll(focused, { message: `focus after ${key}: ${JSON.stringify(await focused())}` })
        .toMatchObject({ isLost: false, isShown: true, isMarked: true });
    }

    /** Presses Tab, or Shift+Tab, until something with this name, which is on the page, has the focus. */
    async function tabTo(name, key = 'Tab') {
      await page.getByLabel(name).or(page.getByText(name)).last().waitFor({ state: 'attached' });
      for (let presses = 0; presses < 80; presses++) {
        const now = await focused();
        if (name instanceof RegExp ? name.test(now.name) : now.name === name) return;
        await press(key);
      }
      throw new Error(`Tab does not reach ${name}`);
    }

    test('goes from a new API to the first 429, with the focus always visible', async () => {
      await page.goto(new URL('/', dev.consoleUrl).href);
      await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
      clicks = 0;
      await page.keyboard.press('Tab');
      await tabTo('APIs');
      await press('Enter');
      await page.getByRole('heading', { level: 1, name: 'APIs' }).waitFor();
      await tabTo('Register API');
      await press('Enter');
      await tabTo(/^Name/);
      await type('Files');
      await tabTo('Operations');
      await type('putFile,getFile,');
      await press('Tab');
      await tabTo('Register API');
      await press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Files' }).waitFor();
      await tabTo('Add limits');
      await press('Enter');
      await page.getByRole('menuitem', { name: 'New tier' }).waitFor();
      await press('End');
      await press('Enter');
      await tabTo(/^Name/);
      await type('Keys only');
      await press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Keys only' }).waitFor();
      await tabTo('Limit');
      for (const rate of ['3/min', '20/s', '10k/month']) {
        await type(rate);
        await press('Enter');
      }
      await tabTo('Review changes');
      await press('Enter');
      await dialog().getByLabel('Reason').waitFor();
      await tabTo('Apply');
      await press('Enter');
      await button('Add tenant').waitFor();
      await tabTo('Add tenant', 'Shift+Tab');
      await press('Enter');
      await tabTo(/^Name/);
      await type('Hands Off');
      await tabTo('Create an API key');
      await press('Space');
      await press('Enter');
      await page.getByText(/^tgk_live_/).waitFor();
      await tabTo('I have saved it');
      await press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Hands Off' }).waitFor();
      await tabTo('Send a test request');
      await press('Enter');
      await tabTo('Send until denied');
      await press('Enter');
      await dialog().getByText('429 Denied').waitFor();
      await press('Escape');
      await expect.poll(async () => (await focused()).name).toBe('Send a test request');
      expect(clicks).toBe(0);
    });
  });

  test('logs no browser errors', () => {
    expect(errors).toEqual([]);
  });
}
