import { within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { openPage, pageOf, respond } from '../../../test/open-page.js';
import { invalid, LIMIT, publication } from '../../../test/responses.js';
import {
  ApisForMatrixDocument,
  ChangeSetAddItemDocument,
  ChangeSetApplyDocument,
  ChangeSetCancelDocument,
  ChangeSetCreateDocument,
  type ChangeSetOutcomeFragment,
  ChangeSetSubmitDocument,
  TierPublishDocument,
  TiersDocument,
  type TiersQuery,
} from '../../generated/graphql.js';

type Tier = TiersQuery['tiers']['nodes'][number];

const tier = (key: string, name: string, limit: number): Tier => ({
  ...{ id: `tir_${key}`, key, name, description: '', rank: limit, version: 3, tenantCount: 1 },
  ...{ managedBy: 'CONSOLE', archivedAt: null, draft: null },
  published: { id: `ver_${key}`, number: 1, publishedAt: null, limits: [{ ...LIMIT, limit }] },
});

const SHOP = { id: 'api_1', key: 'shop', name: 'Shop', operations: [{ id: 'op_buy', name: 'buy' }] };

const outcome = (
  version: number,
  part: Partial<ChangeSetOutcomeFragment> = {},
): ChangeSetOutcomeFragment => ({
  changeId: null,
  changeSet: { id: 'set_1', title: 'both at once', version, status: 'DRAFT' },
  userErrors: [],
  ...part,
});

/** Edits a limit of two tiers, opens their review and enters a reason. */
async function openJointReview() {
  const opened = openPage(
    '/tiers',
    respond(TiersDocument, { tiers: pageOf(tier('basic', 'Basic', 10), tier('pro', 'Pro', 50)) }),
    respond(ApisForMatrixDocument, { apis: { nodes: [SHOP] } }),
    respond(TierPublishDocument, publication()),
    respond(ChangeSetCreateDocument, { changeSetCreate: outcome(1) }),
    respond(ChangeSetAddItemDocument, ({ input: { expectedVersion } }) => ({
      changeSetAddItem: outcome(expectedVersion + 1),
    })),
    respond(ChangeSetSubmitDocument, { changeSetSubmit: outcome(4) }),
    respond(ChangeSetApplyDocument, { changeSetApply: outcome(5, { changeId: 'chg_1' }) }),
    respond(ChangeSetCancelDocument, { changeSetCancel: outcome(5) }),
  );
  const { page, user } = opened;
  for (const [name, rate] of [
    ['Basic', '12/min'],
    ['Pro', '100/min'],
  ]) {
    const cell = await page.findByRole('textbox', { name: `per-minute of shop in ${name}` });
    await user.clear(cell);
    await user.type(cell, `${rate}`);
  }
  page.getByText('2 unapplied changes');
  await user.click(page.getByRole('button', { name: 'Review changes' }));
  const review = within(await page.findByRole('dialog', { name: 'Review changes to tiers' }));
  await user.type(review.getByRole('textbox', { name: /^Reason/ }), 'both at once');
  const apply = () => user.click(review.getByRole('button', { name: 'Apply' }));
  return { ...opened, review, apply };
}

describe('matrix of tiers', () => {
  test('applies changes of two tiers as one change set', async () => {
    const { page, apply, sent } = await openJointReview();
    await apply();
    await page.findByText('Basic, Pro applied');
    expect(sent(ChangeSetCreateDocument)).toEqual([{ input: { title: 'both at once' } }]);
    expect(sent(ChangeSetAddItemDocument).map(({ input }) => input)).toMatchObject([
      {
        ...{ id: 'set_1', expectedVersion: 1, command: 'tierPublish' },
        input: { tierKey: 'basic', limits: [{ limit: 12 }] },
      },
      { expectedVersion: 2, command: 'tierPublish', input: { tierKey: 'pro', limits: [{ limit: 100 }] } },
    ]);
    expect(sent(ChangeSetApplyDocument)).toEqual([{ input: { id: 'set_1', expectedVersion: 4 } }]);
    expect(sent(TierPublishDocument).every(({ input }) => input.dryRun)).toBe(true);
  });

  test('cancels the change set and shows why it was rejected', async () => {
    const { page, review, apply, answerWith, sent } = await openJointReview();
    const userErrors = [invalid(null, 'Somebody else has to approve it')];
    answerWith(respond(ChangeSetApplyDocument, { changeSetApply: outcome(4, { userErrors }) }));
    await apply();
    await within(await review.findByRole('alert')).findByText('Somebody else has to approve it');
    expect(sent(ChangeSetCancelDocument)).toHaveLength(1);
    page.getByText('2 unapplied changes');
  });

  test('offers the readings of an ambiguous cell', async () => {
    const { page, user } = openPage(
      '/tiers',
      respond(TiersDocument, { tiers: pageOf(tier('basic', 'Basic', 10)) }),
      respond(ApisForMatrixDocument, { apis: { nodes: [SHOP] } }),
    );
    const cell = await page.findByRole('textbox', { name: 'per-minute of shop in Basic' });
    await user.clear(cell);
    await user.type(cell, '10.000/h');
    page.getByRole('button', { name: '10/h' });
    await user.click(page.getByRole('button', { name: '10000/h' }));
    expect(cell).toHaveProperty('value', '10000/h');
    page.getByText('1 unapplied change');
  });

  test('links an unreadable cell from the bar', async () => {
    const { page, user } = openPage(
      '/tiers',
      respond(TiersDocument, { tiers: pageOf(tier('basic', 'Basic', 10)) }),
      respond(ApisForMatrixDocument, { apis: { nodes: [SHOP] } }),
    );
    const cell = await page.findByRole('textbox', { name: 'per-minute of shop in Basic' });
    await user.clear(cell);
    await user.type(cell, 'lots');
    await user.tab();
    await user.click(page.getByRole('button', { name: /Add a time unit/ }));
    expect(document.activeElement).toBe(cell);
  });

  test('says when there are no tiers', async () => {
    const { page } = openPage(
      '/tiers',
      respond(TiersDocument, { tiers: pageOf() }),
      respond(ApisForMatrixDocument, { apis: { nodes: [SHOP] } }),
    );
    await page.findByRole('heading', { name: 'No tiers yet' });
  });
});
