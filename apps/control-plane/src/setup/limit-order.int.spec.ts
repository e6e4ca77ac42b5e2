import type { Adjustment, LimitPolicy } from '@tollgate/contracts';
import { expect, it } from 'vitest';
import { AdjustedTenants } from '../../test/support/adjusted-tenant.js';
import { CALLER } from '../../test/support/test-app.js';
import { startTestServices } from '../../test/support/test-services.js';
import { EntitlementGrantsService, OverridesService } from '../features/customers/index.js';
import { LimitOrderCheck, reorderedNumbers } from './limit-order.js';
import { SetupModule } from './setup.module.js';

const quota: LimitPolicy = {
  ...{ name: 'monthly', api: 'shop', operations: [], per: [], onUnavailable: 'share' },
  ...{ algorithm: 'quota', period: 'month', limit: 100 },
};
const by = (source: Adjustment['source'], effect: Adjustment['effect']): Adjustment => {
  return { id: `${source}-${JSON.stringify(effect)}`, source, api: 'shop', limit: 'monthly', effect };
};
const pack = by('topup', { kind: 'add', units: 50 });

it.each<[string, Adjustment[], ReturnType<typeof reorderedNumbers>]>([
  [
    'a multiplied pack',
    [pack, by('override', { kind: 'multiply', percent: 200 })],
    { before: 300, after: 250 },
  ],
  ['a halved pack', [pack, by('override', { kind: 'multiply', percent: 50 })], { before: 75, after: 100 }],
  ['a hidden pack', [pack, by('override', { kind: 'set', limit: 200 })], { before: 200, after: 250 }],
  ['a boosted pack', [pack, by('boost', { kind: 'multiply', percent: 200 })], { before: 300, after: 250 }],
  ['a blocked limit', [pack, by('override', { kind: 'set', limit: 0 })], undefined],
  ['an override that adds', [pack, by('override', { kind: 'add', units: 9 })], undefined],
  ['an own ceiling', [pack, by('own', { kind: 'set', limit: 120 })], undefined],
  [
    'a percentage that was bought',
    [by('topup', { kind: 'multiply', percent: 150 }), by('override', { kind: 'set', limit: 40 })],
    undefined,
  ],
  ['no override', [pack], undefined],
])('compares the former and the present limit of %s', (_what, inForce, expected) => {
  expect(reorderedNumbers(quota, inForce)).toEqual(expected);
});

it('names the limits of all tenants that change when set-up brings the new order', async () => {
  const tenants = new AdjustedTenants(await startTestServices([SetupModule]));
  try {
    await tenants.setUp();
    const get = <T>(type: new (...args: never[]) => T): T =>
      tenants.services.context.get(type, { strict: false });
    for (const tenantKey of ['beta', 'alpha', 'gamma']) {
      await tenants.create(tenantKey);
      const of = { tenantKey, apiKey: 'shop', reason: 'test' };
      const granted = await get(EntitlementGrantsService).grant(CALLER, {
        ...{
          tenantKey,
          reason: 'test',
          expectedVersion: 1,
          source: 'TOPUP',
          label: 'Pack',
          carryOver: 'KEEP',
        },
        effects: [{ apiKey: 'shop', limit: 'monthly', effect: { kind: 'ADD', units: 500 } }],
      } as never);
      expect(granted).toMatchObject({ ok: true });
      const effect = tenantKey === 'gamma' ? { kind: 'ADD', units: 5 } : { kind: 'MULTIPLY', percent: 200 };
      const set = { ...of, limit: 'monthly', expectedVersion: 2, effect, carryOver: 'KEEP' };
      expect(await get(OverridesService).set(CALLER, set as never)).toMatchObject({ ok: true });
    }
    const changed = { api: 'shop', limit: 'monthly', before: 3000, after: 2500 };
    expect(await get(LimitOrderCheck).listReordered()).toEqual([
      { tenant: 'alpha', ...changed },
      { tenant: 'beta', ...changed },
    ]);
  } finally {
    await tenants.services.stop();
  }
});
