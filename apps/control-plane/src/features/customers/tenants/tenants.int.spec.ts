import { createPrismaClient } from '@tollgate/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLER } from '../../../../test/support/test-app.js';
import { startTestServices, type TestServices } from '../../../../test/support/test-services.js';
import { newId } from '../../../platform/ids.js';
import { Database } from '../../../platform/prisma/database.js';
import { CustomersModule } from '../customers.modules.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';
import { TenantsRepository } from './tenants.repository.js';
import { TenantsService } from './tenants.service.js';

const MEMBER = { email: 'same@example.com', name: 'Same', role: 'OWNER' as const };

let services: TestServices;
let database: Database;
let repository: TenantsRepository;
let acmeId: string;
let globexId: string;

beforeAll(async () => {
  services = await startTestServices([CustomersModule]);
  database = services.context.get(Database);
  repository = services.context.get(TenantsRepository);
  for (const key of ['basic', 'better']) await createTier(key);
  acmeId = await create('acme');
  globexId = await create('globex');
});
afterAll(() => services.stop());

describe('TenantsRepository', () => {
  it('lists the members of the given tenants only', async () => {
    const tenants = services.context.get(TenantsService);
    for (const key of ['acme', 'globex'])
      expect(await tenants.addMember(CALLER, key, MEMBER)).toMatchObject({ ok: true });
    const found = await repository.listMembers([acmeId]);
    expect([...found.keys()]).toEqual([acmeId]);
    expect(found.get(acmeId)).toMatchObject([{ tenantId: acmeId, email: MEMBER.email }]);
  });

  it('accepts an email address once per tenant', async () => {
    const again = await services.context.get(TenantsService).addMember(CALLER, 'acme', MEMBER);
    expect(again).toMatchObject({ ok: false, errors: [{ code: 'TAKEN', field: ['email'] }] });
  });

  it('keeps other changes of a locked tenant waiting, but no rows that refer to it', async () => {
    const owner = createPrismaClient(services.ownerUrl, { max: 1 });
    try {
      await database.transaction(async (tx) => {
        expect([...(await repository.lockByKeys(tx, ['acme'])).keys()]).toEqual(['acme']);
        const change = owner.$queryRaw`SELECT 1 FROM "tenant" WHERE "key" = 'acme' FOR NO KEY UPDATE NOWAIT`;
        await expect(change).rejects.toThrow('could not obtain lock');
        // The lock of a foreign key.
        const referring = owner.$executeRaw`SELECT 1 FROM "tenant" WHERE "key" = 'acme' FOR KEY SHARE NOWAIT`;
        await expect(referring).resolves.toBe(1);
      });
    } finally {
      await owner.$disconnect();
    }
  });

  it('changes tier, status and fields of the given tenant only', async () => {
    const tier = await database.client.tier.findUniqueOrThrow({ where: { key: 'better' } });
    const { [acmeId]: held } = Object.fromEntries(await repository.listSubscriptions([acmeId]));
    if (held === undefined) throw new Error('acme has no subscription');
    const target = { tierId: tier.id, version: 1, isPinned: false };
    const mover = { id: acmeId, timeZone: 'UTC', billingAnchorDay: 1 };
    await services.context
      .get(SubscriptionsRepository)
      .move(database.client, [{ tenant: mover, target, carryOver: 'KEEP' }]);
    await services.context
      .get(SubscriptionsRepository)
      .changeCalendars(database.client, [
        { tenant: mover, next: { timeZone: 'Europe/Berlin', billingAnchorDay: 1 } },
      ]);
    await repository.raiseVersions(database.client, [{ id: acmeId }]);
    await repository.setStatus(database.client, acmeId, 'SUSPENDED');
    const facts = { name: 'Acme & Sons', timeZone: 'Europe/Berlin', billingAnchorDay: 31, tags: ['beta'] };
    const acme = await database.client.tenant.findUniqueOrThrow({ where: { id: acmeId } });
    expect(await repository.update(database.client, [{ tenant: acme, facts }])).toMatchObject([
      { ...facts, version: 4 },
    ]);
    const subscriptions = await repository.listSubscriptions([acmeId, globexId]);
    expect(subscriptions.get(acmeId)?.tier.key).toBe('better');
    expect(subscriptions.get(globexId)).toMatchObject({ tier: { key: 'basic' }, generation: 0 });
    expect(await repository.findById(globexId)).toMatchObject({
      name: 'globex',
      timeZone: 'UTC',
      billingAnchorDay: 1,
      status: 'ACTIVE',
      version: 1,
    });
    expect(await database.client.subscriptionMove.findMany()).toMatchObject([
      { subscriptionId: held.id },
      { subscriptionId: held.id },
    ]);
  });

  it('finds by tier and status together with a search', async () => {
    const page = { first: 10, after: undefined };
    const keys = async (filter: Partial<Parameters<TenantsRepository['list']>[0]>) => {
      const rows = await repository.list(
        {
          search: undefined,
          tierKey: undefined,
          status: undefined,
          parentKey: undefined,
          visible: 'all',
          ...filter,
        },
        page,
      );
      return rows.map((row) => row.key);
    };
    expect(await keys({ tierKey: 'basic' })).toEqual(['globex']);
    expect(await keys({ status: 'SUSPENDED' })).toEqual(['acme']);
    expect(await keys({ search: 'glob', status: 'SUSPENDED' })).toEqual([]);
  });
});

describe('SubscriptionsRepository', () => {
  it('assigns a higher generation when a tenant returns to an earlier calendar, so that nodes see it as newer', async () => {
    const calendars = ['UTC', 'Europe/Berlin', 'UTC', 'Europe/Berlin', 'UTC'];
    const id = await create('toggler');
    const generations: number[] = [];
    for (const [i, timeZone] of calendars.slice(0, -1).entries()) {
      const mover = { id, timeZone, billingAnchorDay: 1 };
      const next = { timeZone: calendars[i + 1] ?? '', billingAnchorDay: 1 };
      const subscriptions = services.context.get(SubscriptionsRepository);
      const kept = await subscriptions.changeCalendars(database.client, [{ tenant: mover, next }]);
      expect(kept).toEqual(new Set());
      generations.push((await repository.listSubscriptions([id])).get(id)?.generation ?? 0);
    }
    expect(generations).toEqual([4, 8, 12, 16]);
  });
});

describe('the database', () => {
  it('rejects a pin to a version of another tier', async () => {
    const other = await database.client.subscription.findUniqueOrThrow({ where: { tenantId: globexId } });
    const pin = database.client.subscription.update({
      where: { id: other.id },
      data: { pinnedVersionNumber: 99 },
    });
    await expect(pin).rejects.toThrow();
  });
});

async function createTier(key: string): Promise<void> {
  const version = {
    id: newId('tierVersion'),
    number: 1,
    status: 'PUBLISHED' as const,
    publishedAt: new Date(),
  };
  await database.client.tier.create({
    data: { id: newId('tier'), key, name: key, versions: { create: version } },
  });
}

async function create(key: string): Promise<string> {
  const outcome = await services.context
    .get(TenantsService)
    .create(CALLER, { key, name: key, tierKey: 'basic' });
  if (!outcome.ok) throw new Error(outcome.errors[0]?.message);
  return outcome.value.id;
}
