import { within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { memberWith, openPage, respond } from '../../../test/open-page.js';
import { acme, invalid } from '../../../test/responses.js';
import {
  BillingDetailsDocument,
  BillingDetailsSetDocument,
  PortalTenantDocument,
} from '../../generated/graphql.js';

test('an address that documents cannot print is rejected at its field, and kept', async () => {
  const message = 'Invoices and receipts cannot print “ሰ”.';
  const { page, user } = openPage(
    '/portal/acme/receipts',
    memberWith(['purchases:read', 'purchases:write']),
    respond(PortalTenantDocument, acme()),
    respond(BillingDetailsDocument, {
      billingDetails: { name: 'Acme', address: '', taxId: '', email: '', version: 1 },
    }),
    respond(BillingDetailsSetDocument, {
      billingDetailsSet: { billingDetails: null, userErrors: [invalid(['address'], message)] },
    }),
  );
  await user.click(await page.findByRole('button', { name: 'Edit' }));
  const dialog = within(await page.findByRole('dialog', { name: 'Billing details' }));
  const address = dialog.getByRole('textbox', { name: 'Address' });
  await user.type(address, '1 ሰ');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  const error = await dialog.findByText(message);
  expect(address).toHaveProperty('value', '1 ሰ');
  expect(address.getAttribute('aria-invalid')).toBe('true');
  expect(address.getAttribute('aria-describedby')).toContain(error.id);
});
