import { within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { openPage, respond } from '../../../test/open-page.js';
import { basicTier, invalid, publication } from '../../../test/responses.js';
import {
  TierDetailDocument,
  TierPublishDocument,
  type TierPublishMutation,
} from '../../generated/graphql.js';

type Published = Partial<TierPublishMutation['tierPublish']>;

/** Opens the review of a lower limit; `published` is the outcome of the dry run and of publishing. */
async function openReview(published: Published | (() => Promise<never>)) {
  const opened = openPage(
    '/tiers/basic',
    respond(TierDetailDocument, basicTier()),
    respond(TierPublishDocument, published instanceof Function ? published : publication(published)),
  );
  const { page, user } = opened;
  const rate = await page.findByRole('textbox', { name: 'Rate of per-minute of shop' });
  await user.clear(rate);
  await user.type(rate, '5/min');
  await user.click(page.getByRole('button', { name: 'Review changes' }));
  return { ...opened, review: within(await page.findByRole('dialog', { name: 'Review changes to Basic' })) };
}

const overrun = {
  ...{ tenantKey: 'wonka', tenantName: 'Wonka', apiKey: 'shop', limitName: 'per-minute' },
  ...{ limit: 5, peak: 8, excess: 3, units: 8, days: 1, at: '2026-11-28T08:00:00Z' },
};
const decreased = (tenantKey: string, tenantName: string) => ({
  ...{ tenantKey, tenantName, increased: false, decreased: true },
});

describe('review of a tier', () => {
  test('replays recent usage and lists tenants above the new limit first', async () => {
    const { review } = await openReview({
      impact: {
        ...{ tenants: 4, increased: 0, decreased: 4 },
        sample: [decreased('acme', 'Acme'), decreased('wonka', 'Wonka')],
        overruns: [overrun],
      },
    });
    const table = await review.findByRole('table', { name: 'Affected tenants' });
    expect(table.parentElement?.parentElement?.textContent).toMatch(
      /^This change would have denied 3 of 8 units in the last 24 h \(38 %\), for 1 of 4 affected tenants\./,
    );
    const rows = within(table)
      .getAllByRole('row')
      .map(({ textContent }) => textContent);
    expect(rows.slice(1)).toEqual(['Wonkaper-minute shop853', 'AcmeDecreased–––']);
    review.getByText('and 2 more');
    review.getByRole('button', { name: 'Apply to 4 tenants' });
  });

  test.each([
    [
      'no tenant',
      { tenants: 0, increased: 0, decreased: 0, sample: [], overruns: [] },
      'No tenants affected.',
    ],
    [
      'tenants that stay within the limits',
      { tenants: 1, increased: 0, decreased: 1, sample: [], overruns: [] },
      'Recent usage of 1 affected tenant stays within the new limits.',
    ],
    [
      'usage that could not be read',
      { tenants: 1, increased: 0, decreased: 1, sample: [], overruns: null },
      'Recent usage could not be checked in time.',
    ],
  ])('summarizes the effect on %s', async (_name, impact, text) => {
    const { review } = await openReview({ impact });
    await review.findByText(text);
  });

  test('publishes with the reason, closes and shows the new version', async () => {
    const { page, user, review, sent } = await openReview({});
    await user.type(review.getByRole('textbox', { name: /^Reason/ }), ' less for all ');
    await review.findByText('No effective limits change.');
    await user.click(review.getByRole('button', { name: 'Apply' }));
    await page.findByText('Basic v2 applied');
    expect(sent(TierPublishDocument).at(-1)?.input).toMatchObject({
      ...{
        tierKey: 'basic',
        expectedVersion: 3,
        dryRun: false,
        reason: 'less for all',
        note: 'less for all',
      },
      limits: [{ limit: 5 }],
    });
    expect(page.queryByRole('dialog')).toBeNull();
  });

  test('lists the changed limit with both rates', async () => {
    const { review } = await openReview({});
    review.getByText('10/min', { exact: false });
    review.getByText('5/min', { exact: false });
    review.getByText('Decreased');
  });

  test('shows that the effect is loading', async () => {
    const { review } = await openReview(() => new Promise<never>(() => {}));
    await review.findByText('Loading affected tenants…');
    expect(review.getByRole('button', { name: 'Apply' })).toHaveProperty('disabled', false);
  });

  test('blocks a change that the server rejects, with the remedy', async () => {
    const message = 'The pool main is used by other tiers';
    const { review } = await openReview({ userErrors: [invalid(null, message, 'IN_USE')] });
    const alert = within(await review.findByRole('alert'));
    alert.getByText(message);
    alert.getByText('Remove it from the tiers that use it first.');
    expect(alert.getByRole('link', { name: 'Tiers' }).getAttribute('href')).toBe('/tiers');
    expect(review.getByRole('button', { name: 'Apply' })).toHaveProperty('disabled', true);
    expect(review.queryByText('Effect')).toBeNull();
  });

  test('groups warnings by kind, and none blocks the change', async () => {
    const warning = (name: string) => ({
      ...{ code: 'BAND_NEVER_USED' as const, severity: 'WARNING' as const, path: [] },
      ...{ message: `${name} has no burst`, advice: 'Allow a burst.' },
    });
    const { review } = await openReview({ warnings: ['a', 'b', 'c'].map(warning) });
    await review.findByText('3, none blocks the change');
    expect(review.getAllByRole('group')).toHaveLength(1);
    review.getByText('and 2 more', { exact: false });
    expect(review.getByRole('button', { name: 'Apply' })).toHaveProperty('disabled', false);
  });

  test('sends the audience, and no cohort that selects nobody', async () => {
    const { user, review, sent } = await openReview({});
    await user.click(review.getByRole('radio', { name: 'Gradual rollout' }));
    review.getByText('Enter a percentage, tags or tenants.');
    expect(review.getByRole('button', { name: 'Apply' })).toHaveProperty('disabled', true);
    await user.click(review.getByRole('radio', { name: 'New tenants only' }));
    await user.click(review.getByRole('button', { name: 'Apply' }));
    expect(sent(TierPublishDocument).at(-1)?.input).toMatchObject({ audience: 'NEW_TENANTS_ONLY' });
    expect(sent(TierPublishDocument).at(-1)?.input).not.toHaveProperty('cohort');
  });

  test('keeps the edits when it is canceled', async () => {
    const { page, user, review } = await openReview({});
    await user.click(review.getByRole('button', { name: 'Cancel' }));
    page.getByText('1 unapplied change');
    expect(page.queryByRole('dialog')).toBeNull();
  });
});
