import { waitFor, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { openPage, PERMISSIONS, respond, respondAuth } from '../../test/open-page.js';
import { acme } from '../../test/responses.js';
import { TenantDetailDocument, TenantUpdateDocument, ViewerDocument } from '../generated/graphql.js';
import { RequestError } from '../lib/graphql-request.js';

const PASSWORDS: Readonly<Record<string, string>> = { right: 'usr_1', other: 'usr_2' };

/** The form of a tenant with another name. The session ended while it was open. */
async function openForm() {
  let userId: string | undefined = 'usr_1';
  const inSession = <T,>(answer: T): T => {
    if (userId === undefined) throw new RequestError('UNAUTHENTICATED', 'Sign in to continue.');
    return answer;
  };
  const opened = openPage(
    '/tenants/acme',
    respond(ViewerDocument, () =>
      inSession({
        viewer: {
          ...{ id: userId ?? '', name: 'Ada Admin', email: 'ada@example.com', role: 'OWNER' as const },
          ...{ permissions: PERMISSIONS, memberships: [] },
        },
        permissionRoles: [],
      }),
    ),
    respond(TenantDetailDocument, () => inSession(acme())),
    respond(TenantUpdateDocument, () =>
      inSession({ tenantUpdate: { changeId: 'chg_1', impact: null, userErrors: [] } }),
    ),
    respondAuth('/sign-in/email', (body) => {
      userId = PASSWORDS[(body as { password: string }).password];
      if (userId === undefined) throw new RequestError('INVALID_EMAIL_OR_PASSWORD', 'wrong');
      return {};
    }),
  );
  const { page, user } = opened;
  await user.click(await page.findByRole('button', { name: 'More actions for Acme' }));
  await user.click(await page.findByRole('menuitem', { name: 'Edit' }));
  const form = within(await page.findByRole('dialog', { name: 'Edit Acme' }));
  userId = undefined;
  await user.click(form.getByRole('textbox', { name: 'Name' }));
  // At once: the dialog takes the focus.
  await user.paste(' Ltd');
  const dialog = within(await page.findByRole('dialog', { name: 'Your session has ended' }));
  const signIn = async (password: string) => {
    await user.clear(dialog.getByLabelText('Password'));
    await user.type(dialog.getByLabelText('Password'), `${password}{Enter}`);
  };
  return {
    ...{ ...opened, form, dialog, signIn },
    startSession: (id: string) => {
      userId = id;
    },
  };
}

describe('a session that ends while a form is open', () => {
  test('says so, keeps the input, and sends the request after the sign-in', async () => {
    const { page, user, form, dialog, signIn, sent } = await openForm();
    dialog.getByText(/everything that you entered/);
    expect(dialog.getByLabelText('Email')).toHaveProperty('value', 'ada@example.com');
    await signIn('wrong');
    await dialog.findByText(/do not match/);
    await signIn('right');
    await expect.poll(() => page.queryByRole('dialog', { name: 'Your session has ended' })).toBeNull();
    expect(form.getByRole('textbox', { name: 'Name' })).toHaveProperty('value', 'Acme Ltd');
    const apply = form.getByRole('button', { name: 'Apply' });
    await expect.poll(() => apply).toHaveProperty('disabled', false);
    await user.click(apply);
    await page.findByText('Acme Ltd updated');
    expect(sent(TenantUpdateDocument).at(-1)).toMatchObject({ input: { name: 'Acme Ltd', dryRun: false } });
  });

  test('keeps the form when Escape is pressed', async () => {
    const { user, form, dialog } = await openForm();
    await user.click(dialog.getByLabelText('Password'));
    await user.keyboard('{Escape}');
    expect(form.getByRole('textbox', { name: 'Name' })).toHaveProperty('value', 'Acme Ltd');
    dialog.getByLabelText('Password');
  });

  test('goes on when the user has signed in in another tab', async () => {
    const { page, form, startSession } = await openForm();
    startSession('usr_1');
    await waitFor(() => {
      window.dispatchEvent(new Event('focus'));
      expect(page.queryByRole('dialog', { name: 'Your session has ended' })).toBeNull();
    });
    expect(form.getByRole('textbox', { name: 'Name' })).toHaveProperty('value', 'Acme Ltd');
  });

  test('keeps nothing for another user', async () => {
    const replace = vi.spyOn(window.location, 'replace').mockReturnValue();
    const { signIn } = await openForm();
    await signIn('other');
    await expect.poll(() => replace.mock.calls).toEqual([['/']]);
  });

  test('names the reason on the sign-in page if the user leaves', async () => {
    const { page, user, dialog, router } = await openForm();
    await user.click(dialog.getByRole('button', { name: 'Leave this page' }));
    await page.findByText('Your session has ended');
    await page.findByRole('heading', { name: 'Sign in' });
    expect(router.state.location.search).toEqual({ next: '/tenants/acme', session: 'ended' });
    expect(page.queryByRole('dialog')).toBeNull();
  });
});
