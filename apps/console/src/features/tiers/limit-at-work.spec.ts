import type { LimitPolicy } from '@tollgate/contracts';
import { expect, it } from 'vitest';
import { describeAtLimit } from './limit-at-work.js';

const COMMON = { name: 'x', api: 'shop', onUnavailable: 'share' } as const;

it.each<[Partial<LimitPolicy>, string]>([
  [
    {
      ...{ algorithm: 'fixed_window', limit: 100, windowMs: 60_000, alignment: 'clock' },
      throttle: { mode: 'soft', percent: 10 },
    },
    'Up to 110 requests a minute pass, the last 10 marked; then 429 for up to 1 min.',
  ],
  [
    { algorithm: 'gcra', limit: 10, windowMs: 1000, burst: 0 },
    'Up to 10 requests a second pass; then 429 for up to 100 ms.',
  ],
  [
    { algorithm: 'sliding_window_log', limit: 1, windowMs: 90_000 },
    'Up to 1 request every 1 min 30 s pass; then 429 for up to 1 min 30 s.',
  ],
  [
    {
      ...{ algorithm: 'quota', limit: 10_000, period: 'month' },
      throttle: { mode: 'elastic', maxPercent: 50, pool: 'main' },
    },
    'Up to 10,000 requests a month pass, and up to 5,000 more while pool main has capacity to spare; then 429 until the next period begins in the tenant’s time zone.',
  ],
  [
    { algorithm: 'concurrency', limit: 5, leaseMs: 30_000, throttle: { mode: 'queue', maxDelayMs: 2000 } },
    'Up to 5 requests at the same time pass at once; what comes on top is told to wait, 2 s at most; then 429 until one of them ends.',
  ],
  [
    {
      ...{ algorithm: 'fixed_window', limit: 1, windowMs: 1000, alignment: 'clock' },
      enforcement: { mode: 'shadow' },
    },
    'Nothing is refused: what would be is counted.',
  ],
])('%o', (rule, text) => {
  expect(describeAtLimit({ ...COMMON, ...rule, operations: [], per: [] } as LimitPolicy)).toBe(text);
});
