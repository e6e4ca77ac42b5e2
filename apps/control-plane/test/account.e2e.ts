import { eventually } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthService } from '../src/features/identity/index.js';
import type { OperatorRole } from '../src/platform/prisma/schema.js';
import { AccountBrowser, BROWSER_ORIGIN } from './support/account-browser.js';
import { createPolicy } from './support/policy-factory.js';
import { PASSWORD, startTestApp, type TestApp } from './support/test-app.js';
import { totpOf } from './support/totp.js';

const NEW_PASSWORD = 'another correct horse';

let app: TestApp;
let owner: Record<string, string>;

beforeAll(async () => {
  app = await startTestApp({
    MAIL_TRANSPORT: 'mailbox',
    PUBLIC_URL: BROWSER_ORIGIN,
    TRUSTED_PROXY_HOPS: '1',
  });
  await createPolicy(app);
  owner = await app.signIn('OWNER');
});
afterAll(() => app.stop());

let people = 0;

/** A browser of this suite. */
class Browser extends AccountBrowser {
  constructor(address?: string) {
    super(app, address);
  }
}

async function createAccount(role: OperatorRole | null = null): Promise<string> {
  const email = `person-${++people}@example.com`;
  const auth = app.app.get(AuthService, { strict: false });
  await auth.ensureOperator({ email, name: 'Person', role, password: PASSWORD });
  return email;
}

async function signedIn(role: OperatorRole | null = null) {
  const email = await createAccount(role);
  const browser = new Browser();
  expect((await browser.signIn(email)).status).toBe(200);
  return { email, browser };
}

async function withTwoFactor(role: OperatorRole | null = null) {
  const { email, browser } = await signedIn(role);
  const { body } = await browser.post('/two-factor/enable', { password: PASSWORD });
  const uri: string = body.totpURI;
  expect((await browser.post('/two-factor/verify-totp', { code: totpOf(uri) })).status).toBe(200);
  return { email, browser, uri, codes: body.backupCodes as string[] };
}

async function auditedActions(email: string): Promise<string[]> {
  const entries = await app.database.auditEntry.findMany({ orderBy: { sequence: 'asc' } });
  return entries.filter((entry) => JSON.stringify(entry.after)?.includes(email)).map(({ action }) => action);
}

/** The newest mail to an address with this subject, with its link. */
async function readMail(recipient: string, subject: string): Promise<string> {
  const mail = await eventually(() =>
    app.database.mail.findFirst({ where: { recipient, subject }, orderBy: { id: 'desc' } }),
  );
  return (await fetch(`${app.url}/mailbox/${mail.id}`, { headers: owner })).text();
}

const requestReset = (email: string, browser = new Browser()) =>
  browser.ask(
    'mutation($email: String!) { passwordResetRequest(input: { email: $email }) { userErrors { message } } }',
    {
      email,
    },
  );

async function resetToken(email: string): Promise<string> {
  return /reset-password#([\w-]+)/.exec(await readMail(email, 'Reset your password'))?.[1] ?? '';
}

