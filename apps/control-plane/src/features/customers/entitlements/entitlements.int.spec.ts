import type { TenantRecord } from '@tollgate/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { AdjustedTenants } from '../../../../test/support/adjusted-tenant.js';
import { CALLER } from '../../../../test/support/test-app.js';
import { startTestServices } from '../../../../test/support/test-services.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import { Clock } from '../../../platform/clock.js';
import { runInScope } from '../../../platform/tenant-scope.js';
import { CatalogueModule, TiersService } from '../../catalogue/index.js';
import { RelayModule } from '../../distribution/index.js';
import { CustomersModule } from '../customers.modules.js';
import { TenantViews } from '../tenants/tenant-record.repository.js';
import { TenantsService } from '../tenants/tenants.service.js';
import { EntitlementsRepository } from './entitlements.repository.js';
import { EntitlementsService, type Grant } from './entitlements.service.js';
import { LimitSteps } from './limit-steps.service.js';

const HOUR_MS = 3_600_000;

let tenants: AdjustedTenants;
let service: EntitlementsService;

beforeAll(async () => {
  tenants = new AdjustedTenants(await startTestServices([RelayModule, CatalogueModule, CustomersModule]));
  await tenants.setUp();
  service = tenants.services.context.get(EntitlementsService);
});
afterAll(() => tenants?.services.stop());
afterEach(() => {
  vi.restoreAllMocks();
});

const change = <T>(work: (change: Change) => Promise<T>) =>
  tenants.services.context.get(ChangeRunner).run<T>(CALLER, { reason: null }, work);

const grantOf = (over: Partial<Grant> = {}): Grant => ({
  source: 'upgrade',
  cause: 'PURCHASE',
  purchaseId: 'pur_1',
  label: 'Double',
  effects: [{ effect: { kind: 'multiply', percent: 200 } }],
  startsAt: new Date(),
  endsAt: null,
  ...over,
});

async function grant(key: string, over: Partial<Grant> = {}) {
  const tenant = await tenants.get(key);
  const outcome = await change((open) => service.grant(open, tenant, grantOf(over)));
  if (!outcome.ok) throw new Error(outcome.errors[0]?.message);
  return outcome.value;
}

/** Numbers of the current and the scheduled adjustments. */
const planOf = ({ adjustments = [], adjusted = [], next = [] }: TenantRecord) => {
  const effectsOf = (places: number[]) => places.map((place) => adjustments[place]?.effect);
  return [effectsOf(adjusted), ...next.map((change) => effectsOf(change.adjusted ?? []))];
};

