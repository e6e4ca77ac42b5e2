import { expect, it } from 'vitest';
import { clientAddress, clientNetwork, forwardedAddress } from './client-address.js';

it.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::ffff:cb00:7109', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:DB8:1:2::', '2001:db8:1:2::'],
  ['2001:db8::1', '2001:db8:0:0::'],
  ['fe80::1%eth0', 'fe80:0:0:0::'],
  ['::1', '0:0:0:0::'],
  ['64:ff9b::192.0.2.33', '64:ff9b:0:0::'],
])('%s counts as %s', (address, counted) => {
  expect(clientNetwork(address)).toBe(counted);
});

it.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:DB8::a', '2001:db8:0:0:0:0:0:a'],
  ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
  ['64:ff9b::192.0.2.33', '64:ff9b:0:0:0:0:c000:221'],
])('%s is sent as %s', (address, sent) => {
  expect(clientAddress(address)).toBe(sent);
});

it.each(['', 'unix:', '1.2.3', '1.2.3.256', '1:2:3', '1::2::3', '1:2:3:4:5:6:7:8:9', 'g::1', '1.2.3.4:80'])(
  '%j is no address',
  (address) => {
    expect(clientAddress(address)).toBeUndefined();
  },
);

it('uses only the part of X-Forwarded-For that trusted proxies wrote', () => {
  expect(forwardedAddress('6.6.6.6, 203.0.113.9, 10.0.0.1', 2)).toBe('203.0.113.9');
  expect(forwardedAddress('203.0.113.9', 1)).toBe('203.0.113.9');
  expect(forwardedAddress('203.0.113.9', 2)).toBeUndefined();
  expect(forwardedAddress('203.0.113.9', 0)).toBeUndefined();
  expect(forwardedAddress(null, 1)).toBeUndefined();
});
