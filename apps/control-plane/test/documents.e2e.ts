import { extractText } from 'unpdf';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { BillingDocument } from '../src/features/commerce/documents/document.js';
import { BillingDocuments } from '../src/features/commerce/documents/documents.controller.js';
import { renderOnThread } from '../src/features/commerce/documents/pdf-thread.js';
import { ApiError } from '../src/platform/api-error.js';
import { Installation } from '../src/platform/installation/installation.js';
import { Log } from '../src/platform/log.js';
import { makePng } from './support/png.js';
import { type Shop, startShop, TOPUP, UPGRADE } from './support/shop.js';
import type { TestApp } from './support/test-app.js';

let app: TestApp;
let shop: Shop;

beforeAll(async () => {
  ({ app, shop } = await startShop());
});
afterAll(() => app.stop());

const getPdf = (path: string, headers: Record<string, string>) => fetch(`${app.url}${path}`, { headers });

async function readPdf(bytes: ArrayBuffer | Buffer): Promise<string> {
  const { text } = await extractText(new Uint8Array(bytes), { mergePages: true });
  return text.replace(/\s+/g, ' ');
}

const setDetails = (input: object, headers?: Record<string, string>) =>
  app.graphql(
    `mutation($input: BillingDetailsSetInput!) { billingDetailsSet(input: $input) {
      billingDetails { name taxId version } userErrors { code field } } }`,
    { input: { tenantKey: 'acme', ...input } },
    headers,
  );

const setCompany = (input: object) =>
  app.graphql(
    'mutation($input: InstallationUpdateInput!) { installationUpdate(input: $input) { userErrors { message } } }',
    { input },
  );

describe('documents at once', () => {
  it('are two for a person, while others get theirs', async () => {
    const documents = app.app.get(BillingDocuments, { strict: false });
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    const find = vi.spyOn(documents, 'ofInvoice').mockImplementation(async () => {
      await isReleased;
      throw new ApiError('NOT_FOUND', 'Document not found.');
    });
    const [one, other] = [await app.signIn('BILLING'), await app.signIn('BILLING')];
    const pending = [getPdf('/api/invoices/inv_1.pdf', one), getPdf('/api/invoices/inv_1.pdf', one)];
    await expect.poll(() => find.mock.calls.length).toBe(2);
    expect((await getPdf('/api/invoices/inv_1.pdf', one)).status).toBe(503);
    const others = getPdf('/api/invoices/inv_1.pdf', other);
    await expect.poll(() => find.mock.calls.length).toBe(3);
    release();
    const statuses = (await Promise.all([...pending, others])).map(({ status }) => status);
    expect(statuses).toEqual([404, 404, 404]);
    find.mockRestore();
  });
});

