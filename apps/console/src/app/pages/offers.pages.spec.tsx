import { within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { openPage, pageOf, respond, viewerWith } from '../../../test/open-page.js';
import {
  OfferDocument,
  type OfferFieldsFragment,
  OfferPriceConfirmDocument,
  OffersDocument,
} from '../../generated/graphql.js';

const OFFER: OfferFieldsFragment = {
  ...{ id: 'off_1', key: 'pack', name: 'Pack of 500', description: '', kind: 'TOPUP', status: 'ACTIVE' },
  ...{ isPriceConfirmed: false, priceMinor: 4900, currency: 'HUF', interval: null, validDays: 30 },
  ...{ graceDays: 0, tierKeys: [], maxQuantity: 1, stock: null, stockLeft: null, carryOver: 'KEEP' },
  ...{ version: 7, effects: [], createdAt: '2026-01-01T00:00:00Z' },
};
const OPERATOR = viewerWith(['offers:read', 'offers:write']);

describe('an offer whose price is not confirmed', () => {
  test('is marked in the list', async () => {
    const { page } = openPage('/offers', OPERATOR, respond(OffersDocument, { offers: pageOf(OFFER) }));
    await page.findByText('Price not confirmed');
    page.getByText(/HUF.49\.00/);
  });

  test('shows the amount that is charged, and confirms it', async () => {
    const { page, user, sent } = openPage(
      '/offers/pack',
      OPERATOR,
      respond(OfferDocument, { offer: OFFER }),
      respond(OfferPriceConfirmDocument, {
        offerPriceConfirm: { offer: { key: 'pack', isPriceConfirmed: true }, userErrors: [] },
      }),
    );
    await page.findByText(/the right price\?$/);
    await user.click(page.getByRole('button', { name: 'Confirm price' }));
    const dialog = await page.findByRole('dialog');
    within(dialog).getByText(/HUF.49\.00/);
    await user.click(within(dialog).getByRole('button', { name: 'Confirm price' }));
    await page.findByText('Price of “Pack of 500” confirmed');
    expect(sent(OfferPriceConfirmDocument)).toMatchObject([
      { input: { offerKey: 'pack', expectedVersion: 7 } },
    ]);
  });
});
