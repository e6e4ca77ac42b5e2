import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MailSender } from '../src/features/people/delivery/mail-sender.js';
import { brandPage } from '../src/platform/http/console.routes.js';
import { cleanLogo } from '../src/platform/installation/logo.js';
import { makePng } from './support/png.js';
import { startTestApp, type TestApp } from './support/test-app.js';

const UPDATE = `mutation($input: InstallationUpdateInput!) { installationUpdate(input: $input) {
  installation { productName accent logo version } userErrors { code field message } } }`;

/** One transparent pixel. */
const PNG = makePng({ width: 1, colorType: 6 }).toString('base64');

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const update = async (input: object, headers?: Record<string, string>) =>
  app.graphql(UPDATE, { input }, headers);

describe('company and brand', () => {
  it('are changed by owners, with an audit entry', async () => {
    const { data } = await update({
      expectedVersion: 1,
      productName: 'Acme <Cloud>',
      accent: '#1C5FD4',
      logo: PNG,
      companyName: 'Acme Inc.',
      address: 'Main Street 1\n10115 Berlin',
      taxId: 'DE123456789',
    });
    expect(data.installationUpdate).toEqual({
      installation: {
        productName: 'Acme <Cloud>',
        accent: '#1c5fd4',
        logo: '/api/brand/logo.png?v=2',
        version: 2,
      },
      userErrors: [],
    });
    const billing = await app.signIn('BILLING');
    const refused = await update({ expectedVersion: 2, productName: 'Mine' }, billing);
    expect(refused.errors[0]?.extensions.code).toBe('FORBIDDEN');
    const entry = await app.database.auditEntry.findFirst({ where: { action: 'installation.update' } });
    expect(entry?.after).toMatchObject({
      productName: 'Acme <Cloud>',
      logo: expect.stringMatching(/^\d+ bytes$/),
    });
  });

  it('are rejected with a stale version, a low contrast, a bad logo or a bad origin', async () => {
    const refusedBy = async (input: object) =>
      (await update(input)).data.installationUpdate.userErrors.map(
        ({ field, message }: { field: string[]; message: string }) => `${field}: ${message}`,
      );
    expect(await refusedBy({ expectedVersion: 1, taxId: 'x' })).toEqual([
      expect.stringContaining('changed in the meantime'),
    ]);
    expect(
      await refusedBy({
        expectedVersion: 2,
        accent: '#ffcc00',
        embedOrigins: ["https://a.example; script-src 'unsafe-inline'", 'https://a.example/path'],
      }),
    ).toEqual([
      expect.stringContaining('accent: Contrast is too low: white text on buttons 1.5:1'),
      expect.stringContaining('embedOrigins,0: Enter an origin'),
      expect.stringContaining('embedOrigins,1: Enter an origin'),
    ]);
    expect(
      await refusedBy({ expectedVersion: 2, logo: deflateSync(Buffer.from('x')).toString('base64') }),
    ).toEqual(['logo: The logo must be a PNG.']);
    const hostile = makePng({ width: 8, colorType: 6, filter: 9 }).toString('base64');
    expect(await refusedBy({ expectedVersion: 2, logo: hostile })).toEqual(['logo: The PNG is damaged.']);
  });

  it('appear in the page, in mails and at the address of the logo', async () => {
    const html = brandPage(
      '<html><head><title>Tollgate</title><link rel="icon" href="/favicon.svg"></head></html>',
      { productName: 'Acme <Cloud>', accent: '#1c5fd4', logo: '/api/brand/logo.png?v=2' },
    );
    expect(html).toContain(
      '<title>Acme &lt;Cloud&gt;</title><link rel="icon" href="/api/brand/logo.png?v=2">',
    );
    expect(html).toContain('<meta name="tollgate-brand" content="{&quot;productName&quot;:&quot;Acme');
    const mail = { body: 'Hello\n', invitationId: null, resetUserId: null } as Parameters<
      MailSender['textOf']
    >[0];
    const text = await app.app.get(MailSender, { strict: false }).textOf(mail);
    expect(text).toBe('Hello\n\n-- \nAcme Inc.\nMain Street 1\n10115 Berlin\n');
    const logo = await fetch(`${app.url}/api/brand/logo.png?v=2`);
    expect([logo.status, logo.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await logo.arrayBuffer())).toEqual(cleanLogo(Buffer.from(PNG, 'base64')));
  });
});
