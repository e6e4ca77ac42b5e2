import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createPrismaClient, type PrismaClient } from '@tollgate/database';
import { startPostgres } from '@tollgate/embedded';
import { startRealRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { AuditRepository } from '../../../apps/control-plane/src/features/governance/audit/audit.repository.js';
import { AuditHeadsStore } from '../../../apps/control-plane/src/features/governance/audit/audit-heads.store.js';
import { AuditVerifier } from '../../../apps/control-plane/src/features/governance/audit/audit-verifier.js';
import { Database } from '../../../apps/control-plane/src/platform/prisma/database.js';
import { fillChain } from '../../../apps/control-plane/test/support/audit-rows.ts';
import { migrateForApplication } from '../../../apps/control-plane/test/support/migrated-database.ts';
import { runTamperings } from '../../../apps/control-plane/test/support/tampering-rounds.ts';
import { failing, type Goal } from '../goal.ts';

const TAMPERINGS = 1000;
const ROWS = 1_000_000;
const VERIFIED_WITHIN_S = 30;
const SECRET = 'a secret that is used by this run only, long enough';

/** Chains of all lengths and one of a million entries, tampered with by the owner of the database. */
export const tamperingIsFound: Goal = {
  id: 'S10',
  title: 'tampering is found',
  passLine:
    'every tampering with the audit trail breaks its verification, an untouched trail of a million entries verifies',
  async run({ seed, scale }, report) {
    const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-s10-'));
    const postgres = await startPostgres({ dataDir: path.join(folder, 'postgres'), durable: false });
    const server = await startRealRedis();
    const url = postgres.databaseUrl('tollgate');
    const applicationUrl = await migrateForApplication(url, SECRET);
    const owner = createPrismaClient(url, { max: 2 });
    const redis = new Redis(server.url);
    const database = new Database({
      databaseUrl: applicationUrl,
      databaseMaxConnections: 2,
      databaseScopeSecrets: [SECRET],
    } as never);
    const heads = new AuditHeadsStore({ auditKey: SECRET } as never, { config: redis } as never);
    try {
      const lengths = { short: 2, usual: 40, longer: 120 };
      for (const [key, length] of Object.entries(lengths)) await addChain(owner, key, length);
      const chains = Object.keys(lengths);
      const repository = new AuditRepository(database);
      const verifier = new AuditVerifier(repository, heads);
      await heads.put(await Promise.all(chains.map((chain) => headOf(owner, heads, chain))));
      const rounds = Math.max(1, Math.round(TAMPERINGS * scale));
      const verify = (tx: unknown) =>
        new AuditVerifier(new AuditRepository({ client: tx } as never), heads).verify(undefined);
      const tampered = await runTamperings({ owner, verify, chains, rounds, seed });

      const rows = Math.round(ROWS * scale);
      await addChain(owner, 'million', rows);
      await heads.put([await headOf(owner, heads, 'million')]);
      const startMs = performance.now();
      const verified = await verifier.verify(undefined);
      const tookS = (performance.now() - startMs) / 1000;
      const numbers = {
        tamperings: rounds,
        found: tampered.found,
        kinds: Object.entries(tampered.kinds)
          .map(([kind, count]) => `${kind} ${count}`)
          .join(', '),
        'rows verified': verified.entries,
        seconds: tookS,
      };
      report({
        name: 'audit trail',
        numbers,
        failures: failing({
          [`missed: ${tampered.missed.slice(0, 5).join('; ')}`]: tampered.missed.length === 0,
          'an untouched trail does not verify': verified.brokenChains === 0,
          [`verifying took longer than ${VERIFIED_WITHIN_S} s`]: tookS <= VERIFIED_WITHIN_S,
        }),
      });
    } finally {
      redis.disconnect();
      await owner.$disconnect();
      await database.onApplicationShutdown();
      await Promise.all([server.stop(), postgres.stop()]);
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function addChain(owner: PrismaClient, key: string, length: number): Promise<void> {
  const id = `ten_${key}`;
  await owner.tenant.create({ data: { id, key, name: key } });
  await fillChain(owner, key, id, length);
}

async function headOf(owner: PrismaClient, heads: AuditHeadsStore, chain: string) {
  const { sequence, hash } = await owner.auditEntry.findFirstOrThrow({
    where: { chain },
    orderBy: { sequence: 'desc' },
  });
  return heads.signer.sign({ chain, sequence: Number(sequence), hash, at: new Date().toISOString() });
}
