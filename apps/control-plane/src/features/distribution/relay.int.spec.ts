import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readPolicy, readTenant } from '../../../test/support/published-policy.js';
import { CALLER } from '../../../test/support/test-app.js';
import { startTestServices, type TestServices } from '../../../test/support/test-services.js';
import { ChangeRunner } from '../../platform/changes/change.js';
import { newId } from '../../platform/ids.js';
import { Database } from '../../platform/prisma/database.js';
import { ApisService, CatalogueModule } from '../catalogue/index.js';
import { RelayModule, RelayService } from './index.js';
import { OutboxRepository } from './revisions.repository.js';

let services: TestServices;
let database: Database;
let changes: ChangeRunner;
let relay: RelayService;
let redis: Redis;

beforeAll(async () => {
  services = await startTestServices([RelayModule, CatalogueModule]);
  database = services.context.get(Database);
  changes = services.context.get(ChangeRunner);
  relay = services.context.get(RelayService);
  redis = new Redis(services.redisUrl);
  await createTier();
});
afterAll(async () => {
  redis.disconnect();
  await services.stop();
});
afterEach(() => relay.run());

describe('RelayService', () => {
  it('publishes nothing without changes', async () => {
    await relay.run();
    expect(await relay.run()).toEqual({ published: false });
  });

  it('loses no change of concurrent transactions that commit out of order', async () => {
    const WRITERS = 8;
    const CHANGES_EACH = 25;
    let isWriting = true;
    const relaying = (async () => {
      while (isWriting) await relay.run();
    })();
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let i = 0; i < CHANGES_EACH; i++) await createTenant(`w${writer}-${i}`, (writer * 7 + i * 3) % 20);
    });
    await Promise.all(writers);
    isWriting = false;
    await relaying;
    await relay.run();
    const total = WRITERS * CHANGES_EACH;
    expect(await database.client.outboxEvent.count({ where: { revision: null } })).toBe(0);
    expect(await redis.keys('tg:policy:tenant:w*')).toHaveLength(total);
    const revisions = await database.client.policyRevision.findMany({ orderBy: { number: 'asc' } });
    expect(revisions.length).toBeGreaterThan(3);
  });

  it('neither waits for an older open transaction nor skips it later', async () => {
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const slow = changes.run(CALLER, { reason: null }, async (change) => {
      await insertTenant(change.tx, 'slow');
      // Before its end, so that the transaction of a lower id is open while another one is published.
      await change.tx.outboxEvent.create({
        data: { changeId: change.id, kind: 'TENANT', entityKey: 'slow' },
      });
      begun.resolve();
      await gate.promise;
      return true;
    });
    await begun.promise;
    await createTenant('quick', 0);
    expect(await relay.run()).toMatchObject({ published: true });
    expect(await readTenant(redis, 'quick')).toMatchObject({ tenant: 'quick' });
    expect(await redis.exists('tg:policy:tenant:slow')).toBe(0);
    gate.resolve();
    await slow;
    expect(await relay.run()).toMatchObject({ published: true });
    expect(await readTenant(redis, 'slow')).toMatchObject({ tenant: 'slow' });
  });

  it('publishes each change once when several processes run it', async () => {
    await createTenant('once', 0);
    const before = await database.client.policyRevision.count();
    const results = await Promise.all(Array.from({ length: 4 }, () => relay.run()));
    expect(results.filter((result) => result.published)).toHaveLength(1);
    expect(await database.client.policyRevision.count()).toBe(before + 1);
  });

  it('keeps revision and hash of an unchanged catalogue', async () => {
    const before = (await readPolicy(redis)).head;
    await createTenant('same', 0);
    await relay.run();
    const { head, catalogue } = await readPolicy(redis);
    expect(head.revision).toBeGreaterThan(before.revision);
    expect(head).toMatchObject({
      catalogueRevision: before.catalogueRevision,
      catalogueHash: before.catalogueHash,
    });
    expect(catalogue.revision).toBe(before.catalogueRevision);
  });

  it('writes a new catalogue for a new API', async () => {
    const outcome = await services.context.get(ApisService).create(CALLER, { key: 'fresh', name: 'Fresh' });
    await relay.run();
    const { head, catalogue } = await readPolicy(redis);
    expect(head.catalogueRevision).toBe(head.revision);
    expect(catalogue.apis).toContainEqual({ key: 'fresh', unknownOperations: 'count', operations: [] });
    const change = outcome.ok
      ? await services.context.get(OutboxRepository).findChange(outcome.changeId ?? '')
      : null;
    expect(change?.revision).toBe(head.revision);
  });

  it('continues above the revision of Redis after Postgres was restored from a backup', async () => {
    const { head } = await readPolicy(redis);
    const ahead = { ...head, revision: head.revision + 1000 };
    await redis.set('tg:policy:head', JSON.stringify(ahead));
    await createTenant('restored', 0);
    expect(await relay.run()).toMatchObject({ cause: 'reconcile' });
    expect((await readPolicy(redis)).head.revision).toBeGreaterThan(ahead.revision);
    expect(await readTenant(redis, 'restored')).toMatchObject({ tenant: 'restored' });
  });

  it('marks nothing as published when Redis fails, and publishes under a later revision afterwards', async () => {
    await createTenant('retried', 0);
    const before = (await readPolicy(redis)).head.revision;
    await redis.config('SET', 'maxmemory', '1');
    await expect(relay.run()).rejects.toThrow();
    expect(await database.client.outboxEvent.count({ where: { revision: null } })).toBe(1);
    await redis.config('SET', 'maxmemory', '0');
    expect(await relay.run()).toMatchObject({ published: true, revision: before + 2 });
  });
});

async function createTier(): Promise<void> {
  const version = {
    id: newId('tierVersion'),
    number: 1,
    status: 'PUBLISHED' as const,
    publishedAt: new Date(),
  };
  await database.client.tier.create({
    data: { id: 'tier_1', key: 'basic', name: 'Basic', versions: { create: version } },
  });
}

/** A change that stays open for `openMs` before it commits. */
function createTenant(key: string, openMs: number) {
  return changes.run(CALLER, { reason: null }, async (change) => {
    await insertTenant(change.tx, key);
    change.publish('TENANT', key);
    if (openMs > 0) await delay(openMs);
    return true;
  });
}

async function insertTenant(
  tx: Database['client'] | Parameters<Parameters<Database['client']['$transaction']>[0]>[0],
  key: string,
) {
  const subscription = { create: { id: newId('subscription'), tierId: 'tier_1' } };
  await tx.tenant.create({ data: { id: newId('tenant'), key, name: key, subscription } });
}
