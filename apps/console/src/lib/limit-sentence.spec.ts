import { expect, it } from 'vitest';
import { limitSentence } from './limit-sentence.js';
import type { LimitSpec } from './limit-spec.js';

const edit: LimitSpec = {
  name: 'create',
  apiKey: 'url-shortener',
  operations: ['createURL'],
  per: ['user'],
  algorithm: 'FIXED_WINDOW',
  limit: 100,
  windowMs: 60_000,
  burst: null,
  alignment: 'FIRST_REQUEST',
  onUnavailable: 'SHARE',
};

it('says of an edit what the server would say', () => {
  expect(limitSentence(edit)).toBe(
    'Up to 100 requests a minute per tenant and user; then 429 until it ends; the first request starts it.',
  );
  expect(limitSentence({ ...edit, algorithm: 'GCRA', burst: 20, alignment: null })).toBe(
    '100 requests a minute per tenant and user, one every 600 ms, up to 21 at once; then 429 until the next one is due.',
  );
});
