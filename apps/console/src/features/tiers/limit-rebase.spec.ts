import type { LimitPolicy } from '@tollgate/contracts';
import { expect, it } from 'vitest';
import { rebaseLimits } from './limit-rebase.js';

const limit = (name: string, max: number): LimitPolicy => ({
  name,
  api: 'search',
  operations: [],
  per: [],
  algorithm: 'fixed_window',
  limit: max,
  windowMs: 60_000,
  alignment: 'clock',
  onUnavailable: 'share',
});
const names = (limits: LimitPolicy[]) => limits.map(({ name, limit: max }) => `${name}=${max}`);

it('keeps what was edited and takes everything else as it is now', () => {
  const base = [limit('a', 1), limit('b', 1), limit('c', 1)];
  const edited = [limit('a', 5), limit('b', 1), limit('c', 1), limit('mine', 9)];
  const now = [limit('a', 2), limit('b', 7), limit('theirs', 3)];
  expect(names(rebaseLimits(edited, base, now))).toEqual(['a=5', 'b=7', 'theirs=3', 'mine=9']);
});

it('keeps a limit removed that was removed here, whatever happened to it there', () => {
  expect(rebaseLimits([], [limit('a', 1)], [limit('a', 2)])).toEqual([]);
});

it('brings an edited limit back that was removed there', () => {
  expect(names(rebaseLimits([limit('a', 5)], [limit('a', 1)], []))).toEqual(['a=5']);
});
