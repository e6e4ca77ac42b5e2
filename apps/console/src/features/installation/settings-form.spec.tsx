import { within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { openPage, respond, viewerWith } from '../../../test/open-page.js';
import {
  InstallationSettingsDocument,
  InstallationUpdateDocument,
  UsageWidgetTokenCreateDocument,
} from '../../generated/graphql.js';

test('the code of the widget appears, and half-typed settings are not saved', async () => {
  const { page, user, sent } = openPage(
    '/settings',
    viewerWith(['installation:write', 'usage:read']),
    respond(InstallationSettingsDocument, {
      installationSettings: {
        ...{ productName: 'Acme', accent: null, logo: null, companyName: 'Acme Ltd', address: '', taxId: '' },
        ...{ registration: '', contact: '', invoiceNote: '', taxLabel: '', taxBasisPoints: 0 },
        ...{ embedOrigins: [], version: 1 },
      },
    }),
    respond(InstallationUpdateDocument, {
      installationUpdate: { installation: { version: 2 }, userErrors: [] },
    }),
    respond(UsageWidgetTokenCreateDocument, {
      usageWidgetTokenCreate: { url: 'https://tollgate.example/embed/usage?token=t1', userErrors: [] },
    }),
  );
  await user.type(await page.findByRole('textbox', { name: 'Product name' }), ' half-typed');
  await user.click(page.getByRole('button', { name: 'Get code' }));
  const dialog = within(await page.findByRole('dialog', { name: 'Embed the usage widget' }));
  await user.type(dialog.getByRole('textbox', { name: 'Tenant key' }), 'acme');
  await user.click(dialog.getByRole('button', { name: 'Create code' }));
  await dialog.findByText(/token=t1&theme=auto/);
  expect(sent(UsageWidgetTokenCreateDocument)).toEqual([{ input: { tenantKey: 'acme', limits: null } }]);
  expect(sent(InstallationUpdateDocument)).toEqual([]);
});
