import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findViolations, installAxe } from '../../apps/console/test/screens.ts';
import {
  createPolicy,
  LIMIT,
  PUBLISH,
  SAVE_DRAFT,
  versionOf,
} from '../../apps/control-plane/test/support/policy-factory.ts';
import { startConsole } from './console-app.mjs';

describe('policy in the console', () => {
  let host;

  beforeAll(async () => {
    host = await startConsole({ CHANGE_SET_APPROVAL: 'required' });
    await installAxe(host.page.context());
    await createPolicy(host.app);
    await host.app.graphql(
      'mutation { tierCreate(input: { key: "pro", name: "Pro", rank: 1 }) { userErrors { message } } }',
    );
    await noteUsage();
    await host.become('LIMITS_ADMIN');
  });
  afterAll(() => host?.stop());

  /** Recent usage of acme, and an unregistered operation. */
  async function noteUsage() {
    const { database } = host.app;
    const { id: tenantId } = await database.tenant.findUniqueOrThrow({ where: { key: 'acme' } });
    const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 600_000);
    const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000);
    const used = { api: 'shop', operation: 'buy', limitName: 'per-minute', outcome: 'ALLOWED' };
    const found = { api: 'shop', operation: 'browse', limitName: '', outcome: 'NO_LIMIT' };
    const counts = { tenantId, count: 8, units: 8 };
    const series = await database.usageSeries.create({ data: used });
    await database.usageMinute.create({ data: { ...counts, at: minute, seriesId: series.id } });
    const other = await database.usageSeries.create({ data: found });
    await database.usageHour.create({ data: { ...counts, at: hour, seriesId: other.id } });
  }

  const publishedOf = async (key) => {
    const { data } = await host.app.graphql(
      `query($key: String!) { tier(key: $key) { published { number audience limits { name algorithm limit } } } }`,
      { key },
    );
    return data.tier.published;
  };

  test('publishes an edited tier after a review that lists tenants above the new limit', async () => {
    const { page } = host;
    await host.goto('/tiers/basic');
    await page.getByLabel('Rate of per-minute of shop').fill('5/min');
    await page.getByRole('button', { name: 'Review changes' }).click();
    const review = page.getByRole('dialog');
    // The replay of recent usage comes first, then the tenants by name.
    await review.getByText(/^This change would have denied 3 of 8 units in the last 24 h \(38 %\)/).waitFor();
    await review.getByRole('row', { name: /^Acme per-minute shop 8 5 3$/ }).waitFor();
    await review.getByLabel('Reason').fill('less for all');
    await review.getByRole('button', { name: 'Apply to 1 tenant' }).click();
    await page.getByText('Basic v2 applied').waitFor();
    expect(await publishedOf('basic')).toMatchObject({ number: 2, limits: [{ limit: 5 }] });
  });

  test('keeps reason and Apply in view on a phone, one line per kind of warning', async () => {
    const { page } = host;
    await page.setViewportSize({ width: 390, height: 560 });
    await host.goto('/tiers/basic');
    const change = page.getByRole('button', { name: 'Review changes' });
    await page.getByLabel('Rate of per-minute of shop').fill('4/min');
    await change.click();
    const review = page.getByRole('dialog');
    await review.getByText('Decreased').waitFor();
    const content = review.getByRole('region', { name: 'Review changes to Basic' });
    for (const key of ['Home', 'End']) {
      await content.focus();
      await page.keyboard.press(key);
      for (const control of [review.getByLabel('Reason'), review.getByRole('button', { name: /^Apply/ })]) {
        const { y, height, x, width } = await control.boundingBox();
        expect(y).toBeGreaterThan(0);
        expect(y + height).toBeLessThanOrEqual(560);
        expect(x + width).toBeLessThanOrEqual(390);
      }
    }
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await review.waitFor({ state: 'hidden' });
    await expect.poll(() => change.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  test('explains a limit in a drawing and a sentence and by keyboard', async () => {
    const { page } = host;
    await host.goto('/tiers/basic');
    await page.getByRole('button', { name: /^Details of per-minute/ }).click();
    await page.getByText('Up to 5 requests a minute pass; then 429 for up to 1 min.').waitFor();
    await page.getByRole('button', { name: /^Advanced/ }).click();
    await page.getByRole('combobox', { name: 'When exceeded' }).click();
    await page.getByRole('option', { name: /^Soft/ }).click();
    await page.getByText('allowed, marked').waitFor();
    const drawing = page.getByRole('slider', { name: /^Limit under load/ });
    await drawing.focus();
    await page.keyboard.press('End');
    expect(await drawing.getAttribute('aria-valuetext')).toMatch(/^After .*: \d+ % /);
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  test('reapplies edits on top of another admin’s change', async () => {
    const { page, app } = host;
    await host.goto('/tiers/basic');
    await page.getByLabel('Rate of per-minute of shop').fill('6/min');
    const other = { ...LIMIT, name: 'per-hour', limit: 50, windowMs: 3_600_000 };
    const limits = [{ ...LIMIT, limit: 5 }, other];
    const save = { tierKey: 'basic', expectedVersion: await versionOf(app, 'tier', 'basic'), limits };
    await app.graphql(SAVE_DRAFT, { input: save });
    const expectedVersion = await versionOf(app, 'tier', 'basic');
    await app.graphql(PUBLISH, { input: { tierKey: 'basic', expectedVersion } });
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.getByText('This tier changed while you were editing').waitFor();
    await page.getByRole('button', { name: 'Reapply my changes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Apply to 1 tenant' }).click();
    await page.getByText('Basic v4 applied').waitFor();
    const { limits: now } = await publishedOf('basic');
    expect(now).toMatchObject([{ limit: 6 }, { name: 'per-hour', limit: 50 }]);
  });

  test('publishes a version for new tenants, moves the others later and reverts to an old version', async () => {
    const { page } = host;
    await host.goto('/tiers/basic');
    await page.getByLabel('Rate of per-minute of shop').fill('7/min');
    await page.getByRole('button', { name: 'Review changes' }).click();
    const review = page.getByRole('dialog');
    await review.getByRole('radio', { name: 'New tenants only' }).check();
    await review.getByText('No tenants affected.').waitFor();
    await review.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByRole('heading', { name: 'Tenants on earlier versions' }).waitFor();
    expect(await publishedOf('basic')).toMatchObject({ number: 5, audience: 'NEW_TENANTS_ONLY' });
    // Toasts cover the buttons at the end of the page for half a minute.
    await page.getByRole('button', { name: 'Move all to v5' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Move all to v5' }).click();
    await page.getByText('Moving 1 tenant').waitFor();
    await page.getByRole('button', { name: 'Revert to version 1' }).press('Enter');
    await page.getByText(/unapplied change/).waitFor();
    await page.getByRole('button', { name: 'Discard' }).press('Enter');
  });

  test('pastes spreadsheet cells into the matrix and applies them as an approved change set', async () => {
    const { page } = host;
    await host.goto('/tiers');
    const cell = page.getByLabel('per-minute of shop in Pro');
    await cell.waitFor();
    await cell.evaluate((input) => {
      const data = new DataTransfer();
      data.setData('text/plain', '100/min\n10k per month\n');
      input.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      );
    });
    await page.getByText('2 unapplied changes').waitFor();
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add to change set' }).click();
    await page.getByLabel('Title').fill('Pro begins');
    await page
      .getByRole('dialog', { name: 'Add to change set' })
      .getByRole('button', { name: 'Add to change set' })
      .click();
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Pro begins' }).waitFor();
    await page.getByRole('button', { name: 'Submit for approval' }).click();
    await page.getByText('Pending approval').waitFor();
    await page.getByText('Publish tier', { exact: true }).waitFor();
    expect(await page.getByText('tierPublish').count()).toBe(0);
    const { pathname } = new URL(page.url());
    await host.become('OWNER');
    await host.goto(pathname);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('button', { name: 'Apply now' }).click();
    await page.getByText('Pro begins applied').waitFor();
    const { limits } = await publishedOf('pro');
    expect(limits.map(({ limit, algorithm }) => [limit, algorithm])).toEqual([
      [100, 'FIXED_WINDOW'],
      [10_000, 'QUOTA'],
    ]);
    await page.getByRole('button', { name: 'Revert' }).waitFor();
  });

  test('changes no tier of a joint edit when approval is required, and shows the reason', async () => {
    const { page, app } = host;
    const before = await Promise.all(['basic', 'pro'].map(publishedOf));
    await host.goto('/tiers');
    await page.getByLabel('per-minute of shop in Basic').fill('8/min');
    await page.getByLabel('per-minute of shop in Pro').fill('90/min');
    await page.getByRole('button', { name: 'Review changes' }).click();
    const review = page.getByRole('dialog');
    await review.getByLabel('Reason').fill('together');
    await review.getByRole('button', { name: /^Apply/ }).click();
    await review
      .getByRole('alert')
      .getByText(/approv/)
      .waitFor();
    expect(await Promise.all(['basic', 'pro'].map(publishedOf))).toEqual(before);
    const { data } = await app.graphql('{ changeSets(first: 1) { nodes { title status } } }');
    expect(data.changeSets.nodes).toEqual([{ title: 'together', status: 'CANCELED' }]);
    await review.getByRole('button', { name: 'Add to change set' }).waitFor();
  });

  test('adds a discovered operation and rejects deleting one in use', async () => {
    const { page, app } = host;
    await host.goto('/apis/shop');
    await page.getByRole('button', { name: 'Add operation browse' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('button', { name: 'Add operation', exact: true }).click();
    await page.getByText('Operation browse added').waitFor();
    await page.getByRole('button', { name: 'Set limit on browse' }).waitFor();
    await app.graphql(
      `mutation($input: PoolCreateInput!) { poolCreate(input: $input) { userErrors { message } } }`,
      {
        input: {
          ...{ apiKey: 'shop', name: 'main', capacity: 50, operations: ['buy'] },
          expectedVersion: await versionOf(app, 'api', 'shop'),
        },
      },
    );
    await page.reload();
    await page.getByRole('img', { name: /^Pool main: 0 of 50/ }).waitFor();
    await page.getByRole('button', { name: 'Delete operation buy' }).click();
    await form.getByText('Cannot be applied').waitFor();
    await form.getByRole('link', { name: 'Tiers' }).waitFor();
    expect(await form.getByRole('button', { name: 'Delete', exact: true }).isDisabled()).toBe(true);
    await form.getByRole('button', { name: 'Cancel' }).click();
  });

  test('disables actions without permission and names the roles that have it', async () => {
    const { page } = host;
    await host.become('VIEWER');
    await host.goto('/apis/shop');
    const add = page.getByRole('button', { name: 'Add pool' });
    await add.hover();
    await page.getByText(/Your role cannot do this/).waitFor();
    expect(await add.getAttribute('aria-disabled')).toBe('true');
  });

  test('explains a past denial by the limit of its revision and links the change behind it', async () => {
    const { page, app } = host;
    await host.become('OWNER');
    const publish = async (limit, reason) => {
      const expectedVersion = await versionOf(app, 'tier', 'basic');
      const input = { tierKey: 'basic', expectedVersion, limits: [{ ...LIMIT, limit }], reason };
      const { data } = await app.graphql(PUBLISH, { input });
      const { changeId, tier } = data.tierPublish;
      return { revision: await revisionOf(changeId), number: tier.published.number };
    };
    const past = await publish(20, 'More for everyone');
    await noteDenial('req_past', past.revision);
    const today = await publish(5, 'Less again');
    const override = 'mutation($input: OverrideSetInput!) { overrideSet(input: $input) { changeId } }';
    const { data } = await app.graphql(override, {
      input: {
        ...{ tenantKey: 'acme', expectedVersion: await versionOf(app, 'tenant', 'acme'), reason: 'Import' },
        ...{ apiKey: 'shop', limit: 'per-minute', effect: { kind: 'ADD', units: 40 } },
      },
    });
    await revisionOf(data.overrideSet.changeId);
    await host.goto('/why?request=req_past');
    const ladder = page.getByRole('region', { name: 'How per-minute was calculated' });
    await ladder.getByText('20/min since').waitFor();
    await ladder.getByRole('link', { name: `Basic v${past.number}` }).waitFor();
    await ladder.getByText(`Today: 45/min`).waitFor();
    expect(await ladder.getByText(`v${today.number}`).count()).toBe(1);
    await ladder.getByText('“More for everyone”').waitFor();
    await ladder.getByRole('link', { name: 'View change' }).first().click();
    await page.getByRole('row', { name: /published.*More for everyone/ }).waitFor();
    // A revision that is no longer stored.
    await app.database.policyTenant.deleteMany({ where: { revision: { lte: past.revision } } });
    await host.goto('/why?request=req_past');
    await ladder.getByText(`The calculation in revision ${past.revision} is no longer stored`).waitFor();
    await ladder.getByText('The limit was 20.').waitFor();
    await ladder.getByText('“Import”').waitFor();
  });

  test('logs no browser errors', () => {
    expect(host.errors).toEqual([]);
  });

  /** The revision that published a change. */
  async function revisionOf(changeId) {
    const find = () =>
      host.app.database.policyRevision.findFirst({ where: { changeIds: { has: changeId } } });
    await expect.poll(find).not.toBeNull();
    return (await find()).number;
  }

  async function noteDenial(requestId, revision) {
    const { database } = host.app;
    const { id: tenantId } = await database.tenant.findUniqueOrThrow({ where: { key: 'acme' } });
    const policy = { name: 'per-minute', limit: 20, remaining: 0, reset: Date.now(), mode: 'enforce' };
    await database.decisionSample.create({
      data: {
        ...{ tenantId, requestId, revision, at: new Date(), nodeId: 'n1', api: 'shop', operation: 'buy' },
        ...{ limitName: 'per-minute', outcome: 'DENIED', reason: 'RATE_EXCEEDED', cost: 1, delayMs: 0 },
        ...{ retryAfter: 7, subject: {}, policies: [{ ...policy, success: false }] },
      },
    });
  }
});
