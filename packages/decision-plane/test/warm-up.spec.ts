import { warmUpOf } from '@tollgate/replay';
import { describe, expect, it } from 'vitest';
import { fixedWindowPolicy, policyBy } from '../../limiter/test/policies.js';
import { sitePolicy } from './recorded-traffic.js';

const HOUR_MS = 3_600_000;

describe('warm-up', () => {
  const policy = sitePolicy([
    fixedWindowPolicy({ api: 'site', name: 'minute', windowMs: 60_000 }),
    fixedWindowPolicy({ api: 'site', name: 'hour', windowMs: HOUR_MS }),
    policyBy({ algorithm: 'concurrency', limit: 5, leaseMs: 24 * HOUR_MS }, { api: 'site', name: 'permits' }),
    policyBy({ algorithm: 'quota', limit: 5, period: 'month' }, { api: 'site', name: 'month' }),
  ]);

  it('has the length of the longest window', () => {
    expect(warmUpOf([policy], 24 * HOUR_MS)).toEqual({ warmUpMs: HOUR_MS, notWarm: ['site/month'] });
  });

  it('names windows of more than half of the recording', () => {
    expect(warmUpOf([policy], HOUR_MS)).toEqual({ warmUpMs: 60_000, notWarm: ['site/hour', 'site/month'] });
  });

  it('needs none for limits that start with known usage', () => {
    const known = new Set(['site/hour', 'site/month']);
    expect(warmUpOf([policy], 24 * HOUR_MS, known)).toEqual({ warmUpMs: 60_000, notWarm: [] });
  });

  it('ignores tiers without tenants', () => {
    expect(warmUpOf([{ ...policy, tenants: [] }], HOUR_MS)).toEqual({ warmUpMs: 0, notWarm: [] });
  });
});
