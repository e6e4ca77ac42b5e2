import type { LimitPolicy, Rule } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { describePer, describeRule, describeTerms, formError } from './limit-text.js';

const windowed = { limit: 100, windowMs: 60_000 };

describe('describeRule', () => {
  it.each<[string, Rule]>([
    ['fixed window', { algorithm: 'fixed_window', ...windowed, alignment: 'clock' }],
    [
      'fixed window from the first request',
      { algorithm: 'fixed_window', ...windowed, alignment: 'first_request' },
    ],
    ['sliding window, exact', { algorithm: 'sliding_window_log', ...windowed }],
    ['sliding window in 60 steps', { algorithm: 'sliding_window_counter', ...windowed, buckets: 60 }],
    ['sliding window, estimated', { algorithm: 'sliding_window_counter', ...windowed, buckets: 1 }],
    ['bucket of 500', { algorithm: 'token_bucket', ...windowed, capacity: 500, refill: 'continuous' }],
    [
      'bucket of 500, refilled at intervals',
      { algorithm: 'token_bucket', ...windowed, capacity: 500, refill: 'interval' },
    ],
    ['queue of 20', { algorithm: 'leaky_bucket', ...windowed, queue: 20 }],
    ['burst 10', { algorithm: 'gcra', ...windowed, burst: 10 }],
    ['evenly spaced', { algorithm: 'gcra', ...windowed, burst: 0 }],
    ['lease of 30s', { algorithm: 'concurrency', limit: 5, leaseMs: 30_000 }],
    ['calendar period', { algorithm: 'quota', limit: 100, period: 'day' }],
  ])('%s', (text, rule) => expect(describeRule(rule)).toBe(text));
});

describe('describePer', () => {
  it.each([
    ['per tenant', []],
    ['per user + ip', ['user', 'ip']],
    ['all tenants together', ['global']],
    ['per ip, all tenants', ['global', 'ip']],
  ])('%s', (text, per) => expect(describePer(per)).toBe(text));
});

describe('describeTerms', () => {
  const plain: LimitPolicy = {
    ...{ name: 'create', api: 'url-shortener', operations: [], per: [], onUnavailable: 'share' },
    ...{ algorithm: 'fixed_window', ...windowed, alignment: 'clock' },
  };

  it.each<[string, Partial<LimitPolicy>]>([
    ['10 % more, marked', { throttle: { mode: 'soft', percent: 10 } }],
    ['50 % more from pool main', { throttle: { mode: 'elastic', maxPercent: 50, pool: 'main' } }],
    ['delayed by up to 250ms', { throttle: { mode: 'queue', maxDelayMs: 250 } }],
    ['shadow', { enforcement: { mode: 'shadow' } }],
    ['enforced for 20 % of counters', { enforcement: { mode: 'percent', percent: 20 } }],
    ['failures only', { charge: 'on_failure' }],
    ['successes only', { charge: 'on_success' }],
    ['Redis timeout 250ms', { deadlineMs: 250 }],
    ['leased for 1s', { consistency: { mode: 'leased', leaseMs: 1000 } }],
    [
      'candidate: 50/min, burst 5',
      { candidate: { algorithm: 'gcra', limit: 50, windowMs: 60_000, burst: 5 } },
    ],
  ])('%s', (text, terms) => {
    expect(describeTerms({ ...plain, ...terms } as LimitPolicy)).toEqual([text]);
  });

  it('is empty for default terms', () => {
    const spelledOut: LimitPolicy = {
      ...plain,
      throttle: { mode: 'hard' },
      enforcement: { mode: 'enforce' },
    };
    expect([describeTerms(plain), describeTerms(spelledOut)]).toEqual([[], []]);
  });
});

describe('formError', () => {
  it.each([
    [
      'limit',
      'limit must be 0 or more; 0 blocks the operations',
      'Limit must be 0 or more; 0 blocks the operations',
    ],
    [
      'ipv6Prefix',
      'ipv6Prefix must be a whole number from 48 to 128',
      'IPv6 prefix must be a whole number from 48 to 128',
    ],
    ['penalty.maxBlockMs', 'maxBlockMs must be blockMs or more', 'Longest block must be first block or more'],
    [
      'penalty.blockMs',
      'blockMs must be a whole number from 1000 to 2592000000',
      'First block must be 1s to 30day',
    ],
    ['deadlineMs', 'deadlineMs must be 1,000 (a second) at most', 'Redis timeout must be 1s at most'],
    ['windowMs', 'A window is 366 days at most', 'A window is 366 days at most'],
    ['throttle.percent', 'percent must be 1 to 1000', 'Extra allowance must be 1 to 1000'],
    [
      'storage',
      'Only storage packed has expectedSubjects; leave it out',
      'Only storage packed has expected subjects; leave it out',
    ],
    ['operations', 'createURL is unknown', 'createURL is unknown'],
  ])('%s: %s', (path, message, text) => expect(formError(message, path)).toBe(text));
});