describe('the ledger', () => {
  it('applies a grant immediately, with an audit entry, and publishes the tenant', async () => {
    await tenants.create('acme');
    const [row] = await grant('acme');
    const record = await tenants.published('acme');
    expect(planOf(record)).toEqual([[{ kind: 'multiply', percent: 200 }]]);
    expect(record.adjustments).toEqual([
      { id: row?.id, source: 'upgrade', effect: { kind: 'multiply', percent: 200 } },
    ]);
    expect(record.generation).toBeGreaterThan(3);
    expect(record.moves).toMatchObject([{ tier: 'basic', version: 1, generation: 0, carryOver: 'keep' }]);
    const audit = await tenants.database.client.auditEntry.findMany({ where: { entityId: row?.id ?? '' } });
    expect(audit).toMatchObject([
      { action: 'entitlement.grant', tenantKey: 'acme', after: { label: 'Double' } },
    ]);
  });

  it('schedules later starts and ends, each under a separate generation', async () => {
    await tenants.create('planner');
    const [inAnHour, inTwo] = [1, 2].map((hours) => new Date(Date.now() + hours * HOUR_MS));
    await grant('planner', {
      source: 'topup',
      effects: [{ api: 'shop', limit: 'monthly', effect: { kind: 'add', units: 500 } }],
      startsAt: inAnHour as Date,
      endsAt: inTwo as Date,
      carryOver: 'PROPORTIONAL',
    });
    const record = await tenants.published('planner');
    expect(planOf(record)).toEqual([[], [{ kind: 'add', units: 500 }], []]);
    expect(record.next?.map(({ atMs, carryOver }) => [atMs, carryOver])).toEqual([
      [inAnHour?.getTime(), 'proportional'],
      [inTwo?.getTime(), 'proportional'],
    ]);
    const generations = [0, ...(record.next ?? []).map(({ generation }) => generation)];
    for (const [i, generation] of generations.entries()) {
      const before = generations[i - 1];
      if (before !== undefined) expect(generation).toBeGreaterThan(before + 3);
    }
    // Nothing changed yet.
    expect(record.generation).toBeUndefined();
    expect(record.moves).toBeUndefined();
  });

  it('stores a scheduled change that is due as a past state, under its reserved generation', async () => {
    const { id } = await tenants.create('settler');
    const soon = new Date(Date.now() + HOUR_MS);
    await grant('settler', { endsAt: soon });
    const planned = await tenants.published('settler');
    const promised = planned.next?.[0]?.generation;
    vi.spyOn(tenants.services.context.get(Clock), 'now').mockReturnValue(new Date(soon.getTime() + 5));
    await grant('settler', { effects: [{ effect: { kind: 'add', units: 7 } }] });
    const record = await tenants.published('settler');
    expect(planOf(record)).toEqual([[{ kind: 'add', units: 7 }]]);
    expect(record.moves?.map(({ generation, adjusted }) => [generation, adjusted?.length ?? 0])).toEqual([
      [0, 0],
      [planned.generation, 1],
      [promised, 0],
    ]);
    expect(record.moves?.at(1)?.atMs).toBe(soon.getTime());
    expect(await tenants.database.client.scheduledChange.count({ where: { tenantId: id } })).toBe(0);
  });

  it('schedules no change for a renewal without a gap', async () => {
    await tenants.create('renewer');
    const end = new Date(Date.now() + HOUR_MS);
    await grant('renewer', { endsAt: end });
    const before = await tenants.published('renewer');
    await grant('renewer', { cause: 'RENEWAL', startsAt: end, endsAt: new Date(end.getTime() + HOUR_MS) });
    const after = await tenants.published('renewer');
    expect(after.generation).toBe(before.generation);
    expect(after.next).toHaveLength(1);
    expect(after.next?.[0]?.atMs).toBe(end.getTime() + HOUR_MS);
  });

  it('ends the grants of a purchase once, and no others', async () => {
    const tenant = await tenants.create('refunded');
    await grant('refunded', { purchaseId: 'pur_2', effects: [{ effect: { kind: 'add', units: 5 } }] });
    await grant('refunded', { purchaseId: 'pur_3' });
    const end = () =>
      change((open) =>
        service.end(open, tenant, { which: { purchaseId: 'pur_3' }, at: new Date(), cause: 'REFUNDED' }),
      );
    expect(await end()).toMatchObject({
      ok: true,
      value: [{ purchaseId: 'pur_3', ends: [{ cause: 'REFUNDED' }] }],
    });
    expect(await end()).toMatchObject({ ok: true, value: [] });
    expect(planOf(await tenants.published('refunded'))).toEqual([[{ kind: 'add', units: 5 }]]);
  });

  it('never changes existing entries', async () => {
    const { client } = tenants.database;
    await expect(client.$executeRaw`UPDATE "entitlement" SET "label" = 'x'`).rejects.toThrow();
    await expect(client.$executeRaw`DELETE FROM "entitlement"`).rejects.toThrow();
  });

  it('hides entries from other tenants', async () => {
    const { id: acmeId } = await tenants.get('acme');
    const { id } = await tenants.create('stranger');
    const ledger = tenants.services.context.get(EntitlementsRepository);
    const page = { first: 10, after: undefined };
    await runInScope([id], async () => {
      expect(await ledger.list({ tenantId: null, liveAt: undefined }, page)).toEqual([]);
      expect(await ledger.list({ tenantId: acmeId, liveAt: undefined }, page)).toEqual([]);
      expect(await ledger.count({ tenantId: null, liveAt: undefined })).toBe(0);
    });
    expect(await ledger.count({ tenantId: acmeId, liveAt: new Date() })).toBe(1);
    const [row] = await ledger.list({ tenantId: acmeId, liveAt: undefined }, page);
    await runInScope([id], async () => expect(await ledger.findById(row?.id ?? '')).toBeNull());
  });
});

