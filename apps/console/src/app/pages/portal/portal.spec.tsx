import { waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { clickTwice, memberWith, openPage, pageOf, respond } from '../../../../test/open-page.js';
import { acme, invalid } from '../../../../test/responses.js';
import {
  type OfferFieldsFragment,
  OffersDocument,
  OwnLimitSetDocument,
  PaymentProvidersDocument,
  PortalTenantDocument,
  PortalUtilizationDocument,
  PurchasePreviewDocument,
  PurchaseStartDocument,
  type UserErrorCode,
} from '../../../generated/graphql.js';
import { RequestError } from '../../../lib/graphql-request.js';

const PACK: OfferFieldsFragment = {
  ...{ id: 'off_1', key: 'pack', name: 'Pack of 500', description: '', kind: 'TOPUP', status: 'ACTIVE' },
  isPriceConfirmed: true,
  ...{ priceMinor: 1900, currency: 'EUR', interval: null, validDays: 30, graceDays: 0, tierKeys: [] },
  ...{ maxQuantity: 1, stock: null, stockLeft: null, carryOver: 'KEEP', version: 1, effects: [] },
  createdAt: '2026-01-01T00:00:00Z',
};

const CUSTOMER = [
  memberWith(['purchases:write', 'own-limits:write']),
  respond(PortalTenantDocument, acme()),
  respond(PortalUtilizationDocument, { limitUtilization: [] }),
  respond(PaymentProvidersDocument, { paymentProviders: ['STRIPE', 'TEST'] }),
  respond(OffersDocument, { offers: pageOf(PACK) }),
  respond(PurchasePreviewDocument, {
    purchasePreview: { noEffect: null, amountMinor: 1900, renewsAt: null, limits: [] },
  }),
];

const refused = (code: UserErrorCode) =>
  respond(PurchaseStartDocument, {
    purchaseStart: { purchase: null, userErrors: [invalid(null, 'refused', code)] },
  });

describe('offers of the portal', () => {
  test.each([
    [
      'PROVIDER_UNAVAILABLE',
      'Payment provider unavailable',
      'Nothing was ordered or charged. Try again in a minute.',
    ],
    ['NOT_FOR_SALE', 'This offer is no longer available.', 'Nothing was ordered. The list has been updated.'],
    ['INVALID', 'refused', 'refused'],
  ] as const)('says why nothing was ordered: %s', async (code, title, text) => {
    const { page, user, sent } = openPage('/portal/acme/buy', ...CUSTOMER, refused(code));
    await user.click(await page.findByRole('button', { name: 'Buy for €19.00' }));
    const alert = within(await page.findByRole('alert'));
    alert.getByText(title);
    alert.getByText(text);
    expect(sent(PurchaseStartDocument)).toMatchObject([
      { input: { tenantKey: 'acme', offerKey: 'pack', expectedPriceMinor: 1900, provider: 'STRIPE' } },
    ]);
  });

  test('removes an offer that is no longer sold', async () => {
    const { page, user, answerWith } = openPage('/portal/acme/buy', ...CUSTOMER, refused('NOT_FOR_SALE'));
    const buy = await page.findByRole('button', { name: 'Buy for €19.00' });
    answerWith(respond(OffersDocument, { offers: pageOf() }));
    await user.click(buy);
    await page.findByRole('heading', { name: 'No offers for your tier' });
  });

  test('orders once if Buy is clicked twice before the page reacts', async () => {
    const { page, sent } = openPage('/portal/acme/buy', ...CUSTOMER, refused('INVALID'));
    const buy = await page.findByRole('button', { name: 'Buy for €19.00' });
    clickTwice(buy);
    expect(buy).toHaveProperty('disabled', true);
    await page.findByRole('alert');
    expect(sent(PurchaseStartDocument)).toHaveLength(1);
  });

  test('repeats an order without an answer under its key, and a rejected one under another', async () => {
    const { page, user, keys, answerWith } = openPage(
      '/portal/acme/buy',
      ...CUSTOMER,
      respond(PurchaseStartDocument, () => {
        throw new RequestError('UNAVAILABLE', 'The database is not available');
      }),
    );
    const buy = await page.findByRole('button', { name: 'Buy for €19.00' });
    await user.click(buy);
    await page.findByText('The database is not available');
    answerWith(refused('INVALID'));
    await user.click(buy);
    await page.findByText('refused');
    await user.click(buy);
    await waitFor(() => expect(keys(PurchaseStartDocument)).toHaveLength(3));
    const [first, second, third] = keys(PurchaseStartDocument);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  test('orders from the chosen provider', async () => {
    const { page, user, sent } = openPage('/portal/acme/buy', ...CUSTOMER, refused('NO_EFFECT'));
    await user.click(await page.findByRole('radio', { name: 'Test card' }));
    await user.click(page.getByRole('button', { name: 'Buy for €19.00' }));
    await page.findByRole('alert');
    expect(sent(PurchaseStartDocument)).toMatchObject([{ input: { provider: 'TEST' } }]);
  });
});

describe('own limit of the portal', () => {
  test('has to be below the limit', async () => {
    const { page, user, answerWith, sent } = openPage('/portal/acme', ...CUSTOMER);
    await user.click(await page.findByText('Details'));
    await user.click(page.getByRole('button', { name: 'Set a lower limit' }));
    const form = within(await page.findByRole('dialog'));
    const field = form.getByRole('textbox', { name: 'At most per minute' });
    await user.type(field, '10{Enter}');
    form.getByText('Enter a number below 10');
    expect(sent(OwnLimitSetDocument)).toEqual([]);
    answerWith(respond(OwnLimitSetDocument, { ownLimitSet: { changeId: 'chg_1', userErrors: [] } }));
    await user.clear(field);
    await user.type(field, '4');
    const submit = form.getByRole('button', { name: 'Set limit' });
    clickTwice(submit);
    await page.findByText('Your own limit is in effect');
    expect(sent(OwnLimitSetDocument)).toMatchObject([
      { input: { tenantKey: 'acme', apiKey: 'shop', limit: 'per-minute', max: 4 } },
    ]);
  });
});
