import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainReadings, readTypedNumber, scaleDecimal, writeTypedNumber } from './typed-number.js';

const COUNT = { suffixes: true };
const EUR = { decimals: 2 };
const KWD = { decimals: 3 };
const FACTOR = { decimals: 15 };

describe('readTypedNumber', () => {
  it.each([
    ['0', COUNT, '0'],
    ['1000', COUNT, '1000'],
    ['007', COUNT, '7'],
    [' 250 ', COUNT, '250'],
    ['1,000', COUNT, '1000'],
    ['1,000,000', COUNT, '1000000'],
    ['1 000', COUNT, '1000'],
    ['1\u00a0000\u00a0000', COUNT, '1000000'],
    ['1\u202f000', COUNT, '1000'],
    ['1_000', COUNT, '1000'],
    ["12'000", COUNT, '12000'],
    ['10k', COUNT, '10000'],
    ['1.5M', COUNT, '1500000'],
    ['12.3 thousand', COUNT, '12300'],
    ['0.5', COUNT, '0.5'],
    ['1.5', EUR, '1.5'],
    ['49.', EUR, '49'],
    ['49.00', EUR, '49'],
    ['1,200.50', EUR, '1200.5'],
    ['1,200', EUR, '1200'],
    ['1234.567', FACTOR, '1234.567'],
    ['0.125', FACTOR, '0.125'],
    ['1,234.500', KWD, '1234.5'],
    ['1.50', KWD, '1.5'],
    ['1.2340', KWD, '1.234'],
    ['9007199254740993', COUNT, '9007199254740993'],
  ])('reads %j of %j as %s', (text, format, decimal) => {
    const read = readTypedNumber(text, format);
    expect(read.ok ? read.decimal : undefined).toBe(decimal);
  });

  it.each([
    ['1.000', COUNT, ['1000', '1']],
    ['10.000', COUNT, ['10000', '10']],
    ['1.500', COUNT, ['1500']],
    ['1.500k', COUNT, ['1500000', '1500']],
    ['1,500k', COUNT, ['1500000', '1500']],
    ['1.200', EUR, ['1200', '1.2']],
    ['49.000', { decimals: 0 }, ['49000', '49']],
    ['1.005', EUR, ['1005']],
    ['1.234', KWD, ['1234', '1.2340']],
    ['1,234', KWD, ['1234', '1.2340']],
    ['1.500', FACTOR, ['1500', '1.5']],
  ])('refuses %j of %j, which can mean %j', (text, format, readings) => {
    expect(readTypedNumber(text, format)).toEqual({ ok: false, readings });
  });

  it.each([
    ['1.000.000', COUNT, '1000000'],
    ['1.000,50', EUR, '1000.5'],
    ['1 000,50', EUR, '1000.5'],
    ['1,5', EUR, '1.5'],
    ['0,500', FACTOR, '0.5'],
    ['1234,567', FACTOR, '1234.567'],
    ['1,00,000', COUNT, '100000'],
    ['1,00', COUNT, '1'],
    ['0,000', COUNT, '0'],
    ['1,5k', COUNT, '1500'],
  ])('offers %j of %j as %s', (text, format, reading) => {
    expect(readTypedNumber(text, format)).toEqual({ ok: false, readings: [reading] });
  });

  it.each([
    '',
    'ten',
    '-5',
    '+5',
    '1e3',
    '0x10',
    '1,5',
    '10k',
    '1_0',
    '1 000,000,000',
    '.5',
    '1..5',
    '9'.repeat(41),
  ])('does not read %j as a whole number', (text) =>
    expect(readTypedNumber(text)).toEqual({ ok: false, readings: [] }),
  );

  it('reads each reading that it offers as one number', () => {
    const part = fc.stringMatching(/^[0-9]{1,3}$/);
    const separator = fc.constantFrom('.', ',', ' ', '_', "'");
    const texts = fc
      .tuple(part, fc.array(fc.tuple(separator, part), { maxLength: 3 }), fc.constantFrom('', 'k', 'M'))
      .map(([first, more, suffix]) => first + more.flat().join('') + suffix);
    fc.assert(
      fc.property(texts, fc.constantFrom(COUNT, EUR, KWD, FACTOR), (text, format) => {
        const read = readTypedNumber(text, { ...format, suffixes: true });
        const readings = read.ok ? [writeTypedNumber(read.decimal)] : read.readings;
        for (const reading of readings)
          expect(writeTypedNumber((readTypedNumber(reading, format) as { decimal: string }).decimal)).toBe(
            reading,
          );
      }),
    );
  });
});

it.each([
  ['1.000', ['1000', '1'], '“1.000” can mean 1000 or 1. Enter one of them.'],
  [' 1,5 ', ['1.5'], '“1,5” cannot be read. Did you mean 1.5?'],
])('explains the readings of %j', (text, readings, message) => {
  expect(explainReadings(text, readings)).toBe(message);
});

it.each([
  ['1200.5', 2, 120_050n],
  ['0.29', 2, 29n],
  ['12', 0, 12n],
  ['1.005', 2, undefined],
  ['0.5', 0, undefined],
])('scales %s by %i digits', (decimal, decimals, units) => {
  expect(scaleDecimal(decimal, decimals)).toBe(units);
});
