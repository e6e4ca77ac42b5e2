import { formatMoney } from '@tollgate/contracts';
import { CURRENCIES, currencyDigits } from '@tollgate/contracts/money';
import { expect, it } from 'vitest';
import { mailsOf } from '../../notify/index.js';
import { lineOf, totalsOf } from './document.js';

// The console re-exports the same function, and `money.spec.ts` compares it with a written list.
it.each(CURRENCIES)(
  'an amount in %s is the same text in the console, on invoices and in mails',
  (currency) => {
    const amountMinor = 49 * 10 ** currencyDigits(currency);
    const text = formatMoney(amountMinor, currency);
    const line = lineOf({ amountMinor, currency }, { label: 'Pack', quantity: 1 }, '');
    expect([line.unitPrice, line.amount]).toEqual([text, text]);
    expect(totalsOf({ amountMinor, currency }, { taxLabel: '', taxBasisPoints: 0 })).toEqual([
      ['Total', text],
    ]);
    const notice = {
      ...{ id: 'not_1', kind: 'purchase.renewed', tenantId: 'ten_1', tenantKey: 'acme', dedupeKey: null },
      ...{ data: { offer: 'Pack', amountMinor, currency }, createdAt: new Date(0), dispatchedAt: null },
    };
    const buyer = { tenantId: 'ten_1', email: 'ada@acme.example', role: 'BUYER' as const };
    const [mail] = mailsOf(notice, [buyer], { timeZone: 'UTC', consoleUrl: 'https://tollgate.example' });
    expect(mail?.body).toContain(`Amount: ${text}\n`);
  },
);
