import { eventually } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUTH_ROUTES } from '../src/features/identity/auth/auth.routes.js';
import { AuthService } from '../src/features/identity/index.js';
import { newId } from '../src/platform/ids.js';
import type { OperatorRole } from '../src/platform/prisma/schema.js';
import { ACCESS_TABLE } from './matrix/access-table.js';
import { AccountBrowser, BROWSER_ORIGIN } from './support/account-browser.js';
import { PASSWORD, startTestApp, type TestApp } from './support/test-app.js';
import { totpOf } from './support/totp.js';

/**
 * Every endpoint. `none` changes no credential of a signed-in account; `password` asks for the password itself; `recent`
 * needs a recent sign-in.
 */
const ENDPOINTS: Readonly<Record<string, 'none' | 'password' | 'recent'>> = {
  '/sign-in/email': 'none',
  '/sign-out': 'none',
  '/get-session': 'none',
  '/magic-link/verify': 'none',
  '/confirm-password': 'none',
  '/change-password': 'password',
  // Needs the token of a mail.
  '/reset-password': 'none',
  '/two-factor/enable': 'password',
  '/two-factor/disable': 'password',
  // While it is off, this turns it on.
  '/two-factor/verify-totp': 'recent',
  '/two-factor/verify-backup-code': 'none',
  '/two-factor/generate-backup-codes': 'password',
  '/passkey/generate-register-options': 'recent',
  '/passkey/verify-registration': 'recent',
  '/passkey/generate-authenticate-options': 'none',
  '/passkey/verify-authentication': 'none',
  // Renames it.
  '/passkey/update-passkey': 'none',
  '/passkey/delete-passkey': 'recent',
};

/** Mutations of accounts and sessions. */
const MUTATIONS: Readonly<Record<string, 'none' | 'recent'>> = {
  accountPasswordResetSend: 'recent',
  accountTwoFactorRemove: 'recent',
  passwordResetRequest: 'none',
  sessionRevoke: 'none',
  sessionRevokeOthers: 'none',
};

const HELP = (mutation: string) => `mutation($email: String!) {
  ${mutation}(input: { email: $email, reason: "Lost the laptop" }) { email userErrors { code } } }`;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({
    MAIL_TRANSPORT: 'mailbox',
    PUBLIC_URL: BROWSER_ORIGIN,
    TRUSTED_PROXY_HOPS: '1',
  });
});
afterAll(() => app.stop());

let people = 0;

/** A new account with a passkey and a signed-in browser. */
async function signedIn(role: OperatorRole | null = null) {
  const email = `recent-${++people}@example.com`;
  const auth = app.app.get(AuthService, { strict: false });
  await auth.ensureOperator({ email, name: 'Person', role, password: PASSWORD });
  const { id: userId } = await app.database.user.findUniqueOrThrow({ where: { email } });
  const passkeyId = newId('passkey');
  await app.database.passkey.create({
    data: {
      id: passkeyId,
      userId,
      ...{ publicKey: 'AA', credentialID: passkeyId, counter: 0, deviceType: 'multiDevice', backedUp: true },
    },
  });
  const browser = new AccountBrowser(app);
  await browser.signIn(email);
  return { email, userId, passkeyId, browser };
}

/** Sessions began eleven minutes ago. */
async function ageSessions(userId: string): Promise<void> {
  const createdAt = new Date(Date.now() - 660_000);
  await app.database.session.updateMany({ where: { userId }, data: { createdAt } });
}

async function withOldSession(role: OperatorRole | null = null) {
  const person = await signedIn(role);
  await ageSessions(person.userId);
  return person;
}

async function turnOnTwoFactor(browser: AccountBrowser) {
  const { body } = await browser.post('/two-factor/enable', { password: PASSWORD });
  const { status } = await browser.post('/two-factor/verify-totp', { code: totpOf(body.totpURI) });
  expect(status).toBe(200);
  return { uri: body.totpURI as string, recoveryCode: body.backupCodes[0] as string };
}

const credentialsOf = async (userId: string) => ({
  passwords: await app.database.account.findMany({ where: { userId } }),
  passkeys: await app.database.passkey.findMany({ where: { userId } }),
  twoFactors: await app.database.twoFactor.findMany({ where: { userId } }),
});

/** 200 if the session may add a passkey. */
const tryPasskey = (browser: AccountBrowser) => browser.get('/passkey/generate-register-options');

