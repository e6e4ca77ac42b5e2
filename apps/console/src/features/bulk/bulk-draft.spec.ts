import { expect, it } from 'vitest';
import { bulkEffectKinds, bulkInputOf, changeBulk, NEW_BULK } from './bulk-draft.js';

it('sets, adds to and multiplies limits of many tenants', () => {
  const override = changeBulk(NEW_BULK, { kind: 'OVERRIDE', apiKey: 'shop', limit: 'per-day', lasts: '1h' });
  const ask = (effect: typeof override.effect) => bulkInputOf({ ...override, effect }, 0)?.adjustment;
  const where = { apiKey: 'shop', limit: 'per-day', endsAt: '1970-01-01T01:00:00.000Z' };
  expect(ask({ kind: 'SET', amount: '10k' })).toEqual({ ...where, effect: { kind: 'SET', limit: 10_000 } });
  expect(ask({ kind: 'ADD', amount: '500' })).toEqual({ ...where, effect: { kind: 'ADD', units: 500 } });
  expect(ask({ kind: 'MULTIPLY', amount: '2x' })?.effect).toEqual({ kind: 'MULTIPLY', percent: 200 });
  expect(ask({ kind: 'MULTIPLY', amount: 'twice' })).toBeUndefined();
});

it('allows SET for a single limit only, and never for a boost', () => {
  expect(bulkEffectKinds({ kind: 'OVERRIDE', limit: null })).not.toContain('SET');
  expect(bulkEffectKinds({ kind: 'BOOST', limit: 'per-day' })).not.toContain('SET');
  const set = {
    ...NEW_BULK,
    kind: 'OVERRIDE',
    limit: 'per-day',
    effect: { kind: 'SET', amount: '5' },
  } as const;
  expect(changeBulk(set, { limit: null }).effect).toEqual(NEW_BULK.effect);
});
