import type { QuotaCheckpoint } from '@tollgate/decision-plane/operate';
import { expect, it } from 'vitest';
import { mergeCheckpoints } from './journal.repository.js';

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
  ['keeps the highest reading in any order', [read(5, 1), read(9, 2), read(7, 3)], [read(9, 2)]],
  ['replaces readings before a refund', [read(9, 2), read(4, 3, 3)], [read(4, 3, 3)]],
  ['ignores readings from before a refund', [read(4, 3, 3), read(9, 2)], [read(4, 3, 3)]],
  ['counts usage after a refund', [read(4, 3, 3), read(6, 4)], [read(6, 4, 3)]],
  [
    'keeps tenants, counters and periods separate',
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
