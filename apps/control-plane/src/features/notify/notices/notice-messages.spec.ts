import { describe, expect, it } from 'vitest';
import { NOTICE_KINDS } from '../../../platform/changes/notice-kinds.js';
import { detailsOf, EVENT_KINDS, mailsOf, titleOf } from './notice-messages.js';
import type { NoticeRow } from './notices.repository.js';

describe('notice texts', () => {
  it('fills the fields of a title', () => {
    expect(titleOf('limit.near', { limit: 'per-minute', api: 'shop', percent: 80 })).toBe(
      'Limit per-minute on shop: 80% used',
    );
  });

  it('omits missing fields and does not expand templates in values', () => {
    expect(titleOf('purchase.paid', {})).toBe('Payment received:');
    expect(titleOf('purchase.paid', { offer: '{tenant} $& $1' })).toBe('Payment received: {tenant} $& $1');
  });

  it('shows an unknown kind by its name', () => {
    expect(titleOf('something.new', { a: 1 })).toBe('something.new');
  });

  it('lists fields with formatted money and times, without ids and nested fields', () => {
    const data = {
      purchaseId: 'pur_1',
      paidThrough: '2026-12-01T00:00:00.000Z',
      amountMinor: 500,
      currency: 'EUR',
    };
    expect(detailsOf({ ...data, nested: { a: 1 }, none: null }, 'Europe/Berlin')).toEqual([
      'Paid through: 1 Dec 2026, 01:00 Europe/Berlin',
      'Amount: €5.00',
    ]);
  });

  it('names kinds as Standard Webhooks event types', () => {
    for (const kind of Object.keys(NOTICE_KINDS)) expect(kind).toMatch(/^[a-z0-9_]+(\.[a-z0-9_]+)+$/);
    expect(EVENT_KINDS).toContain('purchase.paid');
    expect(EVENT_KINDS).not.toContain('member.invited');
  });
});

it('mails members once per address, with money and times formatted and a link to the portal', () => {
  const notice: NoticeRow = {
    id: 'not_1',
    kind: 'purchase.renewed',
    tenantId: 'ten_1',
    tenantKey: 'acme',
    data: {
      ...{ tenant: 'acme', purchaseId: 'pur_1', offer: 'More requests' },
      ...{ amountMinor: 4900, currency: 'EUR', paidThrough: '2026-10-25T01:30:00.000Z' },
    },
    dedupeKey: null,
    createdAt: new Date('2026-09-25T00:00:00Z'),
    dispatchedAt: null,
  };
  const buyer = { tenantId: 'ten_1', email: 'ada@acme.example', role: 'BUYER' as const };
  const setting = { timeZone: 'Europe/Berlin', consoleUrl: 'https://tollgate.example' };
  expect(mailsOf(notice, [buyer, buyer], setting)).toEqual([
    {
      ...{ tenantId: 'ten_1', noticeId: 'not_1', recipient: 'ada@acme.example' },
      subject: 'Your More requests was renewed',
      body: [
        ...['Your More requests was renewed.', '', 'Tenant: acme', 'Offer: More requests', 'Amount: €49.00'],
        ...['Paid through: 25 Oct 2026, 02:30 Europe/Berlin (GMT+1)', ''],
        ...['View purchases: https://tollgate.example/portal/acme/receipts', ''],
      ].join('\n'),
    },
  ]);
});

it('mails operators with the title and a link to the console', () => {
  const notice: NoticeRow = {
    ...{ id: 'not_2', kind: 'limit.near', tenantId: 'ten_1', tenantKey: 'acme', dedupeKey: null },
    data: { api: 'shop', limit: 'get-day', percent: 80 },
    ...{ createdAt: new Date(0), dispatchedAt: null },
  };
  const developer = { tenantId: 'ten_1', email: 'ada@acme.example', role: 'DEVELOPER' as const };
  const setting = { timeZone: 'UTC', consoleUrl: 'https://tollgate.example' };
  expect(mailsOf(notice, [developer], setting)[0]).toMatchObject({
    subject: "You've used 80% of your get-day limit on shop",
    body: expect.stringContaining('View usage: https://tollgate.example/portal/acme/usage'),
  });
  const failed = { ...notice, kind: 'purchase.renewal_failed', data: { offer: 'Pro' } };
  const billing = { tenantId: null, email: 'ops@example.com', role: 'BILLING' as const };
  expect(mailsOf(failed, [billing], setting)[0]).toMatchObject({
    subject: 'Renewal payment failed: Pro',
    body: expect.stringContaining('View purchases: https://tollgate.example/purchases'),
  });
});
