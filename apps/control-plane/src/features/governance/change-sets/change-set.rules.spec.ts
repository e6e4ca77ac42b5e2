import { describe, expect, it } from 'vitest';
import { digestOf, fieldChanges, findWrongStep } from './change-set.rules.js';

describe('fieldChanges', () => {
  it('lists changed, added and removed fields by path', () => {
    const before = { name: 'A', same: 1, deep: { x: 1, y: [1] }, gone: true };
    const after = { name: 'B', same: 1, deep: { x: 1, y: [1, 2] }, fresh: null };
    expect(fieldChanges(before, after)).toEqual([
      { path: 'deep.y', before: [1], after: [1, 2] },
      { path: 'gone', before: true, after: null },
      { path: 'name', before: 'A', after: 'B' },
    ]);
    expect(fieldChanges(null, { a: 1 })).toEqual([{ path: '', before: null, after: { a: 1 } }]);
  });
});

describe('a digest', () => {
  it('depends on old and new values', () => {
    const entry = {
      item: 0,
      action: 'a.b',
      entity: 'A',
      entityId: '1',
      tenantKey: null,
      before: { a: 1 },
      after: { a: 2 },
      fromNow: [],
    };
    const digests = [[entry], [{ ...entry, before: { a: 3 } }], [{ ...entry, after: { a: 3 } }], []].map(
      digestOf,
    );
    expect(new Set(digests).size).toBe(4);
  });
});

describe('steps', () => {
  it('are allowed in order only', () => {
    expect(findWrongStep('apply', 'APPROVED')).toBeUndefined();
    for (const status of ['DRAFT', 'SUBMITTED', 'APPLIED', 'REJECTED', 'CANCELED', 'SCHEDULED'] as const) {
      expect(findWrongStep('apply', status)?.code).toBe('INVALID');
    }
  });
});
