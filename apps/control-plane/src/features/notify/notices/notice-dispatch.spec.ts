import { expect, it } from 'vitest';
import { mailsOf } from './notice-dispatch.js';
import type { NoticeRow } from './notices.repository.js';

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
