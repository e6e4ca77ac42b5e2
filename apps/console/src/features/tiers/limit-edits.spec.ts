import { describe, expect, it } from 'vitest';
import {
  checkRows,
  type LimitEdits,
  NO_EDITS,
  placeUserErrors,
  reduceLimitEdits,
  type StoredLimit,
} from './limit-edits.js';

const stored: StoredLimit = {
  name: 'create',
  apiKey: 'url-shortener',
  operations: ['createURL'],
  per: [],
  algorithm: 'FIXED_WINDOW',
  limit: 100,
  windowMs: 60_000,
  burst: null,
  alignment: 'CLOCK',
  onUnavailable: 'SHARE',
  summary: 'Each tenant may …',
};

const loaded = (...limits: StoredLimit[]): LimitEdits => reduceLimitEdits(NO_EDITS, { type: 'load', limits });

describe('editing limits', () => {
  it('keeps the server’s sentence until a row is edited', () => {
    const before = loaded(stored);
    const after = reduceLimitEdits(before, { type: 'change', rowId: 1, change: { limit: 5 } });
    expect([before.rows[0]?.summary, after.rows[0]?.summary]).toEqual(['Each tenant may …', undefined]);
  });

  it('gives a row the fields of its algorithm and takes the others away', () => {
    const gcra = reduceLimitEdits(loaded(stored), {
      type: 'change',
      rowId: 1,
      change: { algorithm: 'GCRA' },
    });
    expect(gcra.rows[0]).toMatchObject({ algorithm: 'GCRA', burst: 0, alignment: null });
    const back = reduceLimitEdits(gcra, { type: 'change', rowId: 1, change: { algorithm: 'FIXED_WINDOW' } });
    expect(back.rows[0]).toMatchObject({ burst: null, alignment: 'CLOCK' });
  });

  it('never gives a removed row’s id to an added one', () => {
    const removed = reduceLimitEdits(loaded(stored, { ...stored, name: 'b' }), { type: 'remove', rowId: 2 });
    expect(reduceLimitEdits(removed, { type: 'add', limit: stored }).rows.map((row) => row.rowId)).toEqual([
      1, 3,
    ]);
  });
});

describe('checking rows', () => {
  it('finds nothing wrong with a good row', () => expect(checkRows(loaded(stored).rows).size).toBe(0));

  it('names the field that is wrong', () => {
    const { rows } = loaded({ ...stored, limit: 0, name: 'Not a slug', per: ['tenant'] });
    expect(Object.keys(checkRows(rows).get(1) ?? {}).sort()).toEqual(['limit', 'name', 'per']);
  });

  it('refuses the second limit of the same name in one API', () => {
    expect([...checkRows(loaded(stored, stored).rows).keys()]).toEqual([2]);
  });
});

describe('placing the server’s messages', () => {
  it('finds row and field of a path, and keeps the rest for the form', () => {
    const { rows } = loaded(stored, { ...stored, name: 'b' });
    const placed = placeUserErrors(rows, [
      { code: 'INVALID', field: ['input', 'limits', '1', 'windowMs'], message: 'too long' },
      { code: 'INVALID', field: ['limits', '0', 'colour'], message: 'unknown' },
      { code: 'INVALID', field: ['reason'], message: 'too wordy' },
      { code: 'CONFLICT', message: 'changed' },
    ]);
    expect(Object.fromEntries(placed.byRow)).toEqual({ 2: { windowMs: 'too long' }, 1: { row: 'unknown' } });
    expect(placed.form).toEqual(['too wordy', 'changed']);
  });
});
