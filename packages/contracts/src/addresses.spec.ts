import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressText, canonicalAddress, clientNetwork, forwardedAddress, parseAddress } from './addresses.js';

it.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::ffff:cb00:7109', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:DB8:1:2::', '2001:db8:1:2::'],
  ['2001:db8::1', '2001:db8::'],
  ['fe80::1%eth0', 'fe80::'],
  ['::1', '::'],
  ['64:ff9b::192.0.2.33', '192.0.2.33'],
])('%s counts as %s', (address, counted) => {
  expect(clientNetwork(address)).toBe(counted);
});

describe('reading an address', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    [' 203.0.113.9 ', '203.0.113.9'],
    ['203.0.113.9:4711', '203.0.113.9'],
    ['[203.0.113.9]:80', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['[::ffff:203.0.113.9]:443', '203.0.113.9'],
    ['64:ff9b::192.0.2.33', '192.0.2.33'],
    ['64:ff9b::c000:221', '192.0.2.33'],
    ['::ffff:0:192.0.2.33', '192.0.2.33'],
    ['2001:DB8::a', '2001:db8::a'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:443', 'fe80::1'],
    ['::1.2.3.4', '::102:304'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:0:0:2:3:0:0:4', '1::2:3:0:0:4'],
    ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
    ['::', '::'],
  ])('%s is %s', (text, address) => {
    expect(canonicalAddress(text)).toBe(address);
  });

  it.each([
    '',
    'unix:',
    '1.2.3',
    '1.2.3.256',
    '010.0.0.1',
    '1:2:3',
    '1::2::3',
    '1:2:3:4:5:6:7:8:9',
    'g::1',
    '[::1',
    '1.2.3.4:',
    '1.2.3.4, 5.6.7.8',
    '10.0.0.0/8',
  ])('%j is not an address', (text) => {
    expect(canonicalAddress(text)).toBeUndefined();
  });

  it('rejects a port, brackets, a zone and spaces in networks and rules', () => {
    const strict = ['203.0.113.9:80', '[::1]', 'fe80::1%eth0', ' ::1'].map(parseAddress);
    expect(strict).toEqual([undefined, undefined, undefined, undefined]);
    // A rule for the translation prefix is not a rule for all of IPv4.
    expect(parseAddress('64:ff9b::')).toHaveLength(16);
  });

  it('writes each address so that it is read as the same one, as URLs write it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), fc.nat(0xffff), (random, zeros) => {
        const bytes = [...random].map((byte, i) => ((zeros >> i) & 1 ? 0 : byte));
        const text = addressText(bytes);
        expect(`[${text}]`).toBe(new URL(`http://[${text}]`).hostname);
        expect(addressText(parseAddress(text) ?? [])).toBe(
          text.startsWith('::ffff:') ? addressText(bytes.slice(12)) : text,
        );
      }),
      { numRuns: 2000 },
    );
  });
});

it('uses only the part of X-Forwarded-For that trusted proxies wrote', () => {
  expect(forwardedAddress('6.6.6.6, 203.0.113.9, 10.0.0.1', 2)).toBe('203.0.113.9');
  expect(forwardedAddress('203.0.113.9', 1)).toBe('203.0.113.9');
  expect(forwardedAddress('203.0.113.9', 2)).toBeUndefined();
  expect(forwardedAddress('203.0.113.9', 0)).toBeUndefined();
  expect(forwardedAddress(null, 1)).toBeUndefined();
});
