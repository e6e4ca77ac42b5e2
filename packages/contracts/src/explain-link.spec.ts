import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REASONS } from './answers.js';
import { EXPLAIN_LINK_MS, ExplainLinkMinter, openExplainLink } from './explain-link.js';

const PEPPER = 'a pepper for tests, 32 characters or more';
const AT = 1_795_000_000_000;
const CONSOLE = 'https://tollgate.example';

const denied = {
  requestId: 'req_1',
  at: AT,
  reason: 'RATE_EXCEEDED',
  limit: 'per-minute',
  retryAfter: 20,
} as const;
const origin = {
  tenant: 'acme',
  api: 'shop',
  operation: 'buy',
  limit: 'per-minute',
  revision: 12,
  rule: null,
};

const minter = new ExplainLinkMinter(CONSOLE, 1, PEPPER);
const peppers = new Map([[1, PEPPER]]);
const linkOf = (url: string) => decodeURIComponent(new URL(url).hash.slice(1));
const open = (link: string, known = peppers, nowMs = AT) => openExplainLink(link, known, nowMs);

describe('explain links', () => {
  it('contain the denied request and, sealed, its origin', () => {
    const name = fc.stringMatching(/^[a-z0-9]{1,48}$/);
    fc.assert(
      fc.property(
        fc.record({
          requestId: fc.stringMatching(/^[\x21-\x7e]{1,128}$/),
          at: fc.integer({ min: 0, max: AT }),
          reason: fc.constantFrom(...REASONS),
          limit: fc.option(name),
          retryAfter: fc.option(fc.nat()),
        }),
        fc.record({
          ...{ tenant: name, api: name, limit: fc.option(name), revision: fc.nat() },
          operation: fc.stringMatching(/^[A-Za-z][A-Za-z0-9._-]{0,63}$/),
          rule: fc.option(fc.stringMatching(/^sru_[a-z0-9]{1,40}$/)),
        }),
        (request, from) => {
          const link = linkOf(minter.mint(request, from));
          expect(open(link, peppers, request.at)).toEqual({ denied: request, origin: from });
        },
      ),
    );
  });

  it('show tenant, API and operation only to the holder of the pepper', () => {
    expect(minter.mint(denied, { ...origin, tenant: 'tenant-of-mine' })).not.toMatch(
      /tenant-of-mine|shop|buy/,
    );
  });

  it('are rejected if any character is changed', () => {
    const link = linkOf(minter.mint(denied, origin));
    for (let i = 0; i < link.length; i++) {
      const other = link[i] === 'A' ? 'B' : 'A';
      expect(open(link.slice(0, i) + other + link.slice(i + 1))).toBeUndefined();
    }
  });

  it('are rejected after they expire', () => {
    const link = linkOf(minter.mint(denied, origin));
    expect(open(link, peppers, AT + EXPLAIN_LINK_MS)).toBeDefined();
    expect(open(link, peppers, AT + EXPLAIN_LINK_MS + 1)).toBeUndefined();
  });

  it('remain valid while their pepper is known', () => {
    const link = linkOf(minter.mint(denied, origin));
    const next = 'another pepper, of at least 32 characters';
    expect(
      open(
        link,
        new Map([
          [2, next],
          [1, PEPPER],
        ]),
      ),
    ).toBeDefined();
    expect(open(link, new Map([[2, next]]))).toBeUndefined();
    expect(open(link, new Map([[1, next]]))).toBeUndefined();
  });

  it.each(['', '.', 'x', '1.A.b.c.1.1.r', '☃.☃', 'A'.repeat(5000)])('are undefined for %j', (link) => {
    expect(open(link)).toBeUndefined();
  });
});
