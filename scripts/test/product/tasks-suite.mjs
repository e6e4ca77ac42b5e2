import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

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
  });
  beforeEach(() => product.become());
  afterEach(() => expect(errors.splice(0)).toEqual([]));
  afterAll(() => page?.close());

  const graphql = (query, variables) => product.graphql(query, variables);
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

  /**
   * Creates an API with two operations, a tier with 5/min of `createLink`, `per-minute`, and 10k/month of all, `all-month`, and a
   * tenant on the tier. All three have this key and name.
   */
  async function createPlan(key) {
    await product.mutate('apiCreate', 'ApiCreateInput', { key, name: key });
    for (const [index, name] of ['createLink', 'getLink'].entries())
      await product.mutate('operationCreate', 'OperationCreateInput', {
        ...{ apiKey: key, name, expectedVersion: index + 1 },
      });
    const { tier } = await product.mutate(
      'tierCreate',
      'TierCreateInput',
      { key, name: key },
      'tier { version }',
    );
    await product.mutate('tierPublish', 'TierPublishInput', {
      ...{ tierKey: key, expectedVersion: tier.version },
      limits: [
        {
          ...{ name: 'per-minute', apiKey: key, operations: ['createLink'], per: [] },
          ...{ algorithm: 'FIXED_WINDOW', limit: 5, windowMs: 60_000 },
        },
        {
          ...{ name: 'all-month', apiKey: key, operations: [], per: [] },
          ...{ algorithm: 'QUOTA', limit: 10_000, period: 'MONTH' },
        },
      ],
    });
    await product.mutate('tenantCreate', 'TenantCreateInput', { key, name: key, tierKey: key });
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

  describe('a test request', () => {
    beforeAll(() => createPlan('requests'));

    test.each([
      ['tenant', { tenantKey: 'nobody' }, 'tenantKey', /^There is no tenant "nobody". Create it, or choose/],
      ['API', { apiKey: 'nothing' }, 'apiKey', /^There is no API "nothing". Create it, or choose/],
      ['operation name', { operation: 'not one' }, 'operation', /starts with a letter/],
      [
        'dimension',
        { subject: [{ dimension: 'User', value: 'u' }] },
        'subject',
        /^A dimension is lower case/,
      ],
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
    ])('is rejected with an invalid %s, saying what to do', async (_name, part, field, message) => {
      const query = `mutation($input: TestRequestSendInput!) {
      testRequestSend(input: $input) { results { status } errors: userErrors { field message } } }`;
      const input = { tenantKey: 'requests', apiKey: 'requests', operation: 'getLink', ...part };
      const { testRequestSend } = await graphql(query, { input });
      expect(testRequestSend).toEqual({
        results: [],
        errors: [{ field: expect.arrayContaining([field]), message: expect.stringMatching(message) }],
      });
    });

    test('may be for an unregistered operation, which the limits of the whole API count', async () => {
      const query = `mutation($input: TestRequestSendInput!) {
      testRequestSend(input: $input) { results { status limitName } userErrors { message } } }`;
      const input = { tenantKey: 'requests', apiKey: 'requests', operation: 'unknown' };
      const { testRequestSend } = await graphql(query, { input });
      expect(testRequestSend.results).toEqual([{ status: 200, limitName: 'all-month' }]);
    });
  });

  test('raises one limit of a tier and undoes the publication', async () => {
    await createPlan('raised');
    await within(6, 'Raise a limit, publish and undo', async () => {
      await page.getByRole('link', { name: 'Tiers' }).click();
      await page.getByRole('link', { name: 'raised' }).first().click();
      await write(page.getByLabel('Rate of per-minute of raised'), '8/min');
      await button('Review changes').click();
      await button(/^Apply to 1 tenant/, dialog()).click();
      await page.getByText('raised v2 applied').waitFor();
      await button('Undo').first().click();
      await page.getByText('Undone: raised v2 applied').waitFor();
    });
    const { tier } = await graphql('{ tier(key: "raised") { published { limits { name limit } } } }');
    expect(tier.published.limits.find(({ name }) => name === 'per-minute').limit).toBe(5);
  });

  test('makes a limit elastic and creates its pool in the limit form', async () => {
    await createPlan('elastic');
    await within(12, 'Elastic limit with a new pool', async () => {
      await page.getByRole('link', { name: 'Tiers' }).click();
      await page.getByRole('link', { name: 'elastic' }).first().click();
      await button('Details of per-minute of elastic').click();
      await button(/^Advanced/)
        .first()
        .click();
      await page.getByRole('combobox', { name: 'When exceeded' }).first().click();
      await page.getByRole('option', { name: /^Elastic/ }).click();
      await button('Create pool').click();
      await write(page.getByLabel('Capacity (units per second)'), '500');
      await page.keyboard.press('Enter');
      const pool = page.getByRole('combobox', { name: 'Pool' });
      await expect.poll(() => pool.inputValue()).toBe('shared');
      await expect.poll(() => hasFocus(pool)).toBe(true);
      await button('Review changes').click();
      await button(/^Apply/, dialog()).click();
      await page.getByText('elastic v2 applied').waitFor();
    });
    const { api } = await graphql('{ api(key: "elastic") { pools { name capacity operations } } }');
    expect(api.pools).toEqual([{ name: 'shared', capacity: 500, operations: ['createLink'] }]);
  });

  test('keeps a field with an error above the save bar', async () => {
    await createPlan('unreadable');
    await page.goto(new URL('/tiers/unreadable', dev.consoleUrl).href);
    const rate = page.getByLabel('Rate of per-minute of unreadable');
    await write(rate, 'lots');
    await rate.blur();
    await button(/^per-minute: Add a time unit/).click();
    await expect.poll(() => hasFocus(rate)).toBe(true);
    const bar = await page.getByRole('region', { name: 'Unapplied changes' }).boundingBox();
    const field = await rate.boundingBox();
    expect(field.y + field.height).toBeLessThanOrEqual(bar.y);
    await button('Discard').click();
  });

  test('boosts and suspends a tenant', async () => {
    await createPlan('overdue');
    await within(12, 'Boost a tenant, then suspend it', async () => {
      await page.getByRole('link', { name: 'Tenants', exact: true }).click();
      // The list renders what is in view.
      await write(page.getByRole('searchbox', { name: 'Search tenants' }), 'overdue');
      await page.getByRole('link', { name: 'overdue' }).first().click();
      const boost = button('Boost').first();
      await button(/how per-minute, overdue was calculated/).waitFor();
      if (!(await boost.isVisible())) await button(/how per-minute, overdue was calculated/).click();
      await boost.click();
      await write(dialog().getByLabel('Reason'), 'launch');
      await button('Start boost', dialog()).click();
      await page.getByText('overdue boosted').waitFor();
      await button('More actions for overdue').click();
      await page.getByRole('menuitem', { name: 'Suspend' }).click();
      await write(dialog().getByLabel('Reason'), 'unpaid');
      await button(/^Suspend/, dialog()).click();
      await page
        .getByText(/suspended/i)
        .first()
        .waitFor();
    });
    const { tenant } = await graphql('{ tenant(key: "overdue") { status } }');
    expect(tenant.status).toBe('SUSPENDED');
  });

  test('goes from the portal to an active upgrade in at most 3 clicks', async () => {
    const tenant = { key: 'upgraded', name: 'Upgraded', tierKey: 'pro' };
    await product.mutate('tenantCreate', 'TenantCreateInput', tenant);
    const portal = { path: '/portal/upgraded', title: 'Upgraded' };
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
      '{ purchases(first: 1, tenantKey: "upgraded") { nodes { status amountMinor offer { key } } } }',
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
      // Disabled until the limits are loaded.
      await expect.poll(() => button('Send until denied').isEnabled()).toBe(true);
      await tabTo('Send until denied');
      await press('Enter');
      await dialog().getByText('429 Denied').waitFor();
      await press('Escape');
      await expect.poll(async () => (await focused()).name).toBe('Send a test request');
      expect(clicks).toBe(0);
    });
  });
}