describe('an invoice as PDF', () => {
  it('has the total of the invoice, tax, both parties and dates in the zone of the tenant', async () => {
    const { id: tenantId } = await app.database.tenant.findUniqueOrThrow({ where: { key: 'acme' } });
    await app.database.tenant.update({ where: { id: tenantId }, data: { timeZone: 'Pacific/Kiritimati' } });
    const company = {
      companyName: 'Größe & Söhne GmbH',
      address: 'Straße 1\n10115 Berlin',
      taxId: 'DE123456789',
    };
    await setCompany({ expectedVersion: 1, ...company, taxLabel: 'VAT', taxBasisPoints: 1900 });
    const buyer = await app.signInMember(tenantId, 'BUYER');
    const details = {
      expectedVersion: 0,
      name: '株式会社 Ромашка',
      taxId: 'RU7707083893',
      email: 'a@example.com',
    };
    expect((await setDetails(details, buyer)).data.billingDetailsSet).toEqual({
      billingDetails: { name: '株式会社 Ромашка', taxId: 'RU7707083893', version: 1 },
      userErrors: [],
    });
    await shop.order(TOPUP, { provider: 'INVOICE', quantity: 3 });
    const invoice = await app.database.invoice.findFirstOrThrow();
    await app.database.invoice.update({
      where: { id: invoice.id },
      data: { issuedAt: new Date('2026-11-20T12:00:00Z') },
    });
    const path = `/api/invoices/${invoice.id}.pdf`;
    const response = await getPdf(path, buyer);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    const text = await readPdf(await response.arrayBuffer());
    expect(Number(invoice.amountMinor)).toBe(2700);
    for (const part of [
      `Invoice ${invoice.number}`,
      'Issued 21 November 2026',
      'Größe & Söhne GmbH',
      'Tax ID DE123456789',
      '株式会社 Ромашка',
      'Tax ID RU7707083893',
      'Pack of 500 3 €9.00 €27.00',
      'Net €22.69',
      'VAT 19 % included €4.31',
      'Total €27.00',
    ])
      expect(text).toContain(part);
    // Issued invoices keep the details of their date.
    await setCompany({ expectedVersion: 2, companyName: 'Renamed Ltd' });
    const again = await readPdf(await (await getPdf(path, buyer)).arrayBuffer());
    expect(again).toContain('Größe & Söhne GmbH');
    expect(again).not.toContain('Renamed');
  });

  it('is not found by another tenant, by roles without the permission and under another name', async () => {
    const { id } = await app.database.invoice.findFirstOrThrow();
    const tenants = await app.database.tenant.findMany();
    const acme = tenants.find(({ key }) => key === 'acme')?.id ?? '';
    await shop.createTenant('other');
    const { id: otherId } = await app.database.tenant.findUniqueOrThrow({ where: { key: 'other' } });
    const path = `/api/invoices/${id}.pdf`;
    const stranger = await app.signInMember(otherId, 'OWNER');
    expect((await getPdf(path, stranger)).status).toBe(404);
    expect((await getPdf(path, await app.signInMember(acme, 'DEVELOPER'))).status).toBe(403);
    expect((await getPdf(path, {})).status).toBe(401);
    expect((await getPdf(path, await app.signIn('BILLING'))).status).toBe(200);
    expect((await getPdf(`/api/invoices/${id}`, await app.signIn('BILLING'))).status).toBe(404);
    const refused = await setDetails({ expectedVersion: 1, name: 'x' }, stranger);
    expect(refused.errors[0]?.extensions.code).toBe('NOT_FOUND');
  });
});

describe('a receipt as PDF', () => {
  it('has the amount of the payment in the ledger and its period', async () => {
    const purchase = await shop.order(UPGRADE);
    await shop.payWith(purchase);
    const { payments, moneyEntries } = await shop.read(purchase.id);
    const path = `/api/receipts/${purchase.id}.pdf?payment=${encodeURIComponent(payments[0].ref)}`;
    const response = await getPdf(path, await app.signIn('AUDITOR'));
    const text = await readPdf(await response.arrayBuffer());
    const cash = moneyEntries.find(({ account }: { account: string }) => account === 'CASH');
    expect(Number(cash.amountMinor)).toBe(4900);
    expect(text).toContain('Total €49.00');
    expect(text).toMatch(/More requests 1 €49\.00 €49\.00 \d+ \w+ \d{4} – \d+ \w+ \d{4}/);
    const missing = await getPdf(
      `/api/receipts/${purchase.id}.pdf?payment=none`,
      await app.signIn('AUDITOR'),
    );
    expect(missing.status).toBe(404);
  });
});

