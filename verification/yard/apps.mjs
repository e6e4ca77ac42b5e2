import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pnpmVersion } from '../../scripts/bootstrap/install.mjs';
import { ROOT } from '../../scripts/run/root.mjs';
import { reservePort } from '../../scripts/stack/settings.mjs';
import { isOk, Part } from './part.mjs';

const NODE_ARGS = ['--enable-source-maps', '--disable-proto=delete'];
const APPS = ['control-plane', 'decision-api'];
/** As in the images: longer than HAProxy takes to notice. */
const DRAIN_NOTICE_MS = '6000';

/** The content of both images in one folder, made as the Dockerfiles make it: production dependencies, without test tools. */
export function makeArtifacts(folder) {
  for (const app of APPS) {
    const target = path.join(folder, 'apps', app);
    const pnpm = [
      '--yes',
      `pnpm@${pnpmVersion()}`,
      `--filter=@tollgate/${app}`,
      '--prod',
      '--config.inject-workspace-packages=true',
      '--offline',
    ];
    execFileSync('npx', [...pnpm, 'deploy', target], { cwd: ROOT, stdio: 'pipe' });
    execFileSync('sh', [path.join(ROOT, 'docker/prune.sh'), target], { stdio: 'pipe' });
  }
  for (const data of ['prisma/migrations', 'prisma/seed', 'apps/console/dist'])
    cpSync(path.join(ROOT, data), path.join(folder, data), { recursive: true });
}

/** The apps of a yard, on fixed ports, with one environment as a Secret and a ConfigMap give it. */
export class Apps {
  controlPlanes = [];
  workers = [];
  nodes = [];

  /** @param {{home: string, logs: string, artifacts: string, secrets: Record<string, string>,
   *   redis: {controlPlane: Record<string, string>, node: Record<string, string>}, settings: Record<string, string>}} options */
  constructor({ home, logs, artifacts, secrets, redis, settings }) {
    Object.assign(this, { home, logs, artifacts, settings, nodeRedis: redis.node });
    this.secrets = path.join(home, 'secrets');
    mkdirSync(this.secrets, { recursive: true });
    execFileSync(process.execPath, [this.#entry('control-plane', 'keys'), this.secrets], { stdio: 'pipe' });
    for (const [name, value] of Object.entries({ ...secrets, ...redis.controlPlane }))
      writeFileSync(path.join(this.secrets, name), value);
  }

  #entry(app, name) {
    return path.join(this.artifacts, 'apps', app, 'dist', `${name}.js`);
  }

  /** Every file of the folder of secrets as `NAME_FILE`. */
  #secretFiles(...omitted) {
    const names = readdirSync(this.secrets).filter((name) => !omitted.includes(name));
    return Object.fromEntries(names.map((name) => [`${name}_FILE`, path.join(this.secrets, name)]));
  }

  controlPlaneEnv() {
    return {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      WORKER: 'separate',
      CONSOLE_DIR: path.join(this.artifacts, 'apps/console/dist'),
      ...this.#secretFiles(
        'DATABASE_MIGRATION_URL',
        'ADMIN_PASSWORD',
        'POSTGRES_PASSWORD',
        'REDIS_CONFIG_PASSWORD',
        'REDIS_COUNTERS_PASSWORD',
        'POLICY_PUBLIC_KEYS',
      ),
      ...this.settings,
    };
  }

  setupEnv() {
    return {
      ...this.controlPlaneEnv(),
      DATABASE_MIGRATION_URL_FILE: path.join(this.secrets, 'DATABASE_MIGRATION_URL'),
      ADMIN_PASSWORD_FILE: path.join(this.secrets, 'ADMIN_PASSWORD'),
      SETUP_STATE_FILE: path.join(this.home, 'setup.json'),
    };
  }

  /** Runs a command of the control plane to its end; returns its output. @throws Error with that of a failure */
  run(entry, env, ...args) {
    return execFileSync(process.execPath, [...NODE_ARGS, this.#entry('control-plane', entry), ...args], {
      env,
      cwd: path.join(this.artifacts, 'apps/control-plane'),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  get all() {
    return [...this.controlPlanes, ...this.workers, ...this.nodes];
  }

  /** Tokens and sign-in link that setup wrote. */
  readSetup() {
    return JSON.parse(readFileSync(path.join(this.home, 'setup.json'), 'utf8'));
  }

  readAdmin() {
    const password = readFileSync(path.join(this.secrets, 'ADMIN_PASSWORD'), 'utf8').trim();
    return { email: this.settings.ADMIN_EMAIL, password };
  }

  async addControlPlane() {
    const port = await reservePort();
    const metricsPort = await reservePort();
    const env = {
      ...this.controlPlaneEnv(),
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      DRAIN_NOTICE_MS,
    };
    const part = this.#part(
      'control-plane',
      'main',
      `control-plane-${this.controlPlanes.length + 1}`,
      env,
      () => isOk(`http://127.0.0.1:${port}/readyz`),
    );
    this.controlPlanes.push(Object.assign(part, { port, metricsPort }));
  }

  async addWorker() {
    const metricsPort = await reservePort();
    const env = { ...this.controlPlaneEnv(), METRICS_PORT: String(metricsPort) };
    const part = this.#part('control-plane', 'worker', `worker-${this.workers.length + 1}`, env, () =>
      isOk(`http://127.0.0.1:${metricsPort}/readyz`),
    );
    this.workers.push(Object.assign(part, { metricsPort }));
  }

  async addNode() {
    const port = await reservePort();
    const metricsPort = await reservePort();
    const name = `node-${this.nodes.length + 1}`;
    const data = path.join(this.home, name);
    mkdirSync(data, { recursive: true });
    const env = {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      DATA_DIR: data,
      NODE_ID: name,
      DRAIN_NOTICE_MS,
      // All parts share the cores: restarts are tried, not capacity. A late reply of Redis is no outage.
      MAX_EVENT_LOOP_LAG_MS: '10000',
      DECISION_DEADLINE_MS: '2000',
      POLICY_PUBLIC_KEYS_FILE: path.join(this.secrets, 'POLICY_PUBLIC_KEYS'),
      TOKEN_PEPPER_FILE: path.join(this.secrets, 'TOKEN_PEPPER'),
      ...this.nodeRedis,
    };
    const part = this.#part('decision-api', 'main', name, env, () => isOk(`http://127.0.0.1:${port}/readyz`));
    this.nodes.push(Object.assign(part, { port, metricsPort }));
  }

  #part(app, entry, name, env, isReady) {
    return new Part({
      name,
      command: process.execPath,
      args: [...NODE_ARGS, this.#entry(app, entry)],
      cwd: path.join(this.artifacts, 'apps', app),
      logFile: path.join(this.logs, `${name}.log`),
      env,
      isReady,
    });
  }
}
