import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { findViolations } from '../../../apps/console/test/screens.ts';
import { AuthService } from '../../../apps/control-plane/src/features/identity/index.ts';
import { cookieOf, PASSWORD } from '../../../apps/control-plane/test/support/test-app.ts';
import { totpOf } from '../../../apps/control-plane/test/support/totp.ts';

const NAME = 'Ada Admin';
const NEW_PASSWORD = 'another correct horse';

/** Folder for screenshots of every page at two widths in both themes; none by default. */
const SHOTS = process.env.ACCOUNT_SHOTS;

/**
 * Account security in a real browser: password, second factor, passkey, sessions, reset.
 * @param {import('./console-app.mjs').ConsoleApp} host
 */
export function testAccount(host) {
  // The browser logs the responses to wrong passwords and codes.
  afterEach(() => host.errors.splice(0));

  const button = (name) => host.page.getByRole('button', { name, exact: true });
  const dialog = () => host.page.getByRole('dialog');

  /** A new owner, signed out; returns the email. */
  async function createOwner(name) {
    const email = `${name}@example.com`;
    const auth = host.app.app.get(AuthService, { strict: false });
    await auth.ensureOperator({ email, name: NAME, role: 'OWNER', password: PASSWORD });
    await host.signOut();
    return email;
  }

  /** The cookie of a new session. */
  async function startSession(email) {
    const answer = await fetch(`${host.app.url}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: host.origin },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    return cookieOf(answer);
  }

  /** Opens the account page of a new owner with sessions. */
  async function openAccount(name, sessions = 1) {
    const email = await createOwner(name);
    let cookie;
    for (let count = 0; count < sessions; count++) cookie = await startSession(email);
    await host.useCookies(cookie);
    await host.goto('/account');
    await host.page.getByRole('heading', { name: 'Sessions' }).waitFor();
    return email;
  }

  /** Sessions of the account began eleven minutes ago. */
  async function ageSessions(email) {
    const createdAt = new Date(Date.now() - 660_000);
    await host.app.database.session.updateMany({ where: { user: { email } }, data: { createdAt } });
  }

  async function enterPassword(email, password = PASSWORD) {
    await host.goto('/sign-in');
    await host.page.getByLabel('Email').fill(email);
    await host.page.getByLabel('Password', { exact: true }).fill(password);
    await button('Sign in').click();
  }

  async function openSecurity(name = NAME) {
    const { page } = host;
    await page.getByRole('button', { name: new RegExp(name) }).click();
    await page.getByRole('menuitem', { name: 'Account security' }).click();
    await page.getByRole('heading', { name: 'Account security', level: 1 }).waitFor();
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  }

  /** Checks accessibility of the current page; with ACCOUNT_SHOTS it also takes screenshots. */
  async function inspect(name) {
    const { page } = host;
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    expect(await findViolations(page)).toEqual([]);
    // Last, because colors fade when the theme changes.
    if (SHOTS !== undefined) await takeShots(name);
  }

  async function takeShots(name) {
    const { page } = host;
    for (const colorScheme of ['light', 'dark'])
      for (const width of [390, 1440]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await page.screenshot({
          path: path.join(SHOTS, `${name}-${width}-${colorScheme}.png`),
          fullPage: true,
        });
      }
    await page.emulateMedia({ colorScheme: 'light' });
  }

  test('turns on two-factor authentication, which the next sign-in requires', async () => {
    const { page } = host;
    const email = await createOwner('second-factor');
    await enterPassword(email);
    await openSecurity();
    await inspect('security');
    await button('Turn on').click();
    await dialog().getByLabel('Confirm your password').fill(PASSWORD);
    await dialog().getByRole('button', { name: 'Continue' }).click();
    await dialog().getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
    const secret = await dialog().locator('pre').textContent();
    const uri = `otpauth://totp/x?secret=${secret}`;
    await inspect('two-factor-setup');
    await dialog().getByLabel('Code', { exact: true }).fill(totpOf(uri));
    await dialog().getByRole('button', { name: 'Verify' }).click();
    await button('I have saved them').waitFor();
    const [recoveryCode] = (await dialog().locator('pre').textContent()).split('\n');
    await inspect('recovery-codes');
    await button('I have saved them').click();
    await page.getByText('10 recovery codes left').waitFor();

    await host.signOut();
    await enterPassword(email);
    await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor();
    await inspect('second-step');
    await page.getByLabel('Code', { exact: true }).fill('000000');
    await button('Verify').click();
    await page.getByRole('alert').getByText('The code is wrong or has expired').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(totpOf(uri, 1));
    await button('Verify').click();
    await page.getByRole('button', { name: /Ada Admin/ }).waitFor();

    await host.signOut();
    await enterPassword(email);
    await button('Use a recovery code').click();
    await page.getByLabel('Recovery code').fill(recoveryCode);
    await button('Verify').click();
    await openSecurity();
    await page.getByText('9 recovery codes left').waitFor();
    await button('Turn off').click();
    await dialog().getByLabel('Confirm your password').fill(PASSWORD);
    await dialog().getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('Two-factor authentication is off.').waitFor();
  });

  test('adds a passkey that signs in without a password, after the viewer has confirmed', async () => {
    const { page } = host;
    const email = await openAccount('passkey');
    const client = await page.context().newCDPSession(page);
    await client.send('WebAuthn.enable');
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    };
    const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', { options });
    await ageSessions(email);
    await button('Add passkey').click();
    await dialog().getByLabel('Your password').fill(PASSWORD);
    await inspect('confirm-identity');
    await dialog().getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Passkey added.').waitFor();
    await page.getByRole('table', { name: 'Passkeys' }).getByRole('row').nth(1).waitFor();
    await inspect('security-with-passkey');

    await host.signOut();
    await host.goto('/sign-in');
    await button('Sign in with a passkey').click();
    await page.getByRole('button', { name: /Ada Admin/ }).waitFor();

    // The device without user verification cannot sign in.
    await host.signOut();
    await client.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await host.goto('/sign-in');
    await button('Sign in with a passkey').click();
    await page.getByRole('alert').waitFor();
    await client.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    await button('Sign in with a passkey').click();
    await openSecurity();
    await ageSessions(email);
    await button('Remove').click();
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await dialog().getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('No passkeys yet.').waitFor();
    await client.detach();
  });

  test('lists and revokes other sessions', async () => {
    await openAccount('sessions', 3);
    const sessions = host.page.getByRole('table', { name: 'Sessions' });
    await sessions.getByText('Current').waitFor();
    expect(await sessions.getByRole('row').count()).toBe(4);
    await button('Revoke all others').click();
    await dialog().getByRole('button', { name: 'Revoke all others' }).click();
    await expect.poll(() => sessions.getByRole('row').count()).toBe(2);
  });

  test('changes the password', async () => {
    const { page } = host;
    await openAccount('changes');
    await page.getByLabel('Current password').fill('wrong one');
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await button('Change password').click();
    await page.getByRole('alert').getByText('The password is wrong').waitFor();
    await page.getByLabel('Current password').fill(PASSWORD);
    await button('Change password').click();
    await page.getByText('Password changed. All other sessions were signed out.').waitFor();
  });

  test('resets a forgotten password with the link from an email', async () => {
    const { page } = host;
    const email = await createOwner('forgetful');
    await host.goto('/sign-in');
    await inspect('sign-in');
    await page.getByRole('link', { name: 'Forgot password?' }).click();
    await inspect('forgot-password');
    await page.getByLabel('Email').fill(email);
    await button('Send link').click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    const { database } = host.app;
    const where = { recipient: email, subject: 'Reset your password' };
    await expect.poll(() => database.mail.count({ where })).toBe(1);
    const mail = await database.mail.findFirstOrThrow({ where });
    const reader = await host.app.signIn('OWNER');
    const text = await (await fetch(`${host.app.url}/mailbox/${mail.id}`, { headers: reader })).text();
    const [link] = /http:\/\/localhost:\d+\/reset-password#[\w-]+/.exec(text);
    await page.goto(link);
    await inspect('reset-password');
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await button('Set password').click();
    await page.getByRole('heading', { name: 'Password changed' }).waitFor();
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await button('Set password').click();
    await page.getByRole('heading', { name: 'This link is invalid' }).waitFor();
    await enterPassword(email, NEW_PASSWORD);
    await page.getByRole('button', { name: /Ada Admin/ }).waitFor();
  });

  test("shows members the same page in a tenant's portal", async () => {
    const { id } = await host.app.database.tenant.findUniqueOrThrow({ where: { key: 'acme' } });
    const { cookie } = await host.app.signInMember(id, 'VIEWER');
    await host.useCookies(cookie);
    await host.goto('/portal/acme');
    await openSecurity('Member');
    expect(new URL(host.page.url()).pathname).toBe('/portal/acme/account');
    await inspect('portal-security');
  });
}
