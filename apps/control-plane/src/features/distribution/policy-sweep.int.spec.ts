import { Module } from '@nestjs/common';
import { newSigningKey } from '@tollgate/policy';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CALLER } from '../../../test/support/test-app.js';
import { startTestServices, type TestServices } from '../../../test/support/test-services.js';
import { Database } from '../../platform/prisma/database.js';
import { ApisService, CatalogueModule } from '../catalogue/index.js';
import { DistributionRetentionJob, PolicySweepJob } from './distribution.jobs.js';
import { RelayModule } from './distribution.module.js';
import { RelayService } from './relay.js';
import { RevisionsRepository } from './revisions.repository.js';

/** The jobs without a schedule: the test runs the relay, first after it has created the tenants. */
@Module({ imports: [RelayModule], providers: [PolicySweepJob, DistributionRetentionJob] })
class SweepModule {}

const TENANTS = 250;

let services: TestServices;
let database: Database;
let redis: Redis;
let relay: RelayService;
let sweep: PolicySweepJob;

beforeAll(async () => {
  services = await startTestServices([SweepModule, CatalogueModule], {
    POLICY_SIGNING_KEY: newSigningKey(),
  });
  database = services.context.get(Database);
  redis = new Redis(services.redisUrl);
  relay = services.context.get(RelayService, { strict: false });
  sweep = services.context.get(PolicySweepJob, { strict: false });
  const version = { id: 'tv1', number: 1, status: 'PUBLISHED' as const, publishedAt: new Date() };
  await database.client.tier.create({
    data: { id: 'tier_1', key: 'basic', name: 'Basic', versions: { create: version } },
  });
  await database.client.tenant.createMany({
    data: Array.from({ length: TENANTS }, (_, i) => ({ id: `ten_${i}`, key: `t${i}`, name: `T${i}` })),
  });
  await database.client.subscription.createMany({
    data: Array.from({ length: TENANTS }, (_, i) => ({
      id: `sub_${i}`,
      tenantId: `ten_${i}`,
      tierId: 'tier_1',
    })),
  });
  await services.context.get(ApisService).create(CALLER, { key: 'shop', name: 'Shop' });
  await relay.run();
  expect(await tenantKeys()).toHaveLength(TENANTS);
});
afterAll(async () => {
  redis.disconnect();
  await services.stop();
});

const tenantKeys = () => redis.keys('tg:policy:tenant:*');

/** Runs until the scan restarts: Redis decides how many keys SCAN returns at once. */
async function sweepAll(): Promise<void> {
  for (let i = 0; i < 5; i++) await sweep.run();
  await relay.run();
}

it('removes only records of tenants that are not in Postgres', async () => {
  await redis.mset(
    Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`tg:policy:tenant:ghost-${i}`, '{}'])),
  );
  await sweepAll();
  expect((await tenantKeys()).sort()).toEqual(
    Array.from({ length: TENANTS }, (_, i) => `tg:policy:tenant:t${i}`).sort(),
  );
});

it('republishes an altered record under a later revision', async () => {
  const before = (await redis.get('tg:policy:tenant:t7')) ?? '';
  await redis.set('tg:policy:tenant:t7', before.replace('"basic"', '"gold"'));
  await redis.set('tg:policy:tenant:t8', '{"kind":"tenant"}');
  await sweepAll();
  for (const tenant of ['t7', 't8']) {
    expect(await redis.get(`tg:policy:tenant:${tenant}`)).toMatch(/^tgs1\..*"tier":"basic"/);
  }
});

it.each([
  ['altered', () => redis.set('tg:policy:catalogue', '{}')],
  ['removed', () => redis.del('tg:policy:catalogue')],
])('restores a catalogue that was %s under a new head', async (_name, harm) => {
  const [head, catalogue] = await redis.mget('tg:policy:head', 'tg:policy:catalogue');
  await harm();
  await sweepAll();
  expect(await redis.get('tg:policy:catalogue')).toBe(catalogue);
  expect(await redis.get('tg:policy:head')).not.toBe(head);
});

it('republishes everything when the head has no valid seal', async () => {
  const head = (await redis.get('tg:policy:head')) ?? '';
  await redis.set(
    'tg:policy:head',
    head.slice(head.indexOf('{')).replace(/"revision":\d+/, '"revision":2000000000'),
  );
  await relay.run();
  const newest = await database.client.policyRevision.findFirst({ orderBy: { number: 'desc' } });
  expect(newest?.cause).toBe('reconcile');
  const healed = (await redis.get('tg:policy:head')) ?? '';
  expect(healed).toMatch(/^tgs1\./);
  expect(Number(/"revision":(\d+)/.exec(healed)?.[1])).toBeLessThan(100);
});

it('deletes published outbox rows after a week, and revisions with their catalogues beyond the kept number', async () => {
  const { client } = database;
  const revisions = services.context.get(RevisionsRepository, { strict: false });
  const old = new Date(Date.now() - 8 * 86_400_000);
  const { changeId } = await client.outboxEvent.findFirstOrThrow({ orderBy: { id: 'asc' } });
  await client.outboxEvent.updateMany({ where: { changeId }, data: { publishedAt: old } });
  const left = await client.outboxEvent.count({ where: { changeId: { not: changeId } } });
  await services.context.get(DistributionRetentionJob, { strict: false }).run();
  expect(await client.outboxEvent.count()).toBe(left);
  expect(await revisions.findOfChange(changeId)).not.toBeNull();

  const all = await client.policyRevision.findMany({ orderBy: { number: 'desc' } });
  const newest = await revisions.findCatalogueText(all[0]?.catalogueRevision ?? 0);
  await revisions.deleteOld(1);
  const kept = await client.policyRevision.findMany({ orderBy: { number: 'desc' } });
  expect(kept.length).toBeLessThanOrEqual(2);
  expect(kept[0]?.number).toBe(all[0]?.number);
  expect(await client.policyCatalogue.count()).toBe(1);
  expect(await client.policyTenant.count()).toBe(TENANTS);
  expect(newest).not.toBeNull();
  expect(await revisions.findCatalogueText(all[0]?.catalogueRevision ?? 0)).toBe(newest);
});
