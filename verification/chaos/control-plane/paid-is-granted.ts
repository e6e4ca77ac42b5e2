import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createPrismaClient, type PrismaClient } from '@tollgate/database';
import { startOnPort, startOwnedService, startPostgres, startRedis } from '@tollgate/embedded';
import { randomFrom } from '@tollgate/test-kit/random';
import { parsePaymentSettings } from '../../../apps/control-plane/src/config/payment-variables.js';
import { migrateForApplication } from '../../../apps/control-plane/test/support/migrated-database.ts';
import { orderPurchases } from '../../../apps/control-plane/test/support/ordered-purchases.ts';
import type { Goal } from '../goal.ts';
import { auditStorm } from './payment-audit.ts';
import { runStorm } from './payment-storm.ts';

const PURCHASES = 5000;
const KILLS = { api: 50, postgres: 10, redis: 10 };
const SECRET = 'a secret that is used by this run only, long enough';
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Delivers events in the worst order while the control plane, Postgres and Redis are killed repeatedly. */
export const paidIsGranted: Goal = {
  id: 'C1',
  title: 'paid means granted, exactly once',
  passLine: 'to the unit, with a ledger that sums to zero',
  async run({ seed, scale }, report) {
    const random = randomFrom(seed);
    const yard = await openYard();
    try {
      const kills = [
        ...Array.from({ length: Math.ceil(KILLS.api * scale) }, () => 'api' as const),
        ...Array.from({ length: Math.ceil(KILLS.postgres * scale) }, () => 'postgres' as const),
        ...Array.from({ length: Math.ceil(KILLS.redis * scale) }, () => 'redis' as const),
      ].sort(() => random.next() - 0.5);
      const purchases = await withOwner(yard.databaseUrl, (owner) =>
        orderPurchases(owner, Math.ceil(PURCHASES * scale), random),
      );
      const { test } = parsePaymentSettings({ ...yard.settings, SESSION_SECRET: SECRET });
      const webhookSecret = test.enabled ? test.webhookSecret : '';
      let isOver = false;
      let killed = 0;
      const disturb = async () => {
        for (const victim of kills) {
          await delay(500 + random.below(1500));
          if (isOver) return;
          await yard.kill(victim);
          killed++;
        }
      };
      const storm = runStorm({ url: yard.url, webhookSecret, purchases, random });
      const [storms] = await Promise.all([storm.finally(() => (isOver = true)), disturb()]);
      const measurement = await withOwner(yard.databaseUrl, (owner) =>
        auditStorm(owner, storms, { 'processes killed': killed }),
      );
      report(measurement);
    } finally {
      await yard.close();
    }
  },
};

/** Connects as the owner of the database, without row-level security. */
async function withOwner<T>(databaseUrl: string, work: (owner: PrismaClient) => Promise<T>): Promise<T> {
  const owner = createPrismaClient(databaseUrl, { max: 4 });
  try {
    return await work(owner);
  } finally {
    await owner.$disconnect();
  }
}

/** Postgres, Redis and the built control plane as separate processes that can be killed and restarted. */
async function openYard() {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-c1-'));
  const at = (name: string) => path.join(folder, name);
  const database = { dataDir: at('postgres'), durable: true };
  const queue = { dir: at('redis'), kind: 'redis-server', durable: true } as const;
  const parts = { postgres: await startPostgres(database), redis: await startRedis(queue) };
  const databaseUrl = parts.postgres.databaseUrl('tollgate');
  const applicationUrl = await migrateForApplication(databaseUrl, SECRET);
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    DATABASE_URL: applicationUrl,
    REDIS_CONFIG_URL: parts.redis.url,
    SESSION_SECRET: SECRET,
    TOKEN_PEPPER: SECRET,
    PAYMENT_TEST_ENABLED: 'true',
  };
  const startApi = (port: number) =>
    startOwnedService(at('control-plane'), {
      name: 'control-plane',
      command: process.execPath,
      args: [path.join(ROOT, 'apps/control-plane/dist/main.js')],
      logFile: at('control-plane.log'),
      env: { ...env, PORT: String(port) },
      stopSignal: 'SIGTERM',
      isReady: (log) => log.includes('control plane ready'),
    });
  const { port, ...api } = await startOnPort(undefined, startApi);
  const all = { ...parts, api };
  const starts = {
    postgres: () => startPostgres({ ...database, port: parts.postgres.port }),
    redis: () => startRedis({ ...queue, port: parts.redis.port }),
    api: () => startApi(port),
  };
  return {
    url: `http://127.0.0.1:${port}`,
    databaseUrl,
    settings: { PAYMENT_INVOICE_ENABLED: false, PAYMENT_TEST_ENABLED: true, PAYMENT_STRIPE_ENABLED: false },
    async kill(name: keyof typeof all) {
      all[name].kill('SIGKILL');
      await all[name].exited;
      Object.assign(all, { [name]: await starts[name]() });
    },
    async close() {
      await all.api.stop();
      await Promise.all([all.postgres.stop(), all.redis.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
