import { describe, expect, it } from 'vitest';
import { NOTICE_KINDS } from '../../../platform/changes/notice-kinds.js';
import { detailsOf, EVENT_KINDS, mailsOf, titleOf } from './notice-messages.js';
import type { NoticeRow } from './notices.repository.js';

describe('the text of a notice', () => {
  it('says what happened to what', () => {
    expect(titleOf('limit.near', { limit: 'per-minute', api: 'shop', percent: 80 })).toBe(
      'Limit per-minute of shop is at 80 %',
    );
  });

  it('leaves out what its data lacks, and takes no field for a template', () => {
    expect(titleOf('purchase.paid', {})).toBe('Paid:');
    expect(titleOf('purchase.paid', { offer: '{tenant} $& $1' })).toBe('Paid: {tenant} $& $1');
  });

  it('names a kind that this version does not know', () => {
    expect(titleOf('something.new', { a: 1 })).toBe('something.new');
  });

  it('lists the fields in words: money with its currency, times in the zone, ids and nested ones left out', () => {
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

  it('kinds are types of events as Standard Webhooks has them', () => {
    for (const kind of Object.keys(NOTICE_KINDS)) expect(kind).toMatch(/^[a-z0-9_]+(\.[a-z0-9_]+)+$/);
    expect(EVENT_KINDS).toContain('purchase.paid');
    expect(EVENT_KINDS).not.toContain('member.invited');
  });
});

it('a mail says money in its currency, times by the tenant’s clock, and whose it is once', () => {
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
      subject: 'Renewed: More requests',
      body: [
        ...['Renewed: More requests.', '', 'Tenant: acme', 'Offer: More requests', 'Amount: €49.00'],
        ...['Paid through: 25 Oct 2026, 02:30 Europe/Berlin (GMT+1)', ''],
        ...['Open the console: https://tollgate.example', ''],
      ].join('\n'),
    },
  ]);
});
