import { formatMoney } from '@tollgate/contracts';
import { CURRENCIES } from '@tollgate/contracts/money';
import { describe, expect, it } from 'vitest';
import { findUnprintable } from './printable.js';

describe('findUnprintable', () => {
  it.each([
    ['Rocket 🚀', '“🚀”'],
    ['ሰላም', '“ሰ”, “ላ”, “ም”'],
    ['བོད', '“བ”, U+0F7C, “ད”'],
    ['a\u200bb', 'U+200B'],
    ['ԱԲԳԴԵԶԷ', '“Ա”, “Բ”, “Գ”, “Դ”, “Ե” and others'],
  ])('names what cannot be printed in %s', (text, listed) => {
    expect(findUnprintable(text)).toBe(
      `Invoices and receipts cannot print ${listed}. ` +
        'Use Latin, Greek, Cyrillic, Arabic, Hebrew, Devanagari, Thai, Chinese, Japanese or Korean characters.',
    );
  });

  it.each([
    'Größe & Söhne GmbH',
    'Ромашка ООО',
    'Straße 1\n10115 Berlin',
    'می‌خواهم',
    'e\u0301',
    'राष्ट्रीय ₹100',
    '髙島屋・㈱ﾃｽﾄ',
  ])('accepts %j', (text) => {
    expect(findUnprintable(text)).toBeUndefined();
  });

  it('accepts amounts of all currencies', () => {
    expect(CURRENCIES.map((currency) => findUnprintable(formatMoney(100_000, currency)))).toEqual(
      CURRENCIES.map(() => undefined),
    );
  });
});
