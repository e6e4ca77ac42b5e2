import { within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { openPage, respond } from '../../../test/open-page.js';
import { acme, invalid } from '../../../test/responses.js';
import { TenantDetailDocument, TenantUpdateDocument } from '../../generated/graphql.js';

async function openEdit(changes: Parameters<typeof acme>[0] = {}) {
  const opened = openPage(
    '/tenants/acme',
    respond(TenantDetailDocument, acme(changes)),
    respond(TenantUpdateDocument, ({ input: { name } }) => ({
      tenantUpdate: {
        ...{ changeId: 'chg_1', impact: null },
        userErrors: name === '' ? [invalid(['name'], 'Enter a name')] : [],
      },
    })),
  );
  const { page, user } = opened;
  await user.click(await page.findByRole('button', { name: 'More actions for Acme' }));
  await user.click(await page.findByRole('menuitem', { name: 'Edit' }));
  const form = within(await page.findByRole('dialog', { name: 'Edit Acme' }));
  const apply = form.getByRole('button', { name: 'Apply' });
  return { ...opened, form, apply };
}

describe('form of a tenant', () => {
  test('has nothing to apply without a change', async () => {
    const { form, apply, sent } = await openEdit();
    form.getByText('Change or complete the fields to see the effect.');
    expect(apply).toHaveProperty('disabled', true);
    expect(sent(TenantUpdateDocument)).toEqual([]);
  });

  test('shows an error of the server at its field and leads there', async () => {
    const { user, form, apply } = await openEdit();
    const name = form.getByRole('textbox', { name: 'Name' });
    await user.clear(name);
    const link = within(await form.findByRole('alert')).getByRole('button', { name: 'Enter a name' });
    expect(name.getAttribute('aria-invalid')).toBe('true');
    const described = name
      .getAttribute('aria-describedby')
      ?.split(' ')
      .map((id) => document.getElementById(id));
    expect(described?.map((element) => element?.textContent)).toContain('Enter a name');
    expect(apply).toHaveProperty('disabled', true);
    form.getByRole('textbox', { name: 'Billing day' }).focus();
    await user.click(link);
    expect(document.activeElement).toBe(name);
  });

  test.each([
    ['Asia/Kolkata', 'kiev', 'Europe/Kyiv'],
    ['Europe/Kyiv', 'Calcutta', 'Asia/Kolkata'],
    ['Etc/UTC', 'los angeles', 'America/Los_Angeles'],
  ])('shows the time zone %s, and finds "%s" as %s', async (timeZone, search, found) => {
    const { user, form } = await openEdit({ timeZone });
    const zone = form.getByRole('combobox', { name: 'Time zone' });
    expect(zone).toHaveProperty('value', timeZone === 'Etc/UTC' ? 'UTC' : timeZone);
    await user.click(zone);
    await user.clear(zone);
    await user.type(zone, search);
    await user.click(await within(document.body).findByRole('option', { name: found }));
    expect(zone).toHaveProperty('value', found);
  });

  test('sends the changed fields and the reason only', async () => {
    const { page, user, form, apply, sent } = await openEdit();
    const day = form.getByRole('textbox', { name: 'Billing day' });
    await user.clear(day);
    await user.type(day, '9');
    await user.type(form.getByRole('textbox', { name: /^Reason/ }), 'moved');
    await user.click(apply);
    await page.findByText('Acme updated');
    expect(sent(TenantUpdateDocument).at(-1)).toEqual({
      input: { tenantKey: 'acme', expectedVersion: 7, billingAnchorDay: 9, reason: 'moved', dryRun: false },
    });
  });
});
