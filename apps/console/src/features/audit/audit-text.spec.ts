import { expect, it } from 'vitest';
import { describeAction, describeChange } from './audit-text.js';

it('names what changed and nothing else', () => {
  const before = { tier: 'free', status: 'ACTIVE', version: 1, limits: [1] };
  expect(describeChange(before, { ...before, tier: 'pro', version: 2, limits: [2] })).toBe(
    'tier: free → pro',
  );
  expect(describeChange(null, { name: 'Acme' })).toBe('name: Acme');
  expect(describeChange({ note: 'x' }, {})).toBe('note: x removed');
  expect(describeChange(undefined, 'text')).toBe('');
});

it('reads an unknown action as words', () => {
  expect(['tenant.suspend', 'tier.publish', 'serviceToken.create'].map(describeAction)).toEqual([
    'suspended the tenant',
    'tier publish',
    'service token create',
  ]);
});
