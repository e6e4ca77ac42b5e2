import type { QuotaCheckpoint } from '@tollgate/decision-plane/internals';
import { expect, it } from 'vitest';
import { mergeCheckpoints } from './checkpoints.repository.js';

const read = (used: number, atUs: number, loweredAtUs = 0, more: Partial<QuotaCheckpoint> = {}) => ({
  tenant: 'acme',
  key: 'k',
  periodEndMs: 1,
  used,
  atUs,
  loweredAtUs,
  ...more,
});

it.each<[string, QuotaCheckpoint[], QuotaCheckpoint[]]>([
  ['the highest counts, in whatever order', [read(5, 1), read(9, 2), read(7, 3)], [read(9, 2)]],
  ['a reading after a give takes the place of those before', [read(9, 2), read(4, 3, 3)], [read(4, 3, 3)]],
  ['one before a give counts no more', [read(4, 3, 3), read(9, 2)], [read(4, 3, 3)]],
  ['what is used after a give counts', [read(4, 3, 3), read(6, 4)], [read(6, 4, 3)]],
  [
    'tenants, counters and periods are apart',
    [
      read(1, 1),
      read(2, 1, 0, { tenant: 'b' }),
      read(3, 1, 0, { key: 'l' }),
      read(4, 1, 0, { periodEndMs: 2 }),
    ],
    [
      read(1, 1),
      read(2, 1, 0, { tenant: 'b' }),
      read(3, 1, 0, { key: 'l' }),
      read(4, 1, 0, { periodEndMs: 2 }),
    ],
  ],
])('%s', (_, seen, merged) => {
  expect(mergeCheckpoints(seen)).toEqual(merged);
});
