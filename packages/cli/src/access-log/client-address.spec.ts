import { counterKey, dimensionValue } from '@tollgate/decision-plane/internals';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientKey, isClientAddress } from './client-address.js';

describe('client address', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:2::', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::203.0.113.9', '64:ff9b:0:0::/64'],
  ])('counts %s as %s', (address, key) => {
    expect(clientKey(address)).toBe(key);
  });

  it('tells two addresses apart exactly when the decision plane does', () => {
    // RFC 4291 has given up `::` with an IPv4 tail; parsers differ on it, and no client has such an address.
    const isCompatibleForm = (text: string) => /^::\d+\./.test(text);
    const address = fc.oneof(
      fc.ipV4(),
      fc.ipV6().filter((text) => !isCompatibleForm(text)),
      fc.ipV4().map((v4) => `::ffff:${v4}`),
      fc.nat(3).map((low) => `2001:db8::${low}`),
    );
    const counter = (ip: string) => counterKey('acme', ':f1:web:ip', [dimensionValue('ip', ip) ?? 'refused']);
    fc.assert(
      fc.property(address, address, (a, b) => {
        expect(isClientAddress(a)).toBe(true);
        expect(clientKey(a) === clientKey(b)).toBe(counter(a) === counter(b));
      }),
      { numRuns: 1000 },
    );
  });
});