describe('a damaged logo of an earlier release', () => {
  it('is left out of documents and pages, and logged', async () => {
    const purchase = await shop.order(TOPUP);
    await shop.payWith(purchase);
    const { payments } = await shop.read(purchase.id);
    const logo = new Uint8Array(makePng({ width: 8, colorType: 6, filter: 9 }));
    await app.database.installation.update({ where: { id: 1 }, data: { logo } });
    const installation = app.app.get(Installation, { strict: false });
    const logged = vi.spyOn(app.app.get(Log, { strict: false }), 'error');
    await installation.refresh();
    await installation.refresh();
    expect(logged.mock.calls).toEqual([
      [{ reason: 'The PNG is damaged.' }, 'stored logo is damaged; pages and documents show none'],
    ]);
    expect(installation.brand.logo).toBeNull();
    const path = `/api/receipts/${purchase.id}.pdf?payment=${encodeURIComponent(payments[0].ref)}`;
    const response = await getPdf(path, await app.signIn('AUDITOR'));
    expect(await readPdf(await response.arrayBuffer())).toContain('Total €9.00');
  });
});

describe('a thread that renders a document', () => {
  const seller = {
    companyName: 'Łódź Ğ Ελλάς 株式会社 شركة 🚀',
    address: 'A'.repeat(300),
    taxId: '',
    registration: '',
    contact: '',
    invoiceNote: 'Note '.repeat(100),
    taxLabel: '',
    taxBasisPoints: 0,
  };
  const line = { description: 'W'.repeat(160), period: '', quantity: 1, unitPrice: '', amount: '€1.00' };
  const CONTENT: BillingDocument = {
    tenantKey: 'acme',
    title: 'Invoice 1',
    facts: [['Issued', '1 November 2026']],
    seller,
    buyer: { name: '👩‍🚀 Ünïcödé', address: '', taxId: '', email: '' },
    lines: Array.from({ length: 40 }, () => line),
    totals: [['Total', '€40.00']],
    note: seller.invoiceNote,
    stamp: 'VOID',
  };
  const LETTERHEAD = { productName: 'Tollgate', accent: '#0b6b64', logo: null };
  const HOSTILE = { ...LETTERHEAD, logo: makePng({ width: 8, colorType: 6, filter: 9 }) };

  it('prints other alphabets, emoji, long names and many lines', async () => {
    const pdf = await renderOnThread(CONTENT, LETTERHEAD);
    const text = await readPdf(pdf);
    expect(text).toContain('Łódź Ğ Ελλάς 株式会社 شركة �');
    expect(text).toContain('Total €40.00');
    expect(text).toMatch(/1 \/ [2-9]/);
    expect(pdf.length).toBeLessThan(200_000);
  });

  it.each([
    ['an exception in a callback of a library', HOSTILE, undefined, 'Invalid filter algorithm: 9'],
    ['an exception of its own', { ...LETTERHEAD, accent: '#x', logo: Buffer.from('x') }, undefined, 'image'],
    ['too much time', LETTERHEAD, { timeMs: 0, heapMb: 128 }, 'no document within 0 ms'],
  ])('ends alone after %s', async (_, letterhead, limits, message) => {
    await expect(renderOnThread(CONTENT, letterhead, limits)).rejects.toThrow(message);
    expect(await readPdf(await renderOnThread(CONTENT, LETTERHEAD))).toContain('Total €40.00');
  });

  it('fails one request with an error that says so, and the next one is answered', async () => {
    const purchase = await shop.order(TOPUP);
    await shop.payWith(purchase);
    const { payments } = await shop.read(purchase.id);
    const path = `/api/receipts/${purchase.id}.pdf?payment=${encodeURIComponent(payments[0].ref)}`;
    const auditor = await app.signIn('AUDITOR');
    const current = vi.spyOn(app.app.get(Installation, { strict: false }), 'current', 'get');
    const row = await app.database.installation.findUniqueOrThrow({ where: { id: 1 } });
    current.mockReturnValue({ ...row, logo: new Uint8Array(HOSTILE.logo) });
    const failed = await getPdf(path, auditor);
    expect([failed.status, await failed.json()]).toMatchObject([
      500,
      { code: 'INTERNAL', title: expect.stringContaining('This document could not be created') },
    ]);
    current.mockRestore();
    expect((await getPdf(path, auditor)).status).toBe(200);
  });
});
