import { expect, it } from 'vitest';
import type { FixedWindowPolicy, GcraPolicy, LimitPolicy } from './limit-policy.js';
import { summarizeLimit } from './limit-summary.js';

const common = {
  name: 'create',
  api: 'url-shortener',
  operations: [],
  per: [],
  onUnavailable: 'share' as const,
};
const fixed: FixedWindowPolicy = {
  ...common,
  algorithm: 'fixed_window',
  alignment: 'clock',
  limit: 100,
  windowMs: 60_000,
};
const gcra: GcraPolicy = { ...common, algorithm: 'gcra', burst: 0, limit: 100, windowMs: 60_000 };

it.each<[string, LimitPolicy]>([
  ['Up to 100 requests a minute per tenant; then 429 until the next one begins.', fixed],
  [
    'Up to 1 request an hour per tenant; then 429 until it ends; the first request starts it.',
    { ...fixed, limit: 1, windowMs: 3_600_000, alignment: 'first_request' },
  ],
  [
    'Up to 10,000 requests every 30 days per tenant; then 429 until the next one begins.',
    { ...fixed, limit: 10_000, windowMs: 30 * 86_400_000 },
  ],
  [
    'Up to 5 requests every 250 ms per tenant; then 429 until the next one begins.',
    { ...fixed, limit: 5, windowMs: 250 },
  ],
  [
    '100 requests a minute per tenant and user, one every 600 ms; then 429 until the next one is due.',
    { ...gcra, per: ['user'] },
  ],
  [
    '10 requests every 15 minutes per tenant and user and ip, one every 1.5 minutes, up to 21 at once; then 429 until the next one is due.',
    { ...gcra, per: ['user', 'ip'], limit: 10, windowMs: 900_000, burst: 20 },
  ],
  [
    '60 requests a minute per tenant, one every second; then 429 until the next one is due.',
    { ...gcra, limit: 60 },
  ],
])('says: %s', (sentence, policy) => {
  expect(summarizeLimit(policy)).toBe(sentence);
});
