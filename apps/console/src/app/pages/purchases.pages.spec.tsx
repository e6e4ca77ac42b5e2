import { describe, expect, test } from 'vitest';
import { memberWith, openPage, pageOf, respond, viewerWith } from '../../../test/open-page.js';
import { acme } from '../../../test/responses.js';
import {
  PaymentProvidersDocument,
  PortalTenantDocument,
  PortalUtilizationDocument,
  PurchaseDocument,
  type PurchaseQuery,
  PurchasesDocument,
} from '../../generated/graphql.js';

type Purchase = NonNullable<PurchaseQuery['purchase']>;

const DEBIT: Purchase = {
  ...{ id: 'pur_1', tenantKey: 'acme', label: 'More requests', kind: 'UPGRADE', provider: 'STRIPE' },
  ...{ status: 'PROCESSING', quantity: 1, amountMinor: 4900, currency: 'EUR', interval: 'MONTH' },
  ...{ isAutomatic: false, renews: false, paidThrough: null, graceEndsAt: null, checkoutUrl: null },
  createdAt: '2026-11-01T08:00:00Z',
  offer: { key: 'more', name: 'More requests' },
  ...{ effects: [], providerStop: null, payments: [], moneyEntries: [] },
  events: [
    {
      ...{ id: 'evt_1', source: 'STRIPE', type: 'PROCESSING', at: '2026-11-01T08:05:00Z' },
      ...{ payment: null, amountMinor: null, reason: null },
    },
  ],
};

const OPERATOR = viewerWith(['purchases:read', 'purchases:write']);
const CUSTOMER = [
  memberWith(['purchases:read', 'purchases:write']),
  respond(PortalTenantDocument, acme()),
  respond(PortalUtilizationDocument, { limitUtilization: [] }),
  respond(PaymentProvidersDocument, { paymentProviders: ['STRIPE'] }),
  respond(PurchasesDocument, { purchases: pageOf(DEBIT) }),
];

describe('an unpaid order', () => {
  const checkoutUrl = 'https://checkout.stripe.com/c/pay/cs_live_1#fragment';
  const purchase: Purchase = { ...DEBIT, status: 'PENDING', checkoutUrl };

  test.each([
    ['/portal/acme?ordered=more', 'after the return from the payment page'],
    ['/portal/acme/receipts/pur_1', 'on its page'],
  ])('links the payment page of the provider (%s, %s)', async (address) => {
    const orders = respond(PurchasesDocument, { purchases: pageOf(purchase) });
    const { page } = openPage(address, ...CUSTOMER, orders, respond(PurchaseDocument, { purchase }));
    const link = await page.findByRole('link', { name: 'Go to payment' });
    expect(link.getAttribute('href')).toBe(checkoutUrl);
  });
});

describe('a purchase paid by a bank debit', () => {
  test('tells the customer who returns from the payment page that the payment is processing', async () => {
    const { page } = openPage('/portal/acme?ordered=more', ...CUSTOMER);
    await page.findByText('Your payment for More requests is processing');
  });

  test('is listed as processing in the portal', async () => {
    const { page } = openPage('/portal/acme/receipts', ...CUSTOMER);
    await page.findByText('Payment processing');
  });

  test('is shown as processing to operators, who cannot cancel it', async () => {
    const { page } = openPage('/purchases/pur_1', OPERATOR, respond(PurchaseDocument, { purchase: DEBIT }));
    await page.findByText('Payment processing at the bank');
    page.getByRole('img', { name: 'Purchase lifecycle; current status: Processing' });
    expect(page.queryByRole('button', { name: 'Cancel order' })).toBeNull();
  });

  test('can be canceled by an operator when Stripe reports no result', async () => {
    const purchase: Purchase = { ...DEBIT, status: 'NEEDS_REVIEW' };
    const { page, user } = openPage('/purchases/pur_1', OPERATOR, respond(PurchaseDocument, { purchase }));
    await page.findByText(/^Stripe has not reported whether the payment succeeded\./);
    await user.click(page.getByRole('button', { name: 'Cancel order' }));
    await page.findByText(/^Check first that no payment is outstanding at Stripe/);
  });
});
