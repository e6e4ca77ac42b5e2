import { describe, expect, it } from 'vitest';
import { groupDenials } from './api.js';

const denial = (requestId: string, change: object = {}) => ({
  requestId,
  at: '2026-11-23T09:00:00Z',
  apiKey: 'shop',
  operation: 'order',
  limitName: 'per-minute',
  reason: 'RATE_EXCEEDED' as const,
  subject: [{ dimension: 'ip', pseudonym: 'a1' }],
  ...change,
});

describe('groupDenials', () => {
  it('counts denials of one limit, operation and caller, and shows the newest', () => {
    const groups = groupDenials([denial('new'), denial('old'), denial('older')]);
    expect(groups).toMatchObject([{ requestId: 'new', count: 3 }]);
  });

  it('separates limits, operations, reasons and callers', () => {
    const other = [
      { limitName: 'per-day' },
      { operation: 'refund' },
      { reason: 'POOL_EXHAUSTED' },
      { subject: [{ dimension: 'ip', pseudonym: 'b2' }] },
    ];
    const groups = groupDenials([denial('first'), ...other.map((change, i) => denial(`${i}`, change))]);
    expect(groups.map(({ requestId, count }) => [requestId, count])).toEqual([
      ['first', 1],
      ...other.map((_, i) => [`${i}`, 1]),
    ]);
  });
});