describe('a warm-up', () => {
  const START = new Date();
  const MINUTE_MS = 60_000;

  /** Creates the tier, once, and a tenant at `START`. */
  async function createNew(key: string, tierKey: string) {
    const { context } = tenants.services;
    const tiers = context.get(TiersService);
    if ((await tiers.findByKey(tierKey)) === null) {
      await tiers.create(CALLER, { key: tierKey, name: tierKey });
      const limit = { apiKey: 'shop', name: 'calls', operations: [], per: [], limit: 100 };
      const rule = { algorithm: 'FIXED_WINDOW' as const, windowMs: HOUR_MS };
      const warmUp = { ms: 10 * MINUTE_MS, startPercent: 40 };
      const limits = [{ ...limit, ...rule, ...(tierKey === 'ramped' ? { warmUp } : {}) }];
      await tiers.saveDraft(CALLER, { tierKey, expectedVersion: 1, limits });
      await tiers.publish(CALLER, { tierKey, expectedVersion: 2 });
    }
    moveTo(0);
    const outcome = await context.get(TenantsService).create(CALLER, { key, name: key, tierKey });
    if (!outcome.ok) throw new Error(outcome.errors[0]?.message);
    return outcome.value;
  }

  const moveTo = (minutes: number) =>
    vi
      .spyOn(tenants.services.context.get(Clock), 'now')
      .mockReturnValue(new Date(START.getTime() + minutes * MINUTE_MS));

  /** Effective limit and its source, as nodes compute them. */
  async function limitAt(tenantId: string, minutes: number) {
    moveTo(minutes);
    const { view } = await tenants.services.context.get(TenantViews).get(tenantId, tenants.database.client);
    const [limit] = view.limits;
    return [limit?.policy.limit, limit?.source];
  }

  it('raises the limit of a new tenant in steps below the line, also next to other adjustments', async () => {
    const { id } = await createNew('newcomer', 'ramped');
    expect(await limitAt(id, 0)).toEqual([40, 'warm_up']);
    expect(await limitAt(id, 2.49)).toEqual([40, 'warm_up']);
    expect(await limitAt(id, 2.5)).toEqual([55, 'warm_up']);
    await grant('newcomer', { source: 'topup', effects: [{ effect: { kind: 'add', units: 5 } }] });
    expect(await limitAt(id, 2.6)).toEqual([60, 'topup']);
    expect(await limitAt(id, 9.99)).toEqual([90, 'topup']);
    expect(await limitAt(id, 10)).toEqual([105, 'topup']);
    moveTo(2.6);
    const record = await tenants.published('newcomer');
    expect(record.next?.map(({ atMs }) => (atMs - START.getTime()) / MINUTE_MS)).toEqual([5, 7.5, 10]);
    expect(record.next?.every(({ carryOver }) => carryOver === 'keep')).toBe(true);
  });

  it('ends with a change of tier, and does not begin with one', async () => {
    const { id } = await createNew('mover', 'ramped');
    const service = tenants.services.context.get(TenantsService);
    const move = async (tierKey: string) => {
      const { version: expectedVersion } = await tenants.get('mover');
      const input = { tenantKey: 'mover', tierKey, expectedVersion, carryOver: 'KEEP' as const };
      expect(await service.changeTier(CALLER, input)).toMatchObject({ ok: true });
    };
    await createNew('plain', 'steady');
    moveTo(1);
    await move('steady');
    for (const minutes of [1, 2, 11]) expect(await limitAt(id, minutes)).toEqual([100, 'tier']);
    moveTo(12);
    await move('ramped');
    expect(await limitAt(id, 12)).toEqual([100, 'tier']);
  });
});

describe('past values of a limit', () => {
  it('step where a grant or a boost started or ended', async () => {
    await tenants.create('steps');
    const { id: tenantId } = await tenants.get('steps');
    const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS);
    await grant('steps', { startsAt: ago(8), endsAt: null });
    await tenants.database.client.override.create({
      data: {
        ...{ id: 'ovr_steps', tenantId, kind: 'BOOST', effect: { kind: 'add', units: 7 }, reason: '' },
        ...{ startsAt: ago(5), endsAt: ago(-5), removedAt: ago(3), carryOver: 'KEEP' },
        ...{ createdBy: 'test', createdAt: ago(5) },
      },
    });
    const steps = tenants.services.context.get(LimitSteps);
    const { view } = await tenants.services.context.get(TenantViews).get(tenantId, tenants.database.client);
    const policy = view.limits[0]?.policy;
    if (policy === undefined) throw new Error('no limit');
    const stepsOf = await runInScope([tenantId], () => steps.read(tenantId, ago(10)));
    const base = policy.limit / 2;
    expect(stepsOf(policy).map(({ limit, lasting }) => [limit, lasting])).toEqual([
      [base, base],
      [2 * base, 2 * base],
      [2 * base + 7, 2 * base],
      [2 * base, 2 * base],
    ]);
  });
});
