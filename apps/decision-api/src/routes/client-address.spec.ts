import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientAddress, parseNetworks } from './client-address.js';

const PEER = '10.0.0.1';

describe('the address of the client', () => {
  it.each<[forwardedFor: string | undefined, count: number, address: string]>([
    // No hop is trusted: the connected peer is the client.
    ['203.0.113.9', 0, PEER],
    // The calling proxy is trusted: use the last address, which that proxy wrote.
    ['203.0.113.9', 1, '203.0.113.9'],
    ['1.1.1.1, 203.0.113.9', 1, '203.0.113.9'],
    ['1.1.1.1, 203.0.113.9, 10.0.0.2', 2, '203.0.113.9'],
    ['1.1.1.1, 203.0.113.9, 10.0.0.3, 10.0.0.2', 3, '203.0.113.9'],
    // Fewer hops than configured: the request bypassed the outer proxy, so use what the inner proxy saw.
    ['203.0.113.9', 3, '203.0.113.9'],
    [undefined, 1, PEER],
    ['', 1, PEER],
    ['203.0.113.9:4711', 1, '203.0.113.9'],
    ['[2001:db8::1]:4711', 1, '2001:db8::1'],
    ['2001:db8::1', 1, '2001:db8::1'],
    ['fe80::1%eth0', 1, 'fe80::1'],
    ['::ffff:203.0.113.9', 1, '203.0.113.9'],
    // A trusted hop did not name an address: count under that hop.
    ['1.1.1.1, unknown', 1, PEER],
    ['1.1.1.1, _hidden', 1, PEER],
    ['1.1.1.1, 010.0.0.1', 1, PEER],
    ['1.1.1.1, unknown, 10.0.0.2', 2, '10.0.0.2'],
  ])('%s with %i trusted hops is %s', (forwardedFor, count, address) => {
    expect(clientAddress(forwardedFor, PEER, { count })).toBe(address);
  });

  it.each([
    ['1.1.1.1, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['203.0.113.9', '203.0.113.9'],
    ['10.9.9.9, 10.1.2.3', '10.9.9.9'],
    ['1.1.1.1, unknown, 10.1.2.3', '10.1.2.3'],
    ['2001:db8::9, 2001:db8:aaaa::1', '2001:db8::9'],
  ])('%s behind trusted networks is %s', (forwardedFor, address) => {
    const networks = parseNetworks('10.0.0.0/8, 2001:db8:aaaa::/48');
    expect(clientAddress(forwardedFor, PEER, { networks })).toBe(address);
  });

  it('does not depend on anything the client sends', () => {
    const hop = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.ipV4().map((ip) => `${ip}:80`),
      fc.ipV6().map((ip) => `[${ip}]`),
      fc.ipV4().map((ip) => `::ffff:${ip}`),
      fc.constantFrom('unknown', '_x', '', ' ', 'for=1.2.3.4', '"1.2.3.4"', '10.0.0.2', '999.1.1.1'),
      fc.string({ maxLength: 20 }),
    );
    const networks = parseNetworks('10.0.0.0/8');
    fc.assert(
      fc.property(fc.array(hop, { maxLength: 6 }), fc.integer({ min: 1, max: 3 }), (spoofed, count) => {
        const own = ['203.0.113.9', '10.0.0.3', '10.0.0.2'].slice(0, count);
        const text = [...spoofed, ...own].join(',');
        expect(clientAddress(text, PEER, { count })).toBe('203.0.113.9');
        expect(clientAddress(text, PEER, { networks })).toBe('203.0.113.9');
      }),
      { numRuns: 10_000 },
    );
  });

  it('is the same behind more hops than are looked at', () => {
    const text = `${'1.1.1.1,'.repeat(1000)}203.0.113.9`;
    expect(clientAddress(text, PEER, { count: 1 })).toBe('203.0.113.9');
  });

  it('is always a valid IP address', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 0, max: 3 }), (text, count) => {
        expect(isIP(clientAddress(text, PEER, { count }))).not.toBe(0);
      }),
    );
  });
});

describe('trusted networks', () => {
  it.each(['', '10.0.0.0/33', '10.0.0/8', '10.0.0.0/x', '10.0.0.0/8,', '::/129'])('rejects %j', (text) => {
    expect(() => parseNetworks(text)).toThrow(/is no network/);
  });
});
