import { eventually, launchBrowser } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM_ACTOR } from '../src/platform/access/actor.js';
import { ChangeRunner } from '../src/platform/changes/change.js';
import { newId } from '../src/platform/ids.js';
import { startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;
let owner: Record<string, string>;

beforeAll(async () => {
  app = await startTestApp({ MAIL_TRANSPORT: 'mailbox' });
  owner = await app.signIn('OWNER');
});

afterAll(() => app.stop());

const get = async (path: string, headers: Record<string, string>) => {
  const response = await fetch(app.url + path, { headers });
  return { status: response.status, text: await response.text() };
};

describe('the mailbox page', () => {
  it('shows an empty state', async () => {
    expect(await get('/mailbox', owner)).toMatchObject({
      status: 200,
      text: expect.stringContaining('No mail yet'),
    });
  });

  it('shows unsent mails as text, not as HTML', async () => {
    const caller = { actor: SYSTEM_ACTOR, requestId: newId('request') };
    const data = { nodeId: '<script>alert(1)</script>', link: 'http://127.0.0.1/x?a=1&b="2"' };
    await app.app
      .get(ChangeRunner, { strict: false })
      .run(caller, { reason: null }, (change) => change.notify({ kind: 'node.stale', data }));
    const list = await eventually(async () => {
      const page = await get('/mailbox', owner);
      return page.text.includes('Node &lt;script&gt;') && page.text;
    });
    const path = /href="(\/mailbox\/mail_[0-9a-f]+)"/.exec(list)?.[1] ?? '';
    const mail = await get(path, owner);
    expect(mail.text).not.toContain('<script>');
    // Only the link of the installation is one.
    expect(mail.text).toContain('x?a=1&amp;b=');
    expect(mail.text.match(/href="http[^"]*"/g)).toEqual([expect.stringContaining('/nodes')]);
  });

  it('shows a display name that looks like a template as text', async () => {
    const mails = ['{{invitation zz}}', '{{invitation key1:AAAA}}'].map((name) => ({
      id: newId('mail'),
      recipient: 'reader@example.com',
      subject: `${name} invited you to Acme`,
      body: `${name} invited you to Acme as viewer.`,
    }));
    await app.database.mail.createMany({ data: mails });
    for (const { id, body } of mails) {
      expect(await get(`/mailbox/${id}`, owner)).toMatchObject({
        status: 200,
        text: expect.stringContaining(`<pre>${body}</pre>`),
      });
    }
  });

  it.each(['LIMITS_ADMIN', 'SUPPORT', 'AUDITOR', 'BILLING', 'VIEWER'] as const)(
    'returns 403 for an operator with the role %s, because links in mails grant access',
    async (role) => {
      expect((await get('/mailbox', await app.signIn(role))).status).toBe(403);
    },
  );

  it('returns 403 for a service token with the scope read', async () => {
    const reader = await app.bearer(['read']);
    for (const path of ['/mailbox', '/mailbox/mail_1', '/mailbox/style.css'])
      expect((await get(path, reader)).status).toBe(403);
  });

  it('requires sign-in, and does not exist if mail is sent', async () => {
    expect((await get('/mailbox', {})).status).toBe(401);
    const other = await startTestApp();
    const response = await fetch(`${other.url}/mailbox`, { headers: await other.signIn('OWNER') });
    expect(response.status).toBe(404);
    await other.stop();
  });

  it('is readable on a phone', async () => {
    const browser = await launchBrowser({ viewport: { width: 390, height: 800 } });
    try {
      const page = await browser.context.newPage();
      await page.setExtraHTTPHeaders({ cookie: owner.cookie ?? '' });
      await page.goto(`${app.url}/mailbox`);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      if (process.env.SCREENSHOTS !== undefined) {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await page.screenshot({ path: `${process.env.SCREENSHOTS}/mailbox-${colorScheme}.png` });
        }
      }
    } finally {
      await browser.close();
    }
  });
});
