import { describe, expect, it } from 'vitest';
import { configDocumentSchema, configOfPolicy, policyOfConfig } from './config-document.js';
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
        candidate: { algorithm: 'fixed_window', limit: 5, window: '1s' },
      },
      { candidate: { algorithm: 'fixed_window', limit: 5, windowMs: 1000, alignment: 'clock' } },
    ],
  ])('gets the defaults of its algorithm and is written without them: %j', (rule, filled) => {
    const limit = { name: 'x', api: 'shop', ...rule };
    const policy = limitPolicySchema.parse(policyOfConfig(limit));
    expect(policy).toMatchObject({ ...filled, windowMs: 60_000, onUnavailable: 'share' });
    expect(configOfPolicy(policy)).toEqual(limit);
  });

  it.each([
    [{ algorithm: 'gcra', limit: 5, window: '1s' }, true],
    [{ algorithm: 'gcra', limit: 5, windowMs: 1000 }, true],
    [{ algorithm: 'gcra', limit: 5, window: '1s', windowMs: 1000 }, false],
    [{ algorithm: 'gcra', limit: 5 }, false],
    [{ algorithm: 'quota', limit: 5, period: 'day' }, true],
    [{ algorithm: 'quota', limit: 5, period: 'day', window: '1s' }, false],
  ])('has a candidate with a window in one form: %j, %s', (candidate, isValid) => {
    const limit = { name: 'x', api: 'shop', algorithm: 'gcra', limit: 10, window: '1m', candidate };
    const document = { version: 1, tiers: { basic: { name: 'Basic', limits: [limit] } } };
    expect(configDocumentSchema.safeParse(document).success).toBe(isValid);
    if (!isValid || !('windowMs' in candidate || 'window' in candidate)) return;
    expect(policyOfConfig(limit)).toMatchObject({ candidate: { windowMs: 1000 } });
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