describe('changing the password', () => {
  it('requires the current password', async () => {
    const { browser } = await signedIn();
    const wrong = await browser.post('/change-password', {
      currentPassword: 'wrong one',
      newPassword: NEW_PASSWORD,
    });
    expect([wrong.status, wrong.body.code]).toEqual([400, 'INVALID_PASSWORD']);
  });

  it('ends all other sessions but the current one, with an audit entry and a mail', async () => {
    const { email, browser } = await signedIn();
    const other = new Browser();
    await other.signIn(email);
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD, revokeOtherSessions: false };
    expect((await browser.post('/change-password', change)).status).toBe(200);
    expect([await browser.isSignedIn(), await other.isSignedIn()]).toEqual([true, false]);
    expect((await new Browser().signIn(email)).status).toBe(401);
    expect((await new Browser().signIn(email, NEW_PASSWORD)).status).toBe(200);
    expect(await auditedActions(email)).toEqual(['account.passwordChange']);
    expect(await readMail(email, 'Your password was changed')).toContain('/forgot-password');
  });

  it('limits guesses at the current password', async () => {
    const { browser } = await signedIn();
    const guess = { currentPassword: 'wrong one', newPassword: NEW_PASSWORD };
    const statuses = [];
    for (let i = 0; i < 12; i++) statuses.push((await browser.post('/change-password', guess)).status);
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(400));
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('resetting the password', () => {
  it('sets a new password once with a link from a mail, and ends all sessions', async () => {
    const { email, browser } = await signedIn();
    await requestReset(email);
    const token = await resetToken(email);
    const reset = { token, newPassword: NEW_PASSWORD };
    const mailReader = new Browser();
    expect((await mailReader.post('/reset-password', reset)).status).toBe(200);
    expect((await new Browser().post('/reset-password', reset)).body.code).toBe('INVALID_TOKEN');
    expect(await browser.isSignedIn()).toBe(false);
    expect((await new Browser().signIn(email, NEW_PASSWORD)).status).toBe(200);
    expect(await auditedActions(email)).toEqual(['account.passwordResetRequest', 'account.passwordReset']);
    expect(await readMail(email, 'Your password was reset')).toContain('/forgot-password');
  });

  it('returns the same response for an unknown address, and sends nothing', async () => {
    const email = await createAccount();
    const known = await requestReset(email);
    const unknown = await requestReset('nobody@example.com');
    expect(unknown).toEqual(known);
    expect(known.data.passwordResetRequest.userErrors).toEqual([]);
    await readMail(email, 'Reset your password');
    expect(await app.database.mail.count({ where: { recipient: 'nobody@example.com' } })).toBe(0);
  });

  it('keeps the token out of the database, notices and the audit log', async () => {
    const email = await createAccount();
    await requestReset(email);
    const token = await resetToken(email);
    expect(token).toMatch(/^\w{24}$/);
    const { mail, notice, auditEntry, verification } = app.database;
    const stored = [
      mail.findMany(),
      notice.findMany(),
      auditEntry.findMany(),
      verification.findMany(),
    ] as const;
    const text = JSON.stringify(await Promise.all(stored), (_, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    );
    expect(text).toContain(email);
    expect(text).not.toContain(token);
  });

  it('rejects an expired link', async () => {
    const email = await createAccount();
    await requestReset(email);
    const token = await resetToken(email);
    await app.database.verification.updateMany({ data: { expiresAt: new Date() } });
    const reset = await new Browser().post('/reset-password', { token, newPassword: NEW_PASSWORD });
    expect(reset.body.code).toBe('INVALID_TOKEN');
  });

  it('lets the owner sign in although attackers guess the password', async () => {
    const email = await createAccount();
    for (let i = 0; i < 12; i++) await new Browser(`192.0.2.${i}`).signIn(email, 'wrong one');
    const mailReader = new Browser();
    expect((await mailReader.signIn(email)).status).toBe(429);
    await requestReset(email);
    const token = await resetToken(email);
    await mailReader.post('/reset-password', { token, newPassword: NEW_PASSWORD });
    expect((await mailReader.signIn(email, NEW_PASSWORD)).status).toBe(200);
  });

  it('limits requests equally with and without an account', async () => {
    for (const email of [await createAccount(), 'nobody-else@example.com']) {
      const codes = [];
      for (let i = 0; i < 4; i++) {
        const { errors } = await requestReset(email, new Browser(`192.0.2.${100 + i}`));
        codes.push(errors[0]?.extensions.code);
      }
      expect(codes).toEqual([undefined, undefined, undefined, 'THROTTLED']);
    }
  });
});

describe('sessions', () => {
  const LIST = '{ accountSecurity { sessions { id userAgent ipAddress lastUsedAt isCurrent } } }';

  it('are listed with device, address and last use, without their tokens', async () => {
    const { email, browser } = await signedIn();
    const other = new Browser();
    await other.signIn(email);
    const { data } = await browser.ask(LIST);
    const { sessions } = data.accountSecurity;
    expect(sessions).toHaveLength(2);
    expect(sessions.filter(({ isCurrent }: { isCurrent: boolean }) => isCurrent)).toEqual([
      expect.objectContaining({ userAgent: 'Test browser', ipAddress: browser.address }),
    ]);
    const rows = await app.database.session.findMany();
    for (const { token } of rows) expect(JSON.stringify(data)).not.toContain(token);
  });

  it('are revoked individually, or all except the current one', async () => {
    const { email, browser } = await signedIn();
    const [first, second, third] = [new Browser(), new Browser(), new Browser()] as const;
    for (const other of [first, second, third]) await other.signIn(email);
    const { data } = await first.ask(LIST);
    const { id } = data.accountSecurity.sessions.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent);
    const revoke = 'mutation($id: ID!) { sessionRevoke(input: { id: $id }) { revoked userErrors { code } } }';
    const stranger = (await signedIn()).browser;
    expect((await stranger.ask(revoke, { id })).data.sessionRevoke).toEqual({
      revoked: 0,
      userErrors: [{ code: 'NOT_FOUND' }],
    });
    expect((await browser.ask(revoke, { id })).data.sessionRevoke).toEqual({ revoked: 1, userErrors: [] });
    expect(await first.isSignedIn()).toBe(false);
    const all = await browser.ask('mutation { sessionRevokeOthers(input: {}) { revoked } }');
    expect(all.data.sessionRevokeOthers.revoked).toBe(2);
    expect(await second.isSignedIn()).toBe(false);
    expect(await browser.isSignedIn()).toBe(true);
  });

  it('record their last use', async () => {
    const { email, browser } = await signedIn();
    const old = new Date(Date.now() - 3_600_000);
    const { id: userId } = await app.database.user.findUniqueOrThrow({ where: { email } });
    await app.database.session.updateMany({ where: { userId }, data: { updatedAt: old } });
    await browser.isSignedIn();
    const { updatedAt } = await app.database.session.findFirstOrThrow({ where: { userId } });
    expect(updatedAt.getTime()).toBeGreaterThan(old.getTime() + 3_000_000);
  });
});

describe('two-factor authentication', () => {
  it('is enabled by a valid code, and required at the next sign-in', async () => {
    const { email, browser } = await signedIn();
    const enabled = await browser.post('/two-factor/enable', { password: PASSWORD });
    const uri: string = enabled.body.totpURI;
    expect((await new Browser().signIn(email)).body.twoFactorRedirect).toBeUndefined();
    expect((await browser.post('/two-factor/verify-totp', { code: '000000' })).status).toBe(401);
    expect((await browser.post('/two-factor/verify-totp', { code: totpOf(uri) })).status).toBe(200);
    expect(await browser.isSignedIn()).toBe(true);
    const next = new Browser();
    expect((await next.signIn(email)).body).toEqual({ twoFactorRedirect: true, twoFactorMethods: ['totp'] });
    expect(await next.isSignedIn()).toBe(false);
    expect((await next.post('/two-factor/verify-totp', { code: totpOf(uri, 1) })).status).toBe(200);
    expect(await next.isSignedIn()).toBe(true);
    expect(await auditedActions(email)).toEqual(['account.twoFactorEnable']);
    await readMail(email, 'Two-factor authentication turned on');
  });

  it('gives a device no separate bucket before the second factor', async () => {
    const { email } = await withTwoFactor();
    const attacker = new Browser();
    await attacker.signIn(email);
    expect(attacker.headers.cookie).not.toContain('tollgate.device-');
    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) {
      if (i % 4 === 0) await attacker.signIn(email);
      statuses.push((await attacker.post('/two-factor/verify-totp', { code: '000000' })).status);
    }
    expect(statuses.slice(0, 5)).toEqual(Array(5).fill(401));
    expect(statuses.at(-1)).toBe(429);
  });

  it('accepts each recovery code once in any spelling, and stores only hashes', async () => {
    const { email, codes } = await withTwoFactor();
    expect(codes).toHaveLength(10);
    const [code = ''] = codes;
    const { backupCodes } = await app.database.twoFactor.findFirstOrThrow({ where: { user: { email } } });
    for (const one of codes) expect(backupCodes).not.toContain(one);
    const browser = new Browser();
    await browser.signIn(email);
    const typed = code.toUpperCase().replace('-', ' ');
    expect((await browser.post('/two-factor/verify-backup-code', { code: typed })).status).toBe(200);
    const { data } = await browser.ask('{ accountSecurity { twoFactorEnabled recoveryCodesLeft } }');
    expect(data.accountSecurity).toEqual({ twoFactorEnabled: true, recoveryCodesLeft: 9 });
    const again = new Browser();
    await again.signIn(email);
    for (const used of [code, JSON.parse(backupCodes)[1]])
      expect((await again.post('/two-factor/verify-backup-code', { code: used })).status).toBe(401);
    await readMail(email, 'A recovery code was used');
  });

  it('replaces all recovery codes', async () => {
    const { email, browser, codes } = await withTwoFactor();
    expect((await browser.post('/two-factor/generate-backup-codes', { password: 'wrong one' })).status).toBe(
      400,
    );
    const { body } = await browser.post('/two-factor/generate-backup-codes', { password: PASSWORD });
    const next = new Browser();
    await next.signIn(email);
    expect((await next.post('/two-factor/verify-backup-code', { code: codes[0] })).status).toBe(401);
    expect((await next.post('/two-factor/verify-backup-code', { code: body.backupCodes[0] })).status).toBe(
      200,
    );
  });

  it('is skipped on a trusted device until the password changes', async () => {
    const { email, browser, uri } = await withTwoFactor();
    const trusted = new Browser();
    await trusted.signIn(email);
    await trusted.post('/two-factor/verify-totp', { code: totpOf(uri, 1), trustDevice: true });
    await trusted.post('/sign-out');
    expect((await trusted.signIn(email)).body.twoFactorRedirect).toBeUndefined();
    await browser.post('/change-password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
    expect((await trusted.signIn(email, NEW_PASSWORD)).body.twoFactorRedirect).toBe(true);
  });

  it('is disabled with the password', async () => {
    const { email, browser } = await withTwoFactor();
    expect((await browser.post('/two-factor/disable', { password: 'wrong one' })).status).toBe(400);
    expect((await browser.post('/two-factor/disable', { password: PASSWORD })).status).toBe(200);
    expect((await new Browser().signIn(email)).body.twoFactorRedirect).toBeUndefined();
    expect(await auditedActions(email)).toEqual(['account.twoFactorEnable', 'account.twoFactorDisable']);
    await readMail(email, 'Two-factor authentication turned off');
  });

  it('is still required after a password reset', async () => {
    const { email } = await withTwoFactor();
    await requestReset(email);
    const token = await resetToken(email);
    await new Browser().post('/reset-password', { token, newPassword: NEW_PASSWORD });
    expect((await new Browser().signIn(email, NEW_PASSWORD)).body.twoFactorRedirect).toBe(true);
  });
});

describe('a one-time secret', () => {
  const atOnce = <T>(use: () => Promise<T>) => Promise.all(Array.from({ length: 5 }, use));

  /** Browsers that have entered the password of an account with a second factor. */
  async function challenged(email: string) {
    const browsers = Array.from({ length: 5 }, () => new Browser());
    for (const browser of browsers) await browser.signIn(email);
    return browsers;
  }

  const statusesOf = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();

  it('signs in once as a code of the app, in this step and in later ones', async () => {
    const { email, uri } = await withTwoFactor();
    const code = totpOf(uri, 1);
    const browsers = await challenged(email);
    const answers = await Promise.all(
      browsers.map((browser) => browser.post('/two-factor/verify-totp', { code })),
    );
    expect(statusesOf(answers)).toEqual([200, 401, 401, 401, 401]);
    expect(answers.find(({ status }) => status === 401)?.body.code).toBe('CODE_ALREADY_USED');
  });

  it('signs nobody in as the code that set up the app, or as an older one', async () => {
    const { email, uri } = await withTwoFactor();
    const browser = new Browser();
    await browser.signIn(email);
    for (const later of [0, -1]) {
      const { status, body } = await browser.post('/two-factor/verify-totp', { code: totpOf(uri, later) });
      expect([status, body.code]).toEqual([401, 'CODE_ALREADY_USED']);
    }
    expect((await browser.post('/two-factor/verify-totp', { code: totpOf(uri, 1) })).status).toBe(200);
  });

  it('confirms a session once as a code of the app', async () => {
    const { browser, uri } = await withTwoFactor();
    const code = totpOf(uri, 1);
    expect((await browser.post('/two-factor/verify-totp', { code })).status).toBe(200);
    expect((await browser.post('/two-factor/verify-totp', { code })).body.code).toBe('CODE_ALREADY_USED');
  });

  it('keeps its next use if guesses are over their limit', async () => {
    const { email, uri } = await withTwoFactor();
    const attacker = new Browser();
    await attacker.signIn(email);
    for (let i = 0; i < 8; i++) await attacker.post('/two-factor/verify-totp', { code: '000000' });
    expect((await attacker.post('/two-factor/verify-totp', { code: totpOf(uri, 1) })).status).toBe(429);
    const { lastUsedStep } = await app.database.twoFactor.findFirstOrThrow({ where: { user: { email } } });
    expect(lastUsedStep).toBeLessThanOrEqual(Math.floor(Date.now() / 30_000));
  });

  it('signs in once as a recovery code', async () => {
    const { email, codes } = await withTwoFactor();
    const browsers = await challenged(email);
    const answers = await Promise.all(
      browsers.map((browser) => browser.post('/two-factor/verify-backup-code', { code: codes[0] })),
    );
    expect(statusesOf(answers).filter((status) => status === 200)).toEqual([200]);
  });

  it('sets a password once as the token of a reset', async () => {
    const email = await createAccount();
    await requestReset(email);
    const token = await resetToken(email);
    const answers = await atOnce(() =>
      new Browser().post('/reset-password', { token, newPassword: NEW_PASSWORD }),
    );
    expect(statusesOf(answers)).toEqual([200, 400, 400, 400, 400]);
  });
});

describe('help for a locked-out user', () => {
  const REMOVE = `mutation($email: String!, $reason: String) {
    accountTwoFactorRemove(input: { email: $email, reason: $reason }) { email userErrors { code field message } } }`;
  const SEND = `mutation($email: String!, $reason: String) {
    accountPasswordResetSend(input: { email: $email, reason: $reason }) { email userErrors { code field } } }`;
  const reason = 'Lost the phone';

  it('removes the second factor of a member with a reason, and emails the member', async () => {
    const { email } = await withTwoFactor();
    const support = await app.signIn('SUPPORT');
    const without = await app.graphql(REMOVE, { email }, support);
    expect(without.data.accountTwoFactorRemove.userErrors).toMatchObject([{ field: ['reason'] }]);
    const { data } = await app.graphql(REMOVE, { email, reason }, support);
    expect(data.accountTwoFactorRemove).toEqual({ email, userErrors: [] });
    expect((await new Browser().signIn(email)).body.twoFactorRedirect).toBeUndefined();
    expect(await auditedActions(email)).toEqual(['account.twoFactorEnable', 'account.twoFactorDisable']);
    expect(await readMail(email, 'Two-factor authentication turned off')).toContain('Changed by: support-');
  });

  it('sends the reset link only to the account', async () => {
    const email = await createAccount();
    const support = await app.signIn('SUPPORT');
    const answer = await app.graphql(SEND, { email, reason }, support);
    expect(answer.data.accountPasswordResetSend).toEqual({ email, userErrors: [] });
    const token = await resetToken(email);
    expect(JSON.stringify(answer)).not.toContain(token);
    expect((await new Browser().post('/reset-password', { token, newPassword: NEW_PASSWORD })).status).toBe(
      200,
    );
  });

  it('requires operators:write for an operator', async () => {
    const { email } = await withTwoFactor('OWNER');
    const support = await app.signIn('SUPPORT');
    for (const [query, name] of [
      [REMOVE, 'accountTwoFactorRemove'],
      [SEND, 'accountPasswordResetSend'],
    ] as const) {
      const { data } = await app.graphql(query, { email, reason }, support);
      expect(data[name]).toMatchObject({ email: null, userErrors: [{ code: 'INVALID', field: ['email'] }] });
    }
    expect(
      (await app.graphql(REMOVE, { email, reason }, owner)).data.accountTwoFactorRemove.userErrors,
    ).toEqual([]);
  });

  it('requires every permission of the role of an operator, also of a service token', async () => {
    const help = await app.bearer(['members:write', 'operators:write']);
    const ownerEmail = await createAccount('OWNER');
    for (const query of [REMOVE, SEND]) {
      const { data } = await app.graphql(query, { email: ownerEmail, reason }, help);
      expect(Object.values(data)).toMatchObject([
        { email: null, userErrors: [{ code: 'INVALID', field: ['email'] }] },
      ]);
    }
    expect(await auditedActions(ownerEmail)).toEqual([]);
    const member = await createAccount();
    const { data } = await app.graphql(SEND, { email: member, reason }, help);
    expect(data.accountPasswordResetSend).toEqual({ email: member, userErrors: [] });
  });

  it('is denied to members of the tenant', async () => {
    const { id } = await app.database.tenant.findUniqueOrThrow({ where: { key: 'acme' } });
    const member = await app.signInMember(id, 'OWNER');
    const { errors } = await app.graphql(REMOVE, { email: await createAccount(), reason }, member);
    expect(errors[0]?.extensions.code).toBe('FORBIDDEN');
  });
});
