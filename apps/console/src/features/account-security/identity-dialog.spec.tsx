import { describe, expect, test } from 'vitest';
import { openPage, respond, respondAuth } from '../../../test/open-page.js';
import { AccountSecurityDocument, type AccountSecurityQuery } from '../../generated/graphql.js';
import { RequestError } from '../../lib/graphql-request.js';

type Security = NonNullable<AccountSecurityQuery['accountSecurity']>;

const REMOVE = '/passkey/delete-passkey';
const PASSKEY = { id: 'psk_1', name: 'Laptop', createdAt: '2026-11-01T08:00:00Z', backedUp: false };

/** The account page, whose session is not recent until a secret is confirmed. */
function openAccount(part: Partial<Security> = {}) {
  let isRecent = false;
  const confirm = (isRight: (body: unknown) => boolean, code: string) => (body: unknown) => {
    if (!isRight(body)) throw new RequestError(code, 'wrong');
    isRecent = true;
    return { status: true };
  };
  return openPage(
    '/account',
    respond(AccountSecurityDocument, {
      accountSecurity: {
        twoFactorEnabled: false,
        recoveryCodesLeft: 0,
        passkeys: [PASSKEY],
        sessions: [],
        ...part,
      },
    }),
    respondAuth(REMOVE, () => {
      if (!isRecent) throw new RequestError('SESSION_NOT_FRESH', 'Confirm that it is you.');
      return {};
    }),
    respondAuth(
      '/confirm-password',
      confirm((body) => (body as { password: string }).password === 'right', 'INVALID_PASSWORD'),
    ),
    respondAuth(
      '/two-factor/verify-totp',
      confirm((body) => (body as { code: string }).code === '123456', 'INVALID_CODE'),
    ),
  );
}

/** Asks to remove the passkey, and returns the dialog that asks for a secret. */
async function removePasskey({ page, user }: ReturnType<typeof openPage>) {
  await user.click(await page.findByRole('button', { name: 'Remove' }));
  const question = await page.findByRole('dialog', { name: 'Remove passkey Laptop?' });
  await user.click(question.querySelector('[data-autofocus]') ?? question);
  return page.findByRole('dialog', { name: 'Confirm that it is you' });
}

describe('a change of credentials without a recent sign-in', () => {
  test('asks for the password, and goes on once it is right', async () => {
    const opened = openAccount();
    const { page, user, sentAuth } = opened;
    await removePasskey(opened);
    await user.type(page.getByLabelText('Your password'), 'wrong');
    await user.click(page.getByRole('button', { name: 'Continue' }));
    expect((await page.findByRole('alert')).textContent).toContain('The password is wrong');
    await user.clear(page.getByLabelText('Your password'));
    await user.type(page.getByLabelText('Your password'), 'right');
    await user.click(page.getByRole('button', { name: 'Continue' }));
    await expect.poll(() => sentAuth(REMOVE)).toEqual([{ id: 'psk_1' }, { id: 'psk_1' }]);
    await expect.poll(() => page.queryByRole('dialog')).toBeNull();
  });

  test('takes a code from the app if the account has one', async () => {
    const opened = openAccount({ twoFactorEnabled: true });
    const { page, user, sentAuth } = opened;
    await removePasskey(opened);
    await user.click(await page.findByRole('button', { name: 'Use the authenticator app' }));
    await user.type(page.getByLabelText('Code'), '123 456');
    await user.click(page.getByRole('button', { name: 'Continue' }));
    await expect.poll(() => sentAuth(REMOVE)).toHaveLength(2);
    expect(sentAuth('/confirm-password')).toEqual([]);
  });

  test('offers no app to an account without one', async () => {
    const opened = openAccount();
    await removePasskey(opened);
    expect(opened.page.queryByRole('button', { name: 'Use the authenticator app' })).toBeNull();
  });

  test('changes nothing when the dialog is closed, and says so', async () => {
    const opened = openAccount();
    const { page, user, sentAuth } = opened;
    await removePasskey(opened);
    await user.click(page.getByRole('button', { name: 'Cancel' }));
    await page.findByText('You did not confirm that it is you, so nothing was changed.');
    expect(sentAuth(REMOVE)).toHaveLength(1);
    expect(page.queryByRole('dialog')).toBeNull();
  });
});
