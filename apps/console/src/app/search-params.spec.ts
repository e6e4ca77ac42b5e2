import { expect, it } from 'vitest';
import { parseSignInSearch, parseTenantsSearch } from './search-params.js';

it.each([
  ['/tiers/pro?x=1', '/tiers/pro?x=1'],
  ['//evil.example', undefined],
  ['/\\evil.example', undefined],
  ['https://evil.example', undefined],
  [42, undefined],
])('after sign-in goes to %j only when it stays on this origin', (next, kept) => {
  expect(parseSignInSearch({ next }).next).toBe(kept);
});

it('drops what is not a tenant filter and keeps a numeric search as text', () => {
  expect(parseTenantsSearch({ search: 42, tier: '', status: 'GONE', other: 1 })).toEqual({ search: '42' });
});
