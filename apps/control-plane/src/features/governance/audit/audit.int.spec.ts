import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createPrismaClient, type PrismaClient } from '@tollgate/database';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { fillChain } from '../../../../test/support/audit-rows.ts';
import { runTamperings } from '../../../../test/support/tampering-rounds.ts';
import { CALLER } from '../../../../test/support/test-app.js';
import { startTestServices, type TestServices } from '../../../../test/support/test-services.js';
import { ChangeRunner } from '../../../platform/changes/change.js';
import { newId } from '../../../platform/ids.js';
import { Database } from '../../../platform/prisma/database.js';
import { RedisConnections } from '../../../platform/redis.js';
import { runInScope } from '../../../platform/tenant-scope.js';
import { AuditJobsModule } from '../governance.modules.js';
import { AuditHeadsJob } from './audit.jobs.js';
import { AuditRepository } from './audit.repository.js';
import { AuditHeadsStore } from './audit-heads.store.js';
import { AuditVerifier } from './audit-verifier.js';

const SEED = inject('testSeed');
const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-audit-'));

let services: TestServices;
let owner: PrismaClient;
let runner: ChangeRunner;
let database: Database;
const tenants = { acme: '', other: '' };

beforeAll(async () => {
  services = await startTestServices([AuditJobsModule], {
    AUDIT_HEADS_FILE: path.join(folder, 'heads.jsonl'),
  });
  owner = createPrismaClient(services.ownerUrl, { max: 2 });
  runner = services.context.get(ChangeRunner);
  database = services.context.get(Database);
  for (const key of ['acme', 'other'] as const) {
    tenants[key] = newId('tenant');
    await owner.tenant.create({ data: { id: tenants[key], key, name: key } });
  }
});

afterAll(async () => {
  await owner.$disconnect();
  await services.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A change that concerns these tenants; undefined: none. */
function change(...keys: (string | undefined)[]) {
  return runner.run(CALLER, { reason: 'a test' }, async (change) => {
    for (const tenantKey of keys) {
      const facts = {
        action: 'tenant.update' as const,
        entityId: 'ten_1',
        entityName: 'Acme',
        before: null,
        after: { a: 1 },
      };
      await change.audit(tenantKey === undefined ? facts : { ...facts, tenantKey });
    }
    return null;
  });
}

describe('the chains of the audit trail', () => {
  it('stay intact during concurrent changes of one and of several tenants', async () => {
    const orders = [['acme', 'other'], ['other', 'acme', undefined], [undefined, 'acme'], ['other']];
    // Eight at once: as many as the pool has connections for, with two to spare.
    await Promise.all(
      Array.from({ length: 8 }, async (_, lane) => {
        for (let round = 0; round < 5; round++) await change(...(orders[(lane + round) % 4] as string[]));
      }),
    );
    const result = await services.context.get(AuditVerifier).verify(undefined);
    expect(result).toMatchObject({ chains: 3, entries: 80, brokenChains: 0, breaks: [] });
  });

  it('contain an entry only if its change commits', async () => {
    const before = await owner.auditEntry.count();
    const failing = runner.run(CALLER, { reason: null }, async (change) => {
      await change.audit({
        ...{ action: 'tenant.update', entityId: 'x', entityName: 'X' },
        ...{ before: null, after: null },
      });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await runner.run({ ...CALLER, dryRun: true }, { reason: null }, async (change) => {
      await change.audit({
        ...{ action: 'tenant.update', entityId: 'x', entityName: 'X' },
        ...{ before: null, after: null },
      });
      return null;
    });
    expect(await owner.auditEntry.count()).toBe(before);
  });

  it('show a tenant only its own entries', async () => {
    const audit = services.context.get(AuditRepository);
    const read = () => audit.listChained({}, { chain: '', sequence: 0 }, 1000);
    const own = await runInScope([tenants.acme], read);
    expect(new Set(own.map(({ chain }) => chain))).toEqual(new Set(['acme']));
    expect(await runInScope([tenants.acme], () => audit.count({ tenantKey: 'other' }))).toBe(0);
    const [foreign] = await audit.list({ tenantKey: 'other' }, { first: 1, after: undefined });
    expect(await runInScope([tenants.acme], () => audit.findById(foreign?.id ?? ''))).toBeNull();
    expect(await runInScope([tenants.acme], () => audit.findChains(['other', 'acme']))).toEqual(
      new Set(['acme']),
    );
  });

  it('cannot be changed, emptied or shortened by the application', async () => {
    for (const statement of [
      'UPDATE "audit_entry" SET "reason" = null',
      'DELETE FROM "audit_entry"',
      'TRUNCATE "audit_entry"',
    ]) {
      await expect(database.client.$executeRawUnsafe(statement)).rejects.toThrow(/permission denied/);
      await expect(owner.$executeRawUnsafe(statement)).rejects.toThrow(/audit entries cannot change/);
    }
  });
});

describe('S10, short form', () => {
  it('detects 60 of 60 manipulations', async () => {
    await owner.tenant.create({ data: { id: newId('tenant'), key: 'long', name: 'Long' } });
    const { id } = await owner.tenant.findUniqueOrThrow({ where: { key: 'long' } });
    await fillChain(owner, 'long', id, 60);
    await services.context.get(AuditHeadsJob).run();
    const heads = services.context.get(AuditHeadsStore);
    const chains = ['acme', 'other', '~platform', 'long'];
    const outcome = await runTamperings({
      owner,
      verify: (tx) =>
        new AuditVerifier(new AuditRepository({ client: tx } as Database), heads).verify(undefined),
      chains,
      rounds: 60,
      seed: SEED,
    });
    expect(outcome.missed, `seed ${SEED}`).toEqual([]);
    expect(outcome.found).toBe(60);
  });

  it('keeps the head of a truncated chain, alerts once, and continues with the others', async () => {
    const job = services.context.get(AuditHeadsJob);
    const heads = services.context.get(AuditHeadsStore);
    await job.run();
    const before = (await heads.find(['other'])).get('other')?.head;
    await owner.$transaction([
      owner.$executeRaw`SET LOCAL session_replication_role = replica`,
      owner.$executeRaw`DELETE FROM "audit_entry" WHERE "chain" = 'other' AND "sequence" > 3`,
    ]);
    await change('other', 'acme');
    await job.run();
    await job.run();
    expect((await heads.find(['other'])).get('other')?.head).toEqual(before);
    expect((await heads.find(['acme'])).get('acme')?.head.sequence).toBe(
      await owner.auditEntry.count({ where: { chain: 'acme' } }),
    );
    expect(await owner.notice.findMany({ where: { kind: 'audit.broken' } })).toHaveLength(1);
    const result = await services.context.get(AuditVerifier).verify(undefined);
    expect(result.breaks).toEqual([{ chain: 'other', sequence: 5, entryId: null, problem: 'truncated' }]);
  });

  it('finds a truncated chain by the file after Redis was emptied too', async () => {
    await services.context.get(RedisConnections).config.flushall();
    const result = await services.context.get(AuditVerifier).verify('other');
    expect(result).toMatchObject({ brokenChains: 1, breaks: [{ chain: 'other', problem: 'truncated' }] });
  });
});
