import type { LimitPolicy } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { applyEdits, cellKey, type RowShape, readBlock, readCell } from './matrix-edits.js';

const LIMIT: LimitPolicy = {
  ...{ name: 'per-minute', api: 'shop', operations: ['buy'], per: [], onUnavailable: 'share' },
  ...{ algorithm: 'token_bucket', limit: 100, windowMs: 60_000, capacity: 200, refill: 'continuous' },
};
const NEW = { api: 'shop', name: 'sell', operations: ['sell'], per: [] };
const at = (name: string) => cellKey({ tierKey: 'pro', api: 'shop', name });

describe('matrix edits', () => {
  it('changes the rate of a limit and keeps its other terms', () => {
    expect(applyEdits('pro', [LIMIT], new Map([[at('per-minute'), '50/min']]), [LIMIT])).toEqual([
      { ...LIMIT, limit: 50 },
    ]);
  });

  it('adds and removes limits', () => {
    const edits = new Map([
      [at('per-minute'), ' '],
      [at('sell'), '10k per month'],
    ]);
    expect(applyEdits('pro', [LIMIT], edits, [LIMIT, NEW])).toEqual([
      { ...NEW, onUnavailable: 'share', algorithm: 'quota', limit: 10_000, period: 'month' },
    ]);
  });

  it('adds a limit with the storage of its row', () => {
    const row: RowShape = { ...NEW, per: ['user'], storage: 'packed', expectedSubjects: 500 };
    const edits = new Map([[at('sell'), '10/min']]);
    expect(applyEdits('pro', [], edits, [row])).toEqual([
      {
        ...row,
        onUnavailable: 'share',
        algorithm: 'fixed_window',
        limit: 10,
        windowMs: 60_000,
        alignment: 'clock',
      },
    ]);
  });

  it('reports an invalid cell and blocks only its tier', () => {
    const edits = new Map([[at('per-minute'), 'many']]);
    expect(readCell('many', LIMIT, LIMIT)).toMatchObject({
      policy: LIMIT,
      problem: { message: expect.any(String) },
    });
    expect(applyEdits('pro', [LIMIT], edits, [LIMIT])).toBeUndefined();
    expect(applyEdits('free', [LIMIT], edits, [LIMIT])).toEqual([LIMIT]);
  });
});

it('parses a pasted block, but not a single value', () => {
  expect(readBlock('100/min')).toBeUndefined();
  expect(readBlock('10/min\t20/min\r\n1k/day\t\n')).toEqual([
    ['10/min', '20/min'],
    ['1k/day', ''],
  ]);
});
