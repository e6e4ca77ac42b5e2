import { describe, expect, it } from 'vitest';
import { type LimitInput, toLimitDraft } from './limit.inputs.js';

const LIMIT: LimitInput = {
  name: 'per-minute',
  apiKey: 'shop',
  operations: [],
  per: [],
  algorithm: 'FIXED_WINDOW',
  limit: 10,
  windowMs: 60_000,
};
const COMMON = {
  name: 'per-minute',
  api: 'shop',
  operations: [],
  per: [],
  limit: 10,
  onUnavailable: 'share',
};

describe('toLimitDraft', () => {
  it.each<[string, Partial<LimitInput>, object]>([
    [
      'aligns a fixed window to the clock',
      {},
      { algorithm: 'fixed_window', windowMs: 60_000, alignment: 'clock' },
    ],
    [
      'fills a token bucket with its limit, continuously',
      { algorithm: 'TOKEN_BUCKET' },
      { algorithm: 'token_bucket', windowMs: 60_000, capacity: 10, refill: 'continuous' },
    ],
    ['gives GCRA no burst', { algorithm: 'GCRA' }, { algorithm: 'gcra', windowMs: 60_000, burst: 0 }],
  ])('%s by default', (_name, more, policy) => {
    expect(toLimitDraft({ ...LIMIT, ...more })).toEqual({ draft: { ...COMMON, ...policy }, errors: [] });
  });

  it('omits terms that equal the default', () => {
    const { draft, errors } = toLimitDraft({
      ...LIMIT,
      throttle: { mode: 'HARD' },
      enforcement: { mode: 'ENFORCE' },
      charge: 'ALWAYS',
      consistency: { mode: 'STRICT' },
      candidate: null,
    });
    expect(errors).toEqual([]);
    expect(draft).toEqual(toLimitDraft(LIMIT).draft);
  });

  it('keeps every term that differs from the default', () => {
    const { draft, errors } = toLimitDraft({
      ...LIMIT,
      throttle: { mode: 'ELASTIC', maxPercent: 50, pool: 'spare' },
      enforcement: { mode: 'PERCENT', percent: 5 },
      charge: 'ON_FAILURE',
      consistency: { mode: 'LEASED', leaseMs: 500 },
      candidate: { algorithm: 'QUOTA', limit: 3, period: 'DAY' },
    });
    expect(errors).toEqual([]);
    expect(draft).toMatchObject({
      throttle: { mode: 'elastic', maxPercent: 50, pool: 'spare' },
      enforcement: { mode: 'percent', percent: 5 },
      charge: 'on_failure',
      consistency: { mode: 'leased', leaseMs: 500 },
      candidate: { algorithm: 'quota', limit: 3, period: 'day' },
    });
  });

  it.each<[string, Partial<LimitInput>, string[]]>([
    ['a window on a quota', { algorithm: 'QUOTA', period: 'DAY' }, ['windowMs']],
    ['a quota without a period', { algorithm: 'QUOTA', windowMs: null }, ['period']],
    ['concurrency without a permit timeout', { algorithm: 'CONCURRENCY', windowMs: null }, ['leaseMs']],
    ['a permit timeout on a window', { leaseMs: 1000 }, ['leaseMs']],
    ['a sliding counter without sub-windows', { algorithm: 'SLIDING_WINDOW_COUNTER' }, ['buckets']],
    ['a leaky bucket without a queue', { algorithm: 'LEAKY_BUCKET', burst: 1 }, ['burst', 'queue']],
    ['a window without a length', { windowMs: null }, ['windowMs']],
    [
      'a soft limit without percent',
      { throttle: { mode: 'SOFT', pool: 'p' } },
      ['throttle.pool', 'throttle.percent'],
    ],
    ['percent on a hard limit', { throttle: { mode: 'HARD', percent: 10 } }, ['throttle.percent']],
    ['percent in shadow mode', { enforcement: { mode: 'SHADOW', percent: 10 } }, ['enforcement.percent']],
    ['leases without a duration', { consistency: { mode: 'LEASED' } }, ['consistency.leaseMs']],
    [
      'a candidate with fields of another algorithm',
      { candidate: { algorithm: 'GCRA', limit: 1, windowMs: 1000, period: 'DAY' } },
      ['candidate.period'],
    ],
  ])('reports the fields of %s', (_name, more, fields) => {
    expect(toLimitDraft({ ...LIMIT, ...more }).errors.map(({ field }) => field)).toEqual(fields);
  });
});
