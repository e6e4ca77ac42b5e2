import { expect, it } from 'vitest';
import { limitPolicySchema } from './limit-policy.js';

const penalty = { denials: 10, windowMs: 60_000, blockMs: 300_000, maxBlockMs: 3_600_000 };
const limit = {
  ...{ name: 'login', api: 'shop', operations: [], per: ['user'], onUnavailable: 'share', limit: 10 },
  ...{ algorithm: 'fixed_window', windowMs: 60_000, alignment: 'clock', penalty },
};
const { windowMs: _, alignment: __, ...rule } = limit;

const problemsOf = (policy: object) =>
  limitPolicySchema.safeParse(policy).error?.issues.map(({ path, message }) => [path.join('.'), message]) ??
  [];

it.each([limit, { ...rule, algorithm: 'concurrency', leaseMs: 1000 }, { ...limit, charge: 'on_failure' }])(
  'accepts a penalty of %j',
  (policy) => {
    expect(problemsOf(policy)).toEqual([]);
  },
);

it.each([
  [{ ...rule, algorithm: 'quota', period: 'day' }, 'penalty', 'A quota has no penalty'],
  [{ ...limit, consistency: { mode: 'leased', leaseMs: 1000 } }, 'penalty', 'A leased limit has no penalty'],
  [{ ...limit, storage: 'packed', expectedSubjects: 5 }, 'penalty', 'storage packed has no penalty'],
  [{ ...limit, storage: 'subject' }, 'penalty', 'storage subject has no penalty'],
  [{ ...limit, penalty: { ...penalty, maxBlockMs: 1000 } }, 'penalty.maxBlockMs', 'blockMs or more'],
  [{ ...limit, penalty: { ...penalty, denials: 0 } }, 'penalty.denials', 'from 1 to 10000'],
  [{ ...limit, penalty: { ...penalty, windowMs: 1.5 } }, 'penalty.windowMs', 'from 1000 to 86400000'],
])('rejects %j and names the field', (policy, field, message) => {
  expect(problemsOf(policy)).toEqual([[field, expect.stringContaining(message)]]);
});
