import 'reflect-metadata';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type INestApplicationContext, Module, type ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DecisionPlane, type DecisionPlaneOptions } from '@tollgate/decision-plane';
import { type EmbeddedPostgres, startPostgres } from '@tollgate/embedded';
import { newSigningKey, publicKeyOf } from '@tollgate/policy';
import { startRealRedis } from '@tollgate/test-kit';
import { loadConfig } from '../../../apps/control-plane/src/config/app-config.js';
import { createLogger } from '../../../apps/control-plane/src/platform/log.js';
import { platformModule } from '../../../apps/control-plane/src/platform/platform.module.js';
import { migrateForApplication } from '../../../apps/control-plane/test/support/migrated-database.ts';

const SECRET = 'a secret of no use to anybody, long enough';
const WORKER = fileURLToPath(new URL('../../../apps/control-plane/dist/worker.js', import.meta.url));

/** Services of the control plane in this process, with a Postgres that may be killed and a separate Redis. */
export class ChaosStack {
  readonly signingKey: string;
  readonly context: INestApplicationContext;
  readonly redisUrl: string;
  private readonly env: Record<string, string>;
  private readonly home: string;
  private readonly stopRedis: () => Promise<void>;
  private postgres: EmbeddedPostgres;
  private worker: ChildProcess | undefined;

  private constructor(parts: {
    signingKey: string;
    context: INestApplicationContext;
    redisUrl: string;
    env: Record<string, string>;
    home: string;
    stopRedis: () => Promise<void>;
    postgres: EmbeddedPostgres;
  }) {
    this.signingKey = parts.signingKey;
    this.context = parts.context;
    this.redisUrl = parts.redisUrl;
    this.env = parts.env;
    this.home = parts.home;
    this.stopRedis = parts.stopRedis;
    this.postgres = parts.postgres;
  }

  static async open(imports: NonNullable<ModuleMetadata['imports']>): Promise<ChaosStack> {
    const home = mkdtempSync(path.join(tmpdir(), 'tollgate-chaos-'));
    const [postgres, redis] = await Promise.all([startPostgresIn(home), startRealRedis()]);
    const databaseUrl = postgres.databaseUrl('tollgate');
    const applicationUrl = await migrateForApplication(databaseUrl, SECRET);
    const signingKey = newSigningKey();
    const env = {
      DATABASE_URL: applicationUrl,
      DATABASE_MAX_CONNECTIONS: '40',
      REDIS_CONFIG_URL: redis.url,
      PORT: '0',
      SESSION_SECRET: SECRET,
      TOKEN_PEPPER: 'y'.repeat(32),
      POLICY_SIGNING_KEY: signingKey,
      LOG_LEVEL: 'silent',
      REDIS_CONFIG_DURABILITY: 'best-effort',
    };
    const config = loadConfig(env);

    class ChaosStackModule {}
    Module({ imports: [platformModule(config, createLogger(config)), ...imports] })(ChaosStackModule);
    const context = await NestFactory.createApplicationContext(ChaosStackModule, {
      logger: false,
      abortOnError: false,
    });
    return new ChaosStack({
      signingKey,
      context,
      redisUrl: redis.url,
      env,
      home,
      stopRedis: redis.stop,
      postgres,
    });
  }

  startNode(nodeId: string, over: Partial<DecisionPlaneOptions> = {}): Promise<DecisionPlane> {
    return DecisionPlane.start({
      countersUrl: this.redisUrl,
      configUrl: this.redisUrl,
      policyKeys: [publicKeyOf(this.signingKey)],
      nodeId,
      version: 'chaos',
      deadlineMs: 2000,
      ...over,
    });
  }

  /** Starts the built worker, which publishes; one at a time. */
  startWorker(): void {
    this.worker = spawn(process.execPath, ['--no-warnings', WORKER], {
      env: { PATH: process.env.PATH ?? '', ...this.env },
      stdio: 'ignore',
    });
  }

  async killWorker(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    if (worker === undefined || worker.exitCode !== null || worker.signalCode !== null) return;
    const exited = once(worker, 'exit');
    worker.kill('SIGKILL');
    await exited;
  }

  /** `kill -9` and restart with the committed data. */
  async crashPostgres(): Promise<void> {
    this.postgres.kill('SIGKILL');
    await this.postgres.exited;
    this.postgres = await startPostgresIn(this.home, this.postgres.port);
  }

  async stop(): Promise<void> {
    await this.killWorker();
    await this.context.close();
    await Promise.all([this.postgres.stop(), this.stopRedis()]);
    rmSync(this.home, { recursive: true, force: true });
  }
}

function startPostgresIn(home: string, port?: number): Promise<EmbeddedPostgres> {
  return startPostgres({
    dataDir: path.join(home, 'postgres'),
    durable: true,
    settings: ['max_connections=200'],
    ...(port === undefined ? {} : { port }),
  });
}
