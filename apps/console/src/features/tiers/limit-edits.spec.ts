import type { LimitPolicy } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { ruleOf } from '../../lib/limit-fields.js';
import { parseAmount } from '../../lib/rate.js';
import {
  assignUserErrors,
  checkRows,
  type LimitEdits,
  limitNameOf,
  NO_EDITS,
  nextOperations,
  promoteCandidate,
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

describe('promoting a candidate', () => {
  it('replaces the rule and keeps the other terms, except throttle and leases', () => {
    const candidate = { algorithm: 'gcra', limit: 90, windowMs: 1000, burst: 4 } as const;
    const live: LimitPolicy = {
      ...create,
      ...{ per: ['user'], inHeaders: false, deadlineMs: 50, candidate },
      throttle: { mode: 'soft', percent: 20 },
      consistency: { mode: 'leased', leaseMs: 1000 },
    };
    const { name, api, operations, onUnavailable } = create;
    expect(promoteCandidate(live)).toEqual({
      ...{ name, api, operations, onUnavailable },
      ...{ per: ['user'], inHeaders: false, deadlineMs: 50 },
      ...candidate,
    });
    expect(checkRows(loaded(promoteCandidate(live)).rows).size).toBe(0);
  });

  it('leaves a limit without a candidate', () => expect(promoteCandidate(create)).toBe(create));
});

describe('editing limits', () => {
  it('keeps the server’s summary until a row is edited', () => {
    const before = loaded(create);
    const after = reduceLimitEdits(before, { type: 'change', rowId: 1, policy: { ...create, limit: 5 } });
    expect([before.rows[0]?.summary, after.rows[0]?.summary]).toEqual(['Each tenant may …', undefined]);
  });

  it('never reuses the ID of a removed row', () => {
    const removed = reduceLimitEdits(loaded(create, other), { type: 'remove', rowId: 2 });
    expect(reduceLimitEdits(removed, { type: 'add', policy: create }).rows.map((row) => row.rowId)).toEqual([
      1, 3,
    ]);
  });
});

describe('checkRows', () => {
  it('accepts a valid row', () => expect(checkRows(loaded(create).rows).size).toBe(0));

  it('names the invalid field', () => {
    const { rows } = loaded({ ...create, limit: -1, name: 'Not a slug', per: ['tenant'] });
    expect(Object.keys(checkRows(rows).get(1) ?? {}).sort()).toEqual(['limit', 'name', 'per']);
  });

  it('rejects a second limit of the same name in one API', () => {
    expect([...checkRows(loaded(create, create).rows).keys()]).toEqual([2]);
  });

  it('names the invalid field of a term', () => {
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
    expect(found?.['throttle.pool']).toBe('Select a pool to borrow from');
  });
});

describe('placeUserErrors', () => {
  it('assigns errors by row and field, and the rest to the form', () => {
    const { rows } = loaded(create, other);
    const assigned = assignUserErrors(rows, [
      { code: 'INVALID', field: ['input', 'limits', '1', 'windowMs'], message: 'too long' },
      { code: 'INVALID', field: ['limits', '0', 'color'], message: 'unknown' },
      { code: 'INVALID', field: ['limits', '1', 'apiKey'], message: 'gone' },
      { code: 'INVALID', field: ['reason'], message: 'too wordy' },
      { code: 'CONFLICT', message: 'changed' },
    ]);
    expect(Object.fromEntries(assigned.byRow)).toEqual({
      2: { windowMs: 'too long', api: 'gone' },
      1: { row: 'unknown' },
    });
    expect(assigned.form).toEqual(['too wordy', 'changed']);
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
  ])('puts what is about %j where the limit shows it: %s', (path, position) => {
    const { rows } = loaded({
      ...create,
      throttle: { mode: 'soft', percent: 10 },
      candidate: { algorithm: 'sliding_window_log', limit: 20, windowMs: 60_000 },
    });
    const error = { code: 'INVALID' as const, field: ['limits', '0', ...path], message: 'wrong' };
    expect(assignUserErrors(rows, [error]).byRow.get(1)).toEqual({ [position]: 'wrong' });
  });
});

const api = {
  id: 'api_1',
  key: 'url-shortener',
  name: 'URL shortener',
  version: 1,
  pools: [],
  operations: [
    { id: 'opr_1', name: 'createURL' },
    { id: 'opr_2', name: 'v2.delete_URL' },
  ],
};

it('continues with the first operation without a limit, then with all', () => {
  const covering = (operation: string): LimitPolicy => ({ ...create, operations: [operation] });
  expect(nextOperations(api, [])).toEqual(['createURL']);
  expect(nextOperations(api, [covering('createURL')])).toEqual(['v2.delete_URL']);
  expect(
    nextOperations(
      api,
      api.operations.map(({ name }) => covering(name)),
    ),
  ).toEqual([]);
  expect(nextOperations(api, [{ ...covering('createURL'), api: 'other' }])).toEqual(['createURL']);
});

it.each([
  ['createURL', '100/min', 'create-url-min'],
  ['v2.delete_URL', '10k/month', 'v2-delete-url-month'],
  ['search', '5 at once', 'search-at-once'],
  ['search', '5/billing period', 'search-billing'],
  ['createURL', '5/15min', 'create-url-15min'],
])('names a limit of %s to %s %s', (operation, text, name) => {
  const rule = parseAmount(text, undefined);
  if (!rule.ok) throw new Error(rule.message);
  expect(limitNameOf({ api: 'search', operations: [operation] }, rule.value, [])).toBe(name);
});

it('numbers a name that is taken in the API', () => {
  const taken = { ...create, name: 'create-url-min' };
  expect(limitNameOf(create, ruleOf(create), [taken])).toBe('create-url-min-2');
  expect(limitNameOf(create, ruleOf(create), [{ ...taken, api: 'other' }])).toBe('create-url-min');
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

it('keeps edited limits and takes all others from the new base', () => {
  const base = [limit('a', 1), limit('b', 1), limit('c', 1)];
  const edited = [limit('a', 5), limit('b', 1), limit('c', 1), limit('mine', 9)];
  const now = [limit('a', 2), limit('b', 7), limit('theirs', 3)];
  expect(names(rebaseLimits(edited, base, now))).toEqual(['a=5', 'b=7', 'theirs=3', 'mine=9']);
});

it('keeps a limit removed that was removed locally', () => {
  expect(rebaseLimits([], [limit('a', 1)], [limit('a', 2)])).toEqual([]);
});

it('restores an edited limit that was removed remotely', () => {
  expect(names(rebaseLimits([limit('a', 5)], [limit('a', 1)], []))).toEqual(['a=5']);
});
