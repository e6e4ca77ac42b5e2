import { Module } from '@nestjs/common';
import { newSigningKey } from '@tollgate/decision-plane/internals';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CALLER } from '../../../test/support/test-app.js';
import { startTestServices, type TestServices } from '../../../test/support/test-services.js';
import { Database } from '../../platform/prisma/database.js';
import { ApisModule, ApisService } from '../catalogue/index.js';
import { DistributionRetentionJob, PolicySweepJob } from './distribution.jobs.js';
import { RelayModule } from './distribution.module.js';
import { RelayService } from './relay.service.js';
import { RevisionsRepository } from './revisions.repository.js';

/** The jobs without their schedule: the relay runs when the test says so, first after the tenants are there. */
@Module({ imports: [RelayModule], providers: [PolicySweepJob, DistributionRetentionJob] })
class SweepModule {}

const TENANTS = 250;

let services: TestServices;
let database: Database;
let redis: Redis;
let relay: RelayService;
let sweep: PolicySweepJob;

beforeAll(async () => {
  services = await startTestServices([SweepModule, ApisModule], {
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

/** Until it has begun anew: what SCAN gives in one go is Redis' to say. */
async function sweepAll(): Promise<void> {
  for (let i = 0; i < 5; i++) await sweep.run();
  await relay.run();
}

it('records of tenants that are not in Postgres are removed, and no others', async () => {
  await redis.mset(
    Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`tg:policy:tenant:ghost-${i}`, '{}'])),
  );
  await sweepAll();
  expect((await tenantKeys()).sort()).toEqual(
    Array.from({ length: TENANTS }, (_, i) => `tg:policy:tenant:t${i}`).sort(),
  );
});

it('a record that was altered is published anew, under a later revision', async () => {
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
])('a catalogue that was %s is put back, under a head that nodes have not refused', async (_name, harm) => {
  const [head, catalogue] = await redis.mget('tg:policy:head', 'tg:policy:catalogue');
  await harm();
  await sweepAll();
  expect(await redis.get('tg:policy:catalogue')).toBe(catalogue);
  expect(await redis.get('tg:policy:head')).not.toBe(head);
});

it('a head that the relay did not seal makes it publish everything anew', async () => {
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

it('published outbox rows go after a week; revisions and their catalogues when newer ones are enough', async () => {
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
  await revisions.forget(1);
  const kept = await client.policyRevision.findMany({ orderBy: { number: 'desc' } });
  expect(kept.length).toBeLessThanOrEqual(2);
  expect(kept[0]?.number).toBe(all[0]?.number);
  expect(await client.policyCatalogue.count()).toBe(1);
  expect(newest).not.toBeNull();
  expect(await revisions.findCatalogueText(all[0]?.catalogueRevision ?? 0)).toBe(newest);
});
