import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sameOriginUrl } from './same-origin-url.js';

const ORIGIN = 'https://tollgate.example:8443';

/** Pieces that have led browsers or parsers to another host. */
const PIECES = [
  '/',
  '//',
  '\\',
  '/\\',
  '.',
  '..',
  '/.',
  '/..',
  '/./',
  '/..//',
  '%2f',
  '%2F%2F',
  '%5c',
  '%2e',
  '%09',
  '%00',
  '\t',
  '\n',
  '\r',
  '\u0000',
  '\u00a0',
  '\u2028',
  '@',
  'user:pass@',
  ':',
  ':443',
  '?',
  '#',
  ';',
  'evil.example',
  'javascript:',
  'https:',
  'data:',
  '[::1]',
];

describe('sameOriginUrl', () => {
  it.each([
    ['/portal/acme/receipts', `${ORIGIN}/portal/acme/receipts`],
    ['/tenants/acme?tab=usage&next=//x', `${ORIGIN}/tenants/acme?tab=usage&next=//x`],
    ['/a/../b', `${ORIGIN}/b`],
    ['/a//b', `${ORIGIN}/a//b`],
    ['/', `${ORIGIN}/`],
  ])('resolves %s', (path, url) => expect(sameOriginUrl(ORIGIN, path)).toBe(url));

  it.each([
    '',
    'portal',
    '//evil.example/x',
    '/.//evil.example/x',
    '/..//evil.example',
    '/./..//evil.example',
    '/%2e//evil.example',
    '/%2e%2e//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    'https://evil.example',
    '//user@evil.example',
    'javascript:alert(1)',
    '///evil.example',
    '/x\u0000',
    'https://tollgate.example:8443/x',
  ])('returns undefined for %j', (path) => expect(sameOriginUrl(ORIGIN, path)).toBeUndefined());

  it('returns an absolute URL of the origin or nothing, for any path, and its path alone does not name a host', () => {
    const hostile = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 3 })), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(hostile, (pieces) => {
        const url = sameOriginUrl(ORIGIN, `/${pieces.join('')}`);
        if (url === undefined) return;
        expect(url.startsWith(`${ORIGIN}/`)).toBe(true);
        const { pathname, search } = new URL(url);
        expect(new URL(`${pathname}${search}`, ORIGIN).origin).toBe(ORIGIN);
      }),
      { numRuns: 20_000 },
    );
  });
});
