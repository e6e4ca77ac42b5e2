import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from '../../scripts/run/root.mjs';
import { reservePort } from '../../scripts/stack/settings.mjs';
import { Apps } from './apps.mjs';
import { haproxy, Postgres, RedisGroups } from './servers.mjs';

/** A customer of the yard can pay, gets mail, and receives webhooks on this machine. */
const TRIAL = {
  MAIL_TRANSPORT: 'mailbox',
  PAYMENT_TEST_ENABLED: 'true',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
};

/**
 * An installation as production has it, on one machine: Postgres without a superuser behind PgBouncer, Redis with Sentinel,
 * TLS and ACL, separate workers, several decision APIs, and HAProxy in front. All on loopback and on free ports.
 */
export class Yard {
  home = mkdtempSync(path.join(tmpdir(), 'tollgate-yard-'));
  logs = path.join(this.home, 'logs');

  /** @param {{postgresPrograms?: 'npm' | 'PATH'}} options which Postgres runs */
  constructor({ postgresPrograms } = {}) {
    chmodSync(this.home, 0o755); // other users run servers in it
    mkdirSync(this.logs);
    this.postgres = new Postgres({ home: this.home, logs: this.logs, programs: postgresPrograms });
    this.redis = new RedisGroups({ home: this.home, logs: this.logs });
  }

  /**
   * @param {{artifacts?: string, controlPlanes: number, workers: number, nodes: number, settings?: Record<string, string>}}
   *   options `artifacts`: folder of `makeArtifacts`; default: the build of this checkout
   */
  async start({ artifacts = ROOT, controlPlanes, workers, nodes, settings = {} }) {
    await Promise.all([this.postgres.start(), this.redis.start()]);
    const [consolePort, decisionPort] = [await reservePort(), await reservePort()];
    const consoleUrl = `http://127.0.0.1:${consolePort}`;
    const decisionUrl = `http://127.0.0.1:${decisionPort}`;
    this.apps = new Apps({
      home: this.home,
      logs: this.logs,
      artifacts,
      secrets: this.postgres.addresses,
      redis: {
        controlPlane: this.redis.addressesFor('control-plane'),
        node: this.redis.addressesFor('node-policy'),
      },
      settings: {
        ADMIN_EMAIL: 'admin@tollgate.local',
        PUBLIC_URL: consoleUrl,
        DECISION_URL: decisionUrl,
        TRUSTED_PROXY_HOPS: '1',
        ...TRIAL,
        ...settings,
      },
    });
    this.apps.run('setup', this.apps.setupEnv());
    for (let i = 0; i < controlPlanes; i++) await this.apps.addControlPlane();
    for (let i = 0; i < workers; i++) await this.apps.addWorker();
    for (let i = 0; i < nodes; i++) await this.apps.addNode();
    await Promise.all(this.apps.all.map((part) => part.start()));
    this.haproxy = haproxy({
      home: this.home,
      logs: this.logs,
      consolePort,
      decisionPort,
      controlPlanes: this.apps.controlPlanes,
      nodes: this.apps.nodes,
    });
    await this.haproxy.start();
    const { serviceToken, adminToken } = this.apps.readSetup();
    this.dev = {
      consoleUrl,
      graphqlUrl: `${consoleUrl}/graphql`,
      decisionUrl,
      serviceToken,
      adminToken,
      admin: this.apps.readAdmin(),
    };
    return this.dev;
  }

  async stop() {
    for (const part of [this.haproxy, ...(this.apps?.all ?? [])]) await part?.stop();
    await this.redis.stop();
    await this.postgres.stop();
  }

  remove() {
    rmSync(this.home, { recursive: true, force: true });
  }
}
