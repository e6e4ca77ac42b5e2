import type { LimitPolicy } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import {
  checkRows,
  type LimitEdits,
  NO_EDITS,
  newLimitFor,
  placeUserErrors,
  rebaseLimits,
  reduceLimitEdits,
} from './limit-edits.js';

const create: LimitPolicy = {
  name: 'create',
  api: 'url-shortener',
  operations: ['createURL'],
  per: [],
  algorithm: 'fixed_window',
  limit: 100,
  windowMs: 60_000,
  alignment: 'clock',
  onUnavailable: 'share',
};
const other: LimitPolicy = { ...create, name: 'b' };

const loaded = (...policies: LimitPolicy[]): LimitEdits =>
  reduceLimitEdits(NO_EDITS, {
    type: 'load',
    limits: policies.map((policy) => ({ policy, summary: 'Each tenant may …' })),
  });

describe('editing limits', () => {
  it('keeps the server’s sentence until a row is edited', () => {
    const before = loaded(create);
    const after = reduceLimitEdits(before, { type: 'change', rowId: 1, policy: { ...create, limit: 5 } });
    expect([before.rows[0]?.summary, after.rows[0]?.summary]).toEqual(['Each tenant may …', undefined]);
  });

  it('never gives a removed row’s id to an added one', () => {
    const removed = reduceLimitEdits(loaded(create, other), { type: 'remove', rowId: 2 });
    expect(reduceLimitEdits(removed, { type: 'add', policy: create }).rows.map((row) => row.rowId)).toEqual([
      1, 3,
    ]);
  });
});

describe('checking rows', () => {
  it('finds nothing wrong with a good row', () => expect(checkRows(loaded(create).rows).size).toBe(0));

  it('names the field that is wrong', () => {
    const { rows } = loaded({ ...create, limit: 0, name: 'Not a slug', per: ['tenant'] });
    expect(Object.keys(checkRows(rows).get(1) ?? {}).sort()).toEqual(['limit', 'name', 'per']);
  });

  it('refuses the second limit of the same name in one API', () => {
    expect([...checkRows(loaded(create, create).rows).keys()]).toEqual([2]);
  });

  it('names the field of a term that is wrong', () => {
    const { rows } = loaded({
      ...create,
      throttle: { mode: 'elastic', maxPercent: 0, pool: '' },
      enforcement: { mode: 'percent', percent: 100 },
      consistency: { mode: 'leased', leaseMs: 5 },
      candidate: { algorithm: 'sliding_window_log', limit: 20_000, windowMs: 60_000 },
    });
    const found = checkRows(rows).get(1);
    expect(Object.keys(found ?? {}).sort()).toEqual([
      'candidate.limit',
      'consistency.leaseMs',
      'enforcement.percent',
      'throttle.maxPercent',
      'throttle.pool',
    ]);
    expect(found?.['throttle.pool']).toBe('Choose a pool to borrow from');
  });
});

describe('placing the server’s messages', () => {
  it('finds row and field of a path, and keeps the rest for the form', () => {
    const { rows } = loaded(create, other);
    const placed = placeUserErrors(rows, [
      { code: 'INVALID', field: ['input', 'limits', '1', 'windowMs'], message: 'too long' },
      { code: 'INVALID', field: ['limits', '0', 'colour'], message: 'unknown' },
      { code: 'INVALID', field: ['limits', '1', 'apiKey'], message: 'gone' },
      { code: 'INVALID', field: ['reason'], message: 'too wordy' },
      { code: 'CONFLICT', message: 'changed' },
    ]);
    expect(Object.fromEntries(placed.byRow)).toEqual({
      2: { windowMs: 'too long', api: 'gone' },
      1: { row: 'unknown' },
    });
    expect(placed.form).toEqual(['too wordy', 'changed']);
  });

  it.each<[string[], string]>([
    [['throttle', 'percent'], 'throttle.percent'],
    [['throttle', 'pool'], 'throttle.mode'],
    [['consistency', 'mode'], 'consistency.mode'],
    [['candidate', 'limit'], 'candidate.limit'],
    [['candidate', 'burst'], 'candidate.algorithm'],
    [['operations', '0'], 'operations'],
    [['charge'], 'charge'],
    [['burst'], 'row'],
    [[], 'row'],
  ])('puts what is about %j where the limit shows it: %s', (path, place) => {
    const { rows } = loaded({
      ...create,
      throttle: { mode: 'soft', percent: 10 },
      candidate: { algorithm: 'sliding_window_log', limit: 20, windowMs: 60_000 },
    });
    const error = { code: 'INVALID' as const, field: ['limits', '0', ...path], message: 'wrong' };
    expect(placeUserErrors(rows, [error]).byRow.get(1)).toEqual({ [place]: 'wrong' });
  });
});

const api = {
  id: 'api_1',
  key: 'url-shortener',
  name: 'URL shortener',
  pools: [],
  operations: [
    { id: 'opr_1', name: 'createURL' },
    { id: 'opr_2', name: 'v2.delete_URL' },
  ],
};

it('takes the first operation that has no limit, and all of them when each has one', () => {
  const first = newLimitFor(api, []);
  const second = newLimitFor(api, [first]);
  const third = newLimitFor(api, [first, second]);
  expect([first, second, third].map(({ name, operations }) => [name, operations])).toEqual([
    ['create-url', ['createURL']],
    ['v2-delete-url', ['v2.delete_URL']],
    ['all', []],
  ]);
});

it('never proposes a name that is taken in the same API', () => {
  const first = newLimitFor(api, []);
  expect(newLimitFor(api, [{ ...first, operations: [] }]).name).toBe('create-url-2');
  expect(newLimitFor(api, [{ ...first, operations: [], api: 'other' }]).name).toBe('create-url');
});

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
