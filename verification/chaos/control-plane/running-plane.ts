import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startOnPort, startOwnedService, startPostgres } from '@tollgate/embedded';
import { applicationUrl, startRealRedis } from '@tollgate/test-kit';
import { isRunning, signalTree } from './process-tree.ts';

/** Secret of all planes started here; the signing key of their test provider derives from it. */
export const SESSION_SECRET = 'a secret of no use to anybody, long enough';

const built = (file: string) =>
  fileURLToPath(new URL(`../../../apps/control-plane/dist/${file}`, import.meta.url));

/** Built control planes in separate processes, on one Postgres and one Redis, with the demo data. */
export interface RunningPlane {
  urls: string[];
  /** Connection string of the superuser that owns the tables. */
  ownerUrl: string;
  redisUrl: string;
  postgres: RunningPostgres;
  /** Headers of a service token with all permissions. */
  admin: Record<string, string>;
  /** Credentials of the owner. */
  operator: { email: string; password: string };
  stop(): Promise<void>;
}

/** A Postgres that can be killed, frozen and restarted. */
export interface RunningPostgres {
  crash(): Promise<void>;
  restart(): Promise<void>;
  /** Freezes all of its processes. */
  freeze(): void;
  thaw(): void;
  /** Whether it has exited. */
  hasEnded(): boolean;
}

/**
 * @param where Postgres' data are, if not in a folder that goes with the plane; whether they outlive a kill whole
 */
export async function startPlane(
  processes: number,
  more: Record<string, string> = {},
  where: { dataDir?: string; durable?: boolean } = {},
): Promise<RunningPlane> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-plane-'));
  const { dataDir = path.join(folder, 'postgres'), durable = false } = where;
  let postgres = await startPostgres({ dataDir, durable });
  const redis = await startRealRedis({ durable: true });
  const stateFile = path.join(folder, 'state.json');
  const admin = { email: 'admin@example.com', password: 'of no use to anybody' };
  writeFileSync(stateFile, JSON.stringify({ admin }), { mode: 0o600 });
  const ownerUrl = postgres.databaseUrl('tollgate');
  const env = {
    ...process.env,
    DATABASE_URL: applicationUrl(ownerUrl),
    REDIS_CONFIG_URL: redis.url,
    SESSION_SECRET,
    TOKEN_PEPPER: 'a pepper of no use to anybody, long enough',
    SETUP_STATE_FILE: stateFile,
    DEMO_SEED: 'true',
    DEMO_HISTORY_DAYS: '0',
    ...more,
  };
  const setup = spawn(process.execPath, ['--no-warnings', built('setup.js')], {
    env: { LOG_LEVEL: 'error', ...env, DATABASE_MIGRATION_URL: ownerUrl },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(setup, 'exit');
  if (code !== 0) throw new Error(`set-up ended with code ${code}`);
  const { adminToken } = JSON.parse(readFileSync(stateFile, 'utf8')) as { adminToken: string };
  // The default PUBLIC_URL has the port, so a free one is chosen.
  const startOne = (at: string) =>
    startOnPort(undefined, (port) =>
      startOwnedService(at, {
        name: 'control plane',
        command: process.execPath,
        args: ['--no-warnings', built('main.js')],
        env: { ...env, PORT: String(port) },
        logFile: `${at}.log`,
        stopSignal: 'SIGTERM',
        isReady: async (log) =>
          log.includes('control plane ready') && (await fetch(`http://127.0.0.1:${port}/readyz`)).ok,
      }),
    );
  const planes = await Promise.all(
    Array.from({ length: processes }, (_, i) => startOne(path.join(folder, `control-plane-${i}`))),
  );
  const urls = planes.map(({ port }) => `http://127.0.0.1:${port}`);
  return {
    urls,
    ownerUrl,
    redisUrl: redis.url,
    postgres: {
      crash: async () => {
        postgres.kill('SIGKILL');
        await postgres.exited;
      },
      restart: async () => {
        postgres = await startPostgres({ dataDir, durable, port: postgres.port });
      },
      freeze: () => signalTree(postgres.pid, 'SIGSTOP'),
      thaw: () => signalTree(postgres.pid, 'SIGCONT'),
      hasEnded: () => !isRunning(postgres.pid),
    },
    admin: { authorization: `Bearer ${adminToken}` },
    operator: admin,
    stop: async () => {
      await Promise.all(planes.map((plane) => plane.stop()));
      await redis.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
