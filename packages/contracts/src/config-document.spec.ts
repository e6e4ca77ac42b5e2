import { describe, expect, it } from 'vitest';
import { configOfPolicy, policyOfConfig } from './config-document.js';
import { limitPolicySchema } from './limit-policy.js';

describe('a limit of a configuration', () => {
  it.each([
    [{ algorithm: 'fixed_window', limit: 10, window: '1m' }, { alignment: 'clock' }],
    [
      { algorithm: 'token_bucket', limit: 10, window: '1m' },
      { capacity: 10, refill: 'continuous' },
    ],
    [
      { algorithm: 'token_bucket', limit: 0, window: '1m' },
      { capacity: 1, refill: 'continuous' },
    ],
    [{ algorithm: 'gcra', limit: 10, window: '1m' }, { burst: 0 }],
    [
      {
        algorithm: 'gcra',
        limit: 10,
        window: '1m',
        candidate: { algorithm: 'fixed_window', limit: 5, windowMs: 1000 },
      },
      { candidate: { algorithm: 'fixed_window', limit: 5, windowMs: 1000, alignment: 'clock' } },
    ],
  ])('gets the defaults of its algorithm and is written without them: %j', (rule, filled) => {
    const limit = { name: 'x', api: 'shop', ...rule };
    const policy = limitPolicySchema.parse(policyOfConfig(limit));
    expect(policy).toMatchObject({ ...filled, windowMs: 60_000, onUnavailable: 'share' });
    expect(configOfPolicy(policy)).toEqual(limit);
  });

  it('is written with the fields that differ from the defaults', () => {
    const common = { name: 'x', api: 'shop', limit: 10, window: '1m' };
    const packed = { per: ['user'], storage: 'packed', expectedSubjects: 500 };
    for (const fields of [
      { algorithm: 'gcra', burst: 4 },
      { algorithm: 'gcra', alsoApis: ['search'] },
      { algorithm: 'gcra', amounts: { by: 'region', labels: [{ label: 'eu', limit: 4 }], others: 2 } },
      { algorithm: 'fixed_window', ...packed },
      {
        algorithm: 'fixed_window',
        penalty: { denials: 9, windowMs: 60_000, blockMs: 1000, maxBlockMs: 5000 },
        warmUp: { ms: 600_000, startPercent: 40 },
      },
    ]) {
      const limit = { ...common, ...fields };
      expect(configOfPolicy(limitPolicySchema.parse(policyOfConfig(limit)))).toEqual(limit);
    }
  });
});