describe('a session that began more than ten minutes ago', () => {
  it('is considered for every endpoint and every mutation of accounts', () => {
    expect(Object.keys(ENDPOINTS).sort()).toEqual(AUTH_ROUTES.map(({ path }) => path as string).sort());
    const mutations = Object.keys(ACCESS_TABLE)
      .filter((name) => /^Mutation\.(account|session|password|passkey|twoFactor|email)/i.test(name))
      .map((name) => name.slice('Mutation.'.length));
    expect(mutations.sort()).toEqual(Object.keys(MUTATIONS).sort());
  });

  it.each(AUTH_ROUTES.filter(({ path }) => ENDPOINTS[path] !== 'none'))(
    'changes no credential through $path',
    async ({ method, path }) => {
      const { userId, passkeyId, browser } = await signedIn();
      if (/disable|generate-backup-codes/.test(path)) await turnOnTwoFactor(browser);
      await ageSessions(userId);
      const before = await credentialsOf(userId);
      const body = { id: passkeyId, code: '000000', response: {}, newPassword: 'another correct horse' };
      const guess = { password: 'wrong one', currentPassword: 'wrong one' };
      const { status, body: answer } =
        method === 'GET' ? await browser.get(path) : await browser.post(path, { ...body, ...guess });
      const expected =
        ENDPOINTS[path] === 'password' ? [400, 'INVALID_PASSWORD'] : [403, 'SESSION_NOT_FRESH'];
      expect([status, answer.code]).toEqual(expected);
      expect(await credentialsOf(userId)).toEqual(before);
      expect(await browser.isSignedIn()).toBe(true);
    },
  );

  it.each(Object.entries(MUTATIONS).flatMap(([name, rule]) => (rule === 'recent' ? [name] : [])))(
    "changes nobody's credentials through %s",
    async (name) => {
      const { browser } = await withOldSession('OWNER');
      const { email, userId } = await signedIn();
      const before = await credentialsOf(userId);
      const { errors } = await browser.ask(HELP(name), { email });
      expect(errors[0]?.extensions.code).toBe('SESSION_NOT_FRESH');
      expect(await credentialsOf(userId)).toEqual(before);
      await browser.post('/confirm-password', { password: PASSWORD });
      expect((await browser.ask(HELP(name), { email })).errors).toEqual([]);
    },
  );

  it('is replaced once the password is confirmed, so that a copy of its cookie ends', async () => {
    const { userId, passkeyId, browser } = await withOldSession();
    const thief = browser.copy();
    expect((await browser.post('/confirm-password', { password: 'wrong one' })).body.code).toBe(
      'INVALID_PASSWORD',
    );
    expect((await tryPasskey(browser)).status).toBe(403);
    expect((await browser.post('/confirm-password', { password: PASSWORD })).status).toBe(200);
    expect((await tryPasskey(browser)).status).toBe(200);
    expect(await thief.isSignedIn()).toBe(false);
    expect(await app.database.session.count({ where: { userId } })).toBe(1);
    expect((await browser.post('/passkey/delete-passkey', { id: passkeyId })).status).toBe(200);
    expect((await credentialsOf(userId)).passkeys).toEqual([]);
  });

  it('is replaced once a second factor is confirmed', async () => {
    const { userId, browser } = await withOldSession();
    // Asks for the password, so that the session is recent for the first code.
    const { uri, recoveryCode } = await turnOnTwoFactor(browser);
    for (const [path, code] of [
      ['/two-factor/verify-totp', totpOf(uri, 1)],
      ['/two-factor/verify-backup-code', recoveryCode],
    ] as const) {
      await ageSessions(userId);
      const thief = browser.copy();
      expect((await browser.post(path, { code: '000000' })).status).toBe(401);
      expect((await tryPasskey(browser)).status).toBe(403);
      expect((await browser.post(path, { code })).status).toBe(200);
      expect((await tryPasskey(browser)).status).toBe(200);
      expect(await thief.isSignedIn()).toBe(false);
    }
  });

  it('cannot guess the password without limit', async () => {
    const { browser } = await withOldSession();
    const statuses = [];
    for (let i = 0; i < 12; i++)
      statuses.push((await browser.post('/confirm-password', { password: 'wrong one' })).status);
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(400));
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('a passkey that a thief has added', () => {
  it('ends with a password reset, as the mail about it says', async () => {
    const { email, userId, browser } = await signedIn();
    await browser.ask(
      'mutation($email: String!) { passwordResetRequest(input: { email: $email }) { userErrors { code } } }',
      { email },
    );
    const token = await resetToken(email);
    const reset = { token, newPassword: 'another correct horse' };
    expect((await new AccountBrowser(app).post('/reset-password', reset)).status).toBe(200);
    expect((await credentialsOf(userId)).passkeys).toEqual([]);
    expect(await browser.isSignedIn()).toBe(false);
    expect(await readMail(email, 'Your password was reset')).toContain('All passkeys were removed');
  });

  it.each([
    ['accountPasswordResetSend', 'Reset your password'],
    ['accountTwoFactorRemove', 'Two-factor authentication turned off'],
  ])('ends with the help of an operator by %s, with all sessions', async (mutation, subject) => {
    const { email, userId, browser } = await signedIn();
    await turnOnTwoFactor(browser);
    const { data } = await app.graphql(HELP(mutation), { email });
    expect(data[mutation].userErrors).toEqual([]);
    expect((await credentialsOf(userId)).passkeys).toEqual([]);
    expect(await browser.isSignedIn()).toBe(false);
    expect(await readMail(email, subject)).toContain('passkeys');
  });
});

/** The newest mail to an address with this subject, with its link. */
async function readMail(recipient: string, subject: string): Promise<string> {
  const mail = await eventually(() =>
    app.database.mail.findFirst({ where: { recipient, subject }, orderBy: { id: 'desc' } }),
  );
  const reader = await app.signIn('OWNER');
  return (await fetch(`${app.url}/mailbox/${mail.id}`, { headers: reader })).text();
}

async function resetToken(email: string): Promise<string> {
  return /reset-password#([\w-]+)/.exec(await readMail(email, 'Reset your password'))?.[1] ?? '';
}
