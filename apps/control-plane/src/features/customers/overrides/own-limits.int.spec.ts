import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdjustedTenants } from '../../../../test/support/adjusted-tenant.js';
import { CALLER } from '../../../../test/support/test-app.js';
import { startTestServices } from '../../../../test/support/test-services.js';
import { CatalogueModule } from '../../catalogue/index.js';
import { RelayModule } from '../../distribution/index.js';
import { CustomersModule } from '../customers.modules.js';
import { OverridesService } from './overrides.service.js';

const HOUR_MS = 3_600_000;

let tenants: AdjustedTenants;
let service: OverridesService;

beforeAll(async () => {
  tenants = new AdjustedTenants(await startTestServices([RelayModule, CatalogueModule, CustomersModule]));
  await tenants.setUp();
  service = tenants.services.context.get(OverridesService);
});
afterAll(() => tenants?.services.stop());

const of = (tenantKey: string) => ({ tenantKey, apiKey: 'shop', limit: 'rate' });

describe('an own limit', () => {
  it('is published as the last stage, replaced by the next one, and removed with its audit entries', async () => {
    await tenants.create('frugal');
    expect(await service.setOwnLimit(CALLER, { ...of('frugal'), max: 40 })).toMatchObject({ ok: true });
    expect(await service.setOwnLimit(CALLER, { ...of('frugal'), max: 60 })).toMatchObject({ ok: true });
    const { adjustments = [], adjusted = [] } = await tenants.published('frugal');
    expect(adjusted.map((place) => adjustments[place])).toMatchObject([
      { source: 'own', api: 'shop', limit: 'rate', effect: { kind: 'set', limit: 60 } },
    ]);
    expect(await service.removeOwnLimit(CALLER, of('frugal'))).toMatchObject({ ok: true });
    expect((await tenants.published('frugal')).adjusted ?? []).toEqual([]);
    const audit = await tenants.database.client.auditEntry.findMany({
      where: { tenantKey: 'frugal', action: { startsWith: 'own_limit' } },
      orderBy: { id: 'asc' },
    });
    expect(audit.map(({ action, actor }) => [action, actor])).toEqual([
      ['own_limit.set', CALLER.actor.label],
      ['own_limit.set', CALLER.actor.label],
      ['own_limit.remove', CALLER.actor.label],
    ]);
  });

  it('is rejected unless it lowers the limit, and unless the limit exists', async () => {
    await tenants.create('hopeful');
    const message = 'Enter less than 100: an own limit never raises a limit.';
    for (const max of [100, 5000]) {
      expect(await service.setOwnLimit(CALLER, { ...of('hopeful'), max })).toMatchObject({
        errors: [{ code: 'INVALID', field: ['max'], message }],
      });
    }
    expect(await service.setOwnLimit(CALLER, { ...of('hopeful'), limit: 'none', max: 5 })).toMatchObject({
      errors: [{ code: 'NOT_FOUND' }],
    });
    expect(await service.removeOwnLimit(CALLER, of('hopeful'))).toMatchObject({
      errors: [{ code: 'NOT_FOUND' }],
    });
  });

  it('stays in effect below a boost, which names it to operators', async () => {
    await tenants.create('capped');
    await service.setOwnLimit(CALLER, { ...of('capped'), max: 40 });
    const boost = await service.startBoost(CALLER, {
      ...of('capped'),
      ...{ expectedVersion: 2, effect: { kind: 'MULTIPLY', percent: 200 }, carryOver: 'KEEP' },
      ...{ endsAt: new Date(Date.now() + HOUR_MS), reason: 'test' },
    } as never);
    expect(boost).toMatchObject({ errors: [{ code: 'INVALID', field: ['effect'] }] });
    expect(JSON.stringify(boost)).toContain("The customer's own limit on rate stays in effect");
  });
});
