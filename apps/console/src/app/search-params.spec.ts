import { expect, it } from 'vitest';
import {
  parseAuditSearch,
  parseRevisionsSearch,
  parseSignInSearch,
  parseTenantsSearch,
} from './search-params.js';

it.each([
  ['/tiers/pro?x=1', '/tiers/pro?x=1'],
  ['//evil.example', undefined],
  ['/.//evil.example', undefined],
  ['/\\evil.example', undefined],
  ['https://evil.example', undefined],
  [42, undefined],
])('after sign-in goes to %j only when it stays on this origin', (next, kept) => {
  expect(parseSignInSearch({ next }).next).toBe(kept);
});

it('drops unknown tenant filters and keeps a numeric search as text', () => {
  expect(parseTenantsSearch({ search: 42, tier: '', status: 'GONE', other: 1 })).toEqual({ search: '42' });
});

it('keeps valid days, and compares two revisions or none', () => {
  expect(parseAuditSearch({ from: '2026-11-20', to: '2026-13-99', tenant: 'acme', x: 1 })).toEqual({
    tenant: 'acme',
    from: '2026-11-20',
  });
  expect(parseRevisionsSearch({ from: 1, to: 2, catalogue: true })).toEqual({
    from: 1,
    to: 2,
    catalogue: true,
  });
  expect(parseRevisionsSearch({ from: 1, to: 'x', catalogue: 'yes' })).toEqual({});
});
