import { expect, it } from 'vitest';
import { limitSentence } from './limit-sentence.js';
import type { LimitSpec } from './limit-spec.js';

const fixed: LimitSpec = {
  name: 'create',
  apiKey: 'url-shortener',
  operations: ['createURL'],
  per: [],
  algorithm: 'FIXED_WINDOW',
  limit: 100,
  windowMs: 60_000,
  burst: null,
  alignment: 'CLOCK',
  onUnavailable: 'SHARE',
};

const gcra = { algorithm: 'GCRA', burst: 0, alignment: null } as const;

it.each<[string, Partial<LimitSpec>]>([
  ['Up to 100 requests a minute per tenant; then 429 until the next one begins.', {}],
  [
    'Up to 1 request an hour per tenant; then 429 until it ends; the first request starts it.',
    { limit: 1, windowMs: 3_600_000, alignment: 'FIRST_REQUEST' },
  ],
  [
    '100 requests a minute per tenant and user, one every 600 ms; then 429 until the next one is due.',
    { ...gcra, per: ['user'] },
  ],
  [
    '10 requests every 15 minutes per tenant and user and ip, one every 1.5 minutes, up to 21 at once; then 429 until the next one is due.',
    { ...gcra, per: ['user', 'ip'], limit: 10, windowMs: 900_000, burst: 20 },
  ],
])('says: %s', (sentence, change) => expect(limitSentence({ ...fixed, ...change })).toBe(sentence));
