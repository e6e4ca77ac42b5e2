import { waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { clickTwice, openPage, PERMISSIONS, pageOf, respond, viewerWith } from '../../../test/open-page.js';
import { basicTier, invalid, LIMIT, publication, versionWith } from '../../../test/responses.js';
import {
  ChangeSetAddItemDocument,
  ChangeSetCreateDocument,
  ChangeSetsDocument,
  LimitPoolCreateDocument,
  TierDetailDocument,
  TierPublishDocument,
} from '../../generated/graphql.js';

const RATE = 'Rate of per-minute of shop';

/** Opens a tier with one limit. */
async function openTier(...more: Parameters<typeof openPage>[1][]) {
  const opened = openPage('/tiers/basic', respond(TierDetailDocument, basicTier()), ...more);
  const rate = await opened.page.findByRole('textbox', { name: RATE });
  const type = async (field: HTMLElement, text: string) => {
    await opened.user.clear(field);
    await opened.user.type(field, text);
  };
  const click = async (name: string | RegExp) => opened.user.click(opened.page.getByRole('button', { name }));
  return { ...opened, rate, type, click };
}

describe('limit editor', () => {
  test('explains an edited rate in a sentence and sends it with the review', async () => {
    const { page, rate, type, click, sent } = await openTier(respond(TierPublishDocument, publication()));
    expect(page.queryByRole('region', { name: 'Unapplied changes' })).toBeNull();
    page.getByText('10 requests a minute');
    await type(rate, '5k/h');
    page.getByText('1 unapplied change');
    page.getByText(
      'Up to 5,000 requests an hour per tenant; then 429 until it ends; the first request starts it.',
    );
    await click('Review changes');
    await page.findByRole('button', { name: 'Apply' });
    const [{ input } = {}] = sent(TierPublishDocument);
    expect(input).toMatchObject({
      ...{ tierKey: 'basic', expectedVersion: 3, dryRun: true },
      limits: [{ name: 'per-minute', limit: 5_000, windowMs: 3_600_000 }],
    });
  });

  test('offers nothing to apply when the published rate is typed again', async () => {
    const { page, rate, type } = await openTier();
    await type(rate, '5/min');
    page.getByText('1 unapplied change');
    await type(rate, '600 per hour');
    await type(rate, '10/min');
    expect(page.queryByRole('region', { name: 'Unapplied changes' })).toBeNull();
  });

  test('keeps an unreadable rate, says what to do and leads to its field', async () => {
    const { page, user, rate, type, click, sent } = await openTier();
    await type(rate, 'lots');
    await user.tab();
    expect(rate).toHaveProperty('value', 'lots');
    expect(rate.getAttribute('aria-invalid')).toBe('true');
    page.getByText('Fix 1 error to continue');
    await click(/^per-minute: /);
    expect(document.activeElement).toBe(rate);
    await user.tab();
    await click('Review changes');
    expect(document.activeElement).toBe(rate);
    expect(sent(TierPublishDocument)).toEqual([]);
  });

  test.each([
    ['lots', 'Add a time unit, such as 100/min or 5 per second'],
    ['5/fortnight', '“fortnight” is not a time unit; use s, min, h, day or week'],
    ['0.5/s', 'Use a whole number; for less than one per second, enter 30/min instead of 0.5/s'],
  ])('rejects the rate %s', async (text, message) => {
    const { page, rate, type } = await openTier();
    await type(rate, text);
    page.getByText(message);
    page.getByRole('button', { name: `per-minute: ${message}` });
  });

  test('offers the readings of an ambiguous rate, and sends the chosen one', async () => {
    const { page, rate, type, click, sent } = await openTier(respond(TierPublishDocument, publication()));
    await type(rate, '1.000/min');
    page.getByText('Fix 1 error to continue');
    page.getByRole('button', { name: '1/min' });
    await click('1000/min');
    expect(rate).toHaveProperty('value', '1000/min');
    await click('Review changes');
    await page.findByRole('button', { name: 'Apply' });
    expect(sent(TierPublishDocument)).toMatchObject([{ input: { limits: [{ limit: 1000 }] } }]);
  });

  test('publishes once if Apply is clicked twice before the page reacts', async () => {
    const { page, rate, type, click, sent } = await openTier(respond(TierPublishDocument, publication()));
    await type(rate, '5/min');
    await click('Review changes');
    const apply = await page.findByRole('button', { name: 'Apply' });
    await waitFor(() => expect(apply).toHaveProperty('disabled', false));
    clickTwice(apply);
    expect(apply).toHaveProperty('disabled', true);
    await waitFor(() => expect(page.queryByRole('button', { name: 'Apply' })).toBeNull());
    expect(sent(TierPublishDocument).filter(({ input }) => !input.dryRun)).toHaveLength(1);
  });

  test('closes the review when its changes are in a change set', async () => {
    const outcome = {
      changeId: null,
      changeSet: { id: 'set_1', title: 'Autumn', version: 1, status: 'DRAFT' as const },
      userErrors: [],
    };
    const { page, user, rate, type, click, sent } = await openTier(
      viewerWith([...PERMISSIONS, 'change-sets:write']),
      respond(TierPublishDocument, publication()),
      respond(ChangeSetsDocument, { changeSets: pageOf() }),
      respond(ChangeSetCreateDocument, { changeSetCreate: outcome }),
      respond(ChangeSetAddItemDocument, { changeSetAddItem: outcome }),
    );
    await type(rate, '5/min');
    await click('Review changes');
    const review = await page.findByRole('dialog');
    await user.click(await within(review).findByRole('button', { name: 'Add to change set' }));
    const adding = await page.findByRole('dialog', { name: 'Add to change set' });
    await user.click(within(adding).getByRole('button', { name: 'Add to change set' }));
    await page.findByText('Added to Autumn');
    expect(page.queryByRole('dialog')).toBeNull();
    expect(rate).toHaveProperty('value', '10/min');
    expect(sent(ChangeSetAddItemDocument)).toMatchObject([{ input: { command: 'tierPublish' } }]);
  });

  test('restores the published limits with Discard', async () => {
    const { page, rate, type, click } = await openTier();
    await type(rate, '5/min');
    await click('Discard');
    expect(rate).toHaveProperty('value', '10/min');
    expect(page.queryByText('1 unapplied change')).toBeNull();
  });

  test('removes a limit and keeps it after all', async () => {
    const { page, click } = await openTier();
    await click('Remove per-minute of shop');
    expect(page.queryByRole('textbox', { name: RATE })).toBeNull();
    page.getByText('per-minute, removed');
    await click('Keep per-minute of shop');
    page.getByRole('textbox', { name: RATE });
    expect(page.queryByRole('region', { name: 'Unapplied changes' })).toBeNull();
  });

  test('removes a limit whose rate is unlimited', async () => {
    const { page, user, rate, type } = await openTier();
    await type(rate, 'unlimited');
    await user.tab();
    page.getByText('per-minute, removed');
  });

  test('adds limits one after the other, for the next operation without a limit', async () => {
    const { page, user, click } = await openTier();
    await click('Add limits to Shop');
    await user.keyboard('20/s');
    page.getByDisplayValue('sell-s');
    page.getByText(/20 requests a second/);
    await user.keyboard('{Enter}');
    page.getByRole('textbox', { name: 'Rate of sell-s of shop' });
    await user.keyboard('10k/month{Enter}');
    page.getByRole('textbox', { name: 'Rate of browse-month of shop' });
    page.getByText('2 unapplied changes');
    page.getByText('3 limits on 1 API');
  });

  test('adds no limit without a readable rate and a free name', async () => {
    const { page, user, click } = await openTier();
    await click('Add limits to Shop');
    await user.keyboard('{Enter}');
    page.getByText('Enter a limit such as 100/min, 10k/month, 5 at once or blocked');
    await user.keyboard('20/s');
    const name = page.getByRole('textbox', { name: 'Name' });
    await user.clear(name);
    await user.type(name, 'per-minute{Enter}');
    page.getByText('Shop has another limit named per-minute');
    expect(page.queryByRole('region', { name: 'Unapplied changes' })).toBeNull();
  });

  test('explains the limit under load in a sentence and by keyboard', async () => {
    const { page, user, click } = await openTier();
    await click('Details of per-minute of shop');
    page.getByText(/Up to 10 requests a minute pass; then 429 for up to 1 min\./);
    await click(/^Advanced/);
    await user.click(page.getByRole('combobox', { name: 'When exceeded' }));
    await user.click(page.getByRole('option', { name: /^Soft/ }));
    page.getByText('allowed, marked');
    const drawing = page.getByRole('slider', { name: /^Limit under load/ });
    drawing.focus();
    await user.keyboard('{End}');
    expect(drawing.getAttribute('aria-valuetext')).toMatch(/^After .*: \d+ % /);
  });

  test('creates the pool of an elastic limit in the form', async () => {
    const created = { poolCreate: { changeId: 'chg_2', userErrors: [] } };
    const { page, user, type, click, sent } = await openTier(respond(LimitPoolCreateDocument, created));
    await click('Details of per-minute of shop');
    await click(/^Advanced/);
    await user.click(page.getByRole('combobox', { name: 'When exceeded' }));
    await user.click(page.getByRole('option', { name: /^Elastic/ }));
    page.getByText('per-minute: Select a pool to borrow from');
    await click('Create pool');
    const capacity = page.getByRole('textbox', { name: 'Capacity (units per second)' });
    await type(capacity, 'many{Enter}');
    page.getByText('Enter units per second, such as 500');
    expect(sent(LimitPoolCreateDocument)).toEqual([]);
    await type(capacity, '500{Enter}');
    expect(sent(LimitPoolCreateDocument)).toMatchObject([
      { input: { apiKey: 'shop', name: 'shared', capacity: 500, operations: ['buy'] } },
    ]);
  });

  test('shows an error of the server at the field of its limit', async () => {
    const error = invalid(['limits', '0', 'limit'], 'limit is above the maximum of the API');
    const { page, user, rate, type, click, answerWith } = await openTier(
      respond(TierPublishDocument, publication()),
    );
    await type(rate, '500/min');
    await click('Review changes');
    const apply = await page.findByRole('button', { name: 'Apply' });
    answerWith(respond(TierPublishDocument, publication({ tier: null, userErrors: [error] })));
    await user.click(apply);
    await page.findByRole('button', { name: /^per-minute: .*above the maximum of the API/ });
    expect(rate.getAttribute('aria-invalid')).toBe('true');
    expect(page.queryByRole('dialog')).toBeNull();
  });

  test('reapplies edits on top of a change by somebody else', async () => {
    const { page, rate, type, click, answerWith, refresh, sent } = await openTier(
      respond(TierPublishDocument, publication()),
    );
    await type(rate, '6/min');
    const theirs = [
      { ...LIMIT, limit: 5 },
      { ...LIMIT, id: 'lim_2', name: 'per-hour', limit: 50, windowMs: 3_600_000 },
    ];
    answerWith(respond(TierDetailDocument, basicTier({ version: 4, published: versionWith(2, theirs) })));
    refresh();
    await page.findByText('This tier changed while you were editing');
    await click('Reapply my changes');
    await click('Review changes');
    await page.findByRole('button', { name: 'Apply' });
    expect(sent(TierPublishDocument).at(-1)?.input).toMatchObject({
      expectedVersion: 4,
      limits: [
        { name: 'per-minute', limit: 6 },
        { name: 'per-hour', limit: 50 },
      ],
    });
  });

  test('takes over a change by somebody else while nothing is edited', async () => {
    const { page, rate, answerWith, refresh } = await openTier();
    const published = versionWith(2, [{ ...LIMIT, limit: 7 }]);
    answerWith(respond(TierDetailDocument, basicTier({ version: 4, published })));
    refresh();
    await page.findByDisplayValue('7/min');
    expect(rate).toHaveProperty('value', '7/min');
  });

  test('is read-only without permission and names the roles that have it', async () => {
    const reader = viewerWith(PERMISSIONS.filter((name) => name !== 'tiers:write'));
    const { page, user, rate } = await openTier(reader);
    expect(rate).toHaveProperty('disabled', true);
    const add = page.getByRole('button', { name: 'Add limits' });
    expect(add.getAttribute('aria-disabled')).toBe('true');
    await user.hover(add);
    await page.findByText('Your role cannot do this. An Owner can.');
    await user.click(add);
    expect(page.queryByRole('form', { name: 'Add limits' })).toBeNull();
  });

  test('names a tier that does not exist', async () => {
    const { page } = openPage(
      '/tiers/gold',
      respond(TierDetailDocument, { tier: null, apis: { nodes: [] } }),
    );
    await page.findByRole('heading', { name: 'There is no tier “gold”' });
  });
});
