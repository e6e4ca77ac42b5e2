import { afterEach, beforeEach, expect, test } from 'vitest';
import { findViolations } from '../../../apps/console/test/screens.ts';
import { versionOf } from '../../../apps/control-plane/test/support/policy-factory.ts';

/** Policy in the console, where changes may require approval. @param {import('./console-app.mjs').ConsoleApp} host */
export function testPolicy(host) {
  beforeEach(() => host.become('LIMITS_ADMIN'));
  afterEach(() => expect(host.errors.splice(0)).toEqual([]));

  /** Stores that the tenant of a plan used 8 units in one of the last minutes. */
  async function noteUsage(key) {
    const series = { api: key, operation: 'buy', limitName: 'per-minute', outcome: 'ALLOWED' };
    const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 600_000);
    await noteCount('usageMinute', key, series, minute);
  }

  async function noteCount(table, key, series, at) {
    const { database } = host.app;
    const { id: tenantId } = await database.tenant.findUniqueOrThrow({ where: { key } });
    const { id: seriesId } = await database.usageSeries.create({ data: series });
    await database[table].create({ data: { tenantId, seriesId, at, count: 8, units: 8 } });
  }

  const publishedOf = async (key) => {
    const { data } = await host.app.graphql(
      `query($key: String!) { tier(key: $key) { published { number audience limits { name algorithm limit } } } }`,
      { key },
    );
    return data.tier.published;
  };

  /** Opens a tier, enters another rate and opens the review. */
  async function review(key, rate) {
    const { page } = host;
    await host.goto(`/tiers/${key}`);
    await page.getByLabel(`Rate of per-minute of ${key}`).fill(rate);
    await page.getByRole('button', { name: 'Review changes' }).click();
    return page.getByRole('dialog');
  }

  test('publishes an edited tier after a review that lists tenants above the new limit', async () => {
    await host.createPlan('above');
    await noteUsage('above');
    const dialog = await review('above', '5/min');
    // The replay of recent usage comes first, then the tenants by name.
    await dialog.getByText(/^This change would have denied 3 of 8 units in the last 24 h \(38 %\)/).waitFor();
    await dialog.getByRole('row', { name: /^above per-minute above 8 5 3$/ }).waitFor();
    await dialog.getByLabel('Reason').fill('less for all');
    await dialog.getByRole('button', { name: 'Apply to 1 tenant' }).click();
    await host.page.getByText('above v2 applied').waitFor();
    expect(await publishedOf('above')).toMatchObject({ number: 2, limits: [{ limit: 5 }] });
  });

  test('keeps reason and Apply in view on a phone, and returns the focus', async () => {
    const { page } = host;
    await host.createPlan('phone');
    await noteUsage('phone');
    const viewport = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 560 });
    try {
      const dialog = await review('phone', '4/min');
      await dialog.getByText('Decreased').waitFor();
      const content = dialog.getByRole('region', { name: 'Review changes to phone' });
      for (const key of ['Home', 'End']) {
        await content.focus();
        await page.keyboard.press(key);
        for (const control of [dialog.getByLabel('Reason'), dialog.getByRole('button', { name: /^Apply/ })]) {
          const { y, height, x, width } = await control.boundingBox();
          expect(y).toBeGreaterThan(0);
          expect(y + height).toBeLessThanOrEqual(560);
          expect(x + width).toBeLessThanOrEqual(390);
        }
      }
      expect(await findViolations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      const change = page.getByRole('button', { name: 'Review changes' });
      await expect.poll(() => change.evaluate((button) => button === document.activeElement)).toBe(true);
      await page.getByRole('button', { name: 'Discard' }).click();
    } finally {
      await page.setViewportSize(viewport);
    }
  });

  test('publishes a version for new tenants, moves the others later and reverts to an old version', async () => {
    const { page } = host;
    await host.createPlan('later');
    const dialog = await review('later', '7/min');
    await dialog.getByRole('radio', { name: 'New tenants only' }).check();
    await dialog.getByText('No tenants affected.').waitFor();
    await dialog.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByRole('heading', { name: 'Tenants on earlier versions' }).waitFor();
    expect(await publishedOf('later')).toMatchObject({ number: 2, audience: 'NEW_TENANTS_ONLY' });
    // Toasts cover the buttons at the end of the page for half a minute.
    await page.getByRole('button', { name: 'Move all to v2' }).press('Enter');
    await dialog.getByRole('button', { name: 'Move all to v2' }).click();
    await page.getByText('Moving 1 tenant').waitFor();
    await page.getByRole('button', { name: 'Revert to version 1' }).press('Enter');
    await page.getByText(/unapplied change/).waitFor();
    await page.getByRole('button', { name: 'Discard' }).press('Enter');
  });

  test('pastes spreadsheet cells into the matrix and applies them as an approved change set', async () => {
    const { page } = host;
    await host.createPlan('pasted');
    await host.publish('pasted', [{}, { name: 'per-day', limit: 500, windowMs: 86_400_000 }]);
    await host.goto('/tiers');
    const cell = page.getByLabel('per-minute of pasted in pasted', { exact: true });
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
    const form = page.getByRole('dialog', { name: 'Add to change set' });
    await form.getByLabel('Title').fill('More for pasted');
    await form.getByRole('button', { name: 'Add to change set' }).click();
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'More for pasted' }).waitFor();
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
    await page.getByText('More for pasted applied').waitFor();
    const { limits } = await publishedOf('pasted');
    expect(limits.map(({ limit, algorithm }) => [limit, algorithm])).toEqual([
      [100, 'FIXED_WINDOW'],
      [10_000, 'QUOTA'],
    ]);
    await page.getByRole('button', { name: 'Revert' }).waitFor();
  });

  test('changes no tier of a joint edit when approval is required, and shows the reason', async () => {
    const { page, app } = host;
    const keys = ['joint-a', 'joint-b'];
    for (const key of keys) await host.createPlan(key);
    const before = await Promise.all(keys.map(publishedOf));
    await host.goto('/tiers');
    for (const key of keys)
      await page.getByLabel(`per-minute of ${key} in ${key}`, { exact: true }).fill('8/min');
    await page.getByRole('button', { name: 'Review changes' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('together');
    await dialog.getByRole('button', { name: /^Apply/ }).click();
    await dialog
      .getByRole('alert')
      .getByText(/approv/)
      .waitFor();
    expect(await Promise.all(keys.map(publishedOf))).toEqual(before);
    const { data } = await app.graphql('{ changeSets(first: 1) { nodes { title status } } }');
    expect(data.changeSets.nodes).toEqual([{ title: 'together', status: 'CANCELED' }]);
    await dialog.getByRole('button', { name: 'Add to change set' }).waitFor();
  });

  test('adds a discovered operation and rejects deleting one in use', async () => {
    const { page, app } = host;
    await host.createPlan('found');
    const unregistered = { api: 'found', operation: 'browse', limitName: '', outcome: 'NO_LIMIT' };
    const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000);
    await noteCount('usageHour', 'found', unregistered, hour);
    await host.goto('/apis/found');
    await page.getByRole('button', { name: 'Add operation browse' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('button', { name: 'Add operation', exact: true }).click();
    await page.getByText('Operation browse added').waitFor();
    await page.getByRole('button', { name: 'Set limit on browse' }).waitFor();
    await host.mutate('poolCreate', 'PoolCreateInput', {
      ...{ apiKey: 'found', name: 'main', capacity: 50, operations: ['buy'] },
      expectedVersion: await versionOf(app, 'api', 'found'),
    });
    await page.reload();
    await page.getByRole('img', { name: /^Pool main: 0 of 50/ }).waitFor();
    await page.getByRole('button', { name: 'Delete operation buy' }).click();
    await form.getByText('Cannot be applied').waitFor();
    await form.getByRole('link', { name: 'Tiers' }).waitFor();
    expect(await form.getByRole('button', { name: 'Delete', exact: true }).isDisabled()).toBe(true);
    await form.getByRole('button', { name: 'Cancel' }).click();
  });

  test('explains a past denial by the limit of its revision and links the change behind it', async () => {
    const { page, app } = host;
    await host.become('OWNER');
    await host.createPlan('past');
    const publish = async (limit, reason) => {
      const { changeId, tier } = await host.publish('past', [{ limit }], { reason });
      return { revision: await revisionOf(changeId), number: tier.published.number };
    };
    const past = await publish(20, 'More for everyone');
    await noteDenial('req_past', past.revision);
    const today = await publish(5, 'Less again');
    const override = {
      ...{ tenantKey: 'past', expectedVersion: await versionOf(app, 'tenant', 'past'), reason: 'Import' },
      ...{ apiKey: 'past', limit: 'per-minute', effect: { kind: 'ADD', units: 40 } },
    };
    const { changeId } = await host.mutate('overrideSet', 'OverrideSetInput', override, 'changeId');
    await revisionOf(changeId);
    await host.goto('/why?request=req_past');
    const ladder = page.getByRole('region', { name: 'How per-minute was calculated' });
    await ladder.getByText('20/min since').waitFor();
    await ladder.getByRole('link', { name: `past v${past.number}` }).waitFor();
    await ladder.getByText(`Today: 45/min`).waitFor();
    await ladder.getByText(`past v${today.number}.`).waitFor();
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

  /** The revision that published a change. */
  async function revisionOf(changeId) {
    const find = () =>
      host.app.database.policyRevision.findFirst({ where: { changeIds: { has: changeId } } });
    await expect.poll(find).not.toBeNull();
    return (await find()).number;
  }

  async function noteDenial(requestId, revision) {
    const { database } = host.app;
    const { id: tenantId } = await database.tenant.findUniqueOrThrow({ where: { key: 'past' } });
    const policy = { name: 'per-minute', limit: 20, remaining: 0, reset: Date.now(), mode: 'enforce' };
    await database.decisionSample.create({
      data: {
        ...{ tenantId, requestId, revision, at: new Date(), nodeId: 'n1', api: 'past', operation: 'buy' },
        ...{ limitName: 'per-minute', outcome: 'DENIED', reason: 'RATE_EXCEEDED', cost: 1, delayMs: 0 },
        ...{ retryAfter: 7, subject: {}, policies: [{ ...policy, success: false }] },
      },
    });
  }
}
