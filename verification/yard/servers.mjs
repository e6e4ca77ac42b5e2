import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { ROOT } from '../../scripts/run/root.mjs';
import { loadEmbedded } from '../../scripts/stack/services.mjs';
import { reservePort } from '../../scripts/stack/settings.mjs';
import { listens, Part, until } from './part.mjs';

const runFile = promisify(execFile);

/** PgBouncer refuses root. */
const NOBODY = 65_534;
const random = () => randomBytes(18).toString('base64url');

/** A private folder of one server, which its user owns. */
function folderFor(home, name, uid = 0) {
  const folder = path.join(home, name);
  mkdirSync(folder, { recursive: true });
  if (process.getuid() === 0) chownSync(folder, uid, uid);
  return folder;
}

/**
 * Postgres 18 as a managed service offers it: the owner of the database is no superuser, but may create roles. The apps
 * reach it through PgBouncer in transaction mode.
 */
export class Postgres {
  owner = { user: 'tollgate_owner', password: random() };
  login = { user: 'tollgate_control_plane', password: random() };

  /** @param programs that of `startPostgres` */
  constructor({ home, logs, programs }) {
    Object.assign(this, { home, logs, programs });
  }

  async start() {
    const { startPostgres } = await loadEmbedded();
    this.port ??= await reservePort();
    this.server = await startPostgres({
      dataDir: path.join(this.home, 'postgres'),
      port: this.port,
      durable: true,
      logFile: path.join(this.logs, 'postgres.log'),
      programs: this.programs,
    });
    if (this.pooler === undefined) {
      await this.#createOwner();
      await this.#createPooler();
    }
  }

  async #createOwner() {
    await this.#administer(
      `CREATE ROLE ${this.owner.user} LOGIN CREATEROLE PASSWORD '${this.owner.password}'`,
    );
    await this.createDatabase('tollgate');
  }

  async #administer(statement) {
    const client = new pg.Client({ connectionString: this.server.url });
    await client.connect();
    await client.query(statement);
    await client.end();
  }

  /** Returns the owner's address of a new database. */
  async createDatabase(name) {
    await this.#administer(`CREATE DATABASE ${name} OWNER ${this.owner.user}`);
    return this.#address(this.owner, this.port, name);
  }

  #address({ user, password }, port, database) {
    return `postgresql://${user}:${password}@127.0.0.1:${port}/${database}`;
  }

  async #createPooler() {
    const port = await reservePort();
    const folder = folderFor(this.home, 'pgbouncer', NOBODY);
    const users = path.join(folder, 'users.txt');
    writeFileSync(users, `"${this.login.user}" "${this.login.password}"\n`);
    const config = path.join(folder, 'pgbouncer.ini');
    writeFileSync(
      config,
      `[databases]
tollgate = host=127.0.0.1 port=${this.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 8
max_client_conn = 200
server_login_retry = 1
`,
    );
    chmodSync(folder, 0o755);
    this.pooler = new Part({
      name: 'pgbouncer',
      command: 'pgbouncer',
      args: [config],
      env: { PATH: process.env.PATH },
      logFile: path.join(this.logs, 'pgbouncer.log'),
      ...(process.getuid() === 0 ? { uid: NOBODY } : {}),
      isReady: () => listens(port),
    });
    await this.pooler.start();
    this.poolerPort = port;
  }

  /** `DATABASE_URL` and `DATABASE_MIGRATION_URL`. */
  get addresses() {
    return {
      DATABASE_URL: this.#address(this.login, this.poolerPort, 'tollgate'),
      DATABASE_MIGRATION_URL: this.#address(this.owner, this.port, 'tollgate'),
    };
  }

  /** Ends the server as a managed service does for maintenance, and starts it again. */
  async restart() {
    await this.server.stop();
    await this.start();
  }

  async stop() {
    await this.pooler?.stop('SIGINT');
    await this.server?.stop();
  }
}

/** A CA and a certificate for 127.0.0.1, as files. */
function makeCertificates(folder) {
  const openssl = (...args) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.crt', '-days', '2', '-subj', '/CN=yard');
  openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=127.0.0.1');
  writeFileSync(path.join(folder, 'server.ext'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  const issue = [
    '-CA',
    'ca.crt',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-days',
    '2',
    '-extfile',
    'server.ext',
  ];
  openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.crt', ...issue);
  return {
    ca: path.join(folder, 'ca.crt'),
    key: path.join(folder, 'server.key'),
    cert: path.join(folder, 'server.crt'),
  };
}

const SENTINELS = 3;

/** As in packages/test-kit/src/redis-users.ts, whose source Node cannot load without a bundler. */
function documentedUsers() {
  const text = readFileSync(path.join(ROOT, 'docs/operate/redis.md'), 'utf8');
  return [...text.matchAll(/^ACL SETUSER (.*)$/gm)].map(([, user]) => `user ${user}`);
}

/** Rights of Redis's own replication and of Sentinel, from the documentation of Redis. */
const REPLICATION_ACL = '+psync +replconf +ping';
const SENTINEL_ACL =
  'allchannels +multi +slaveof +ping +exec +subscribe +config|rewrite +role +publish +info +client|setname +client|kill +script|kill';

/**
 * Two groups of Redis, `policy` and `counters`, each a primary with a replica, watched by three Sentinels. Only TLS, and each
 * process has a user with the least rights of docs/operate/redis.md.
 */
export class RedisGroups {
  groups = {};
  sentinels = [];
  passwords = { app: random(), replica: random(), sentinel: random() };

  constructor({ home, logs }) {
    Object.assign(this, { home, logs });
  }

  async start() {
    this.tls = makeCertificates(folderFor(this.home, 'tls'));
    for (const group of ['policy', 'counters']) await this.#startGroup(group);
    for (let i = 1; i <= SENTINELS; i++) await this.#startSentinel(i);
    await this.#untilComplete('Sentinels know each other');
  }

  async #startGroup(group) {
    const [first, second] = [await reservePort(), await reservePort()];
    const servers = [await this.#server(group, first), await this.#server(group, second, first)];
    this.groups[group] = { first, servers };
    for (const server of servers) await server.start();
  }

  async #server(group, port, primary) {
    const name = `redis-${group}-${primary === undefined ? 1 : 2}`;
    const folder = folderFor(this.home, name);
    const { app, replica, sentinel } = this.passwords;
    const acl = [
      'user default off',
      ...documentedUsers().map((user) => user.replace('>change-me', `>${app}`)),
      `user replica on >${replica} ${REPLICATION_ACL}`,
      `user sentinel on >${sentinel} ${SENTINEL_ACL}`,
    ];
    const config = [
      ...this.#tlsLines(port),
      `dir ${folder}`,
      'save ""',
      `appendonly ${group === 'policy' ? 'yes' : 'no'}`,
      'maxmemory-policy noeviction',
      'maxmemory 256mb',
      'repl-diskless-sync-delay 0',
      'masteruser replica',
      `masterauth ${replica}`,
      ...(primary === undefined ? [] : [`replicaof 127.0.0.1 ${primary}`]),
      ...acl,
    ];
    writeFileSync(path.join(folder, 'redis.conf'), `${config.join('\n')}\n`, { mode: 0o600 });
    return Object.assign(this.#part(name, ['redis.conf'], folder, port), { port });
  }

  async #startSentinel(number) {
    const port = await reservePort();
    const name = `sentinel-${number}`;
    const folder = folderFor(this.home, name);
    const watch = Object.entries(this.groups).flatMap(([group, { first }]) => [
      `sentinel monitor ${group} 127.0.0.1 ${first} 2`,
      `sentinel auth-user ${group} sentinel`,
      `sentinel auth-pass ${group} ${this.passwords.sentinel}`,
      `sentinel down-after-milliseconds ${group} 1500`,
      `sentinel failover-timeout ${group} 10000`,
    ]);
    const config = [...this.#tlsLines(port), `dir ${folder}`, ...watch];
    writeFileSync(path.join(folder, 'sentinel.conf'), `${config.join('\n')}\n`, { mode: 0o600 });
    const part = Object.assign(this.#part(name, ['sentinel.conf', '--sentinel'], folder, port), { port });
    this.sentinels.push(part);
    await part.start();
  }

  #tlsLines(port) {
    const { ca, cert, key } = this.tls;
    const files = [`tls-cert-file ${cert}`, `tls-key-file ${key}`, `tls-ca-cert-file ${ca}`];
    return [
      'bind 127.0.0.1',
      'port 0',
      `tls-port ${port}`,
      ...files,
      'tls-auth-clients no',
      'tls-replication yes',
    ];
  }

  #part(name, args, folder, port) {
    return new Part({
      name,
      command: 'redis-server',
      args,
      cwd: folder,
      env: { PATH: process.env.PATH },
      logFile: path.join(this.logs, `${name}.log`),
      isReady: () => listens(port),
    });
  }

  /** Runs a command at a Sentinel; returns the lines of its output. */
  async #ask(port, ...command) {
    const args = ['--tls', '--cacert', this.tls.ca, '-h', '127.0.0.1', '-p', String(port), ...command];
    // Asynchronous: this process also sends the decisions, whose times it measures.
    const { stdout } = await runFile('redis-cli', args);
    return stdout.split('\n');
  }

  #untilComplete(what) {
    return until(what, async () => {
      for (const { port } of this.sentinels) {
        for (const group of Object.keys(this.groups))
          if (!(await this.#isComplete(port, group))) return false;
      }
      return true;
    });
  }

  async #isComplete(port, group) {
    const lines = await this.#ask(port, 'SENTINEL', 'MASTER', group);
    const value = (name) => Number(lines[lines.indexOf(name) + 1]);
    return value('num-other-sentinels') === SENTINELS - 1 && value('num-slaves') === 1;
  }

  /** The server of a group that Sentinel names as its primary. */
  async primary(group) {
    const [, port] = await this.#ask(this.sentinels[0].port, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', group);
    return this.groups[group].servers.find((server) => server.port === Number(port));
  }

  /** Ends the primary; resolves when the replica took over and the old primary follows it. */
  async failOver(group) {
    const old = await this.primary(group);
    await old.stop('SIGKILL');
    await until(`failover of ${group}`, async () => (await this.primary(group)) !== old, 30_000);
    await old.start();
    await this.#untilComplete(`${group} has a replica again`);
  }

  /** `REDIS_CONFIG_URL` and `REDIS_COUNTERS_URL` of a process. @param user its documented user of the policy server */
  addressesFor(user) {
    const hosts = this.sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const ca = encodeURIComponent(this.tls.ca);
    const address = (name, group) =>
      `rediss-sentinel://${name}:${this.passwords.app}@${hosts}/${group}?ca=${ca}`;
    return {
      REDIS_CONFIG_URL: address(user, 'policy'),
      REDIS_COUNTERS_URL: address('node-counters', 'counters'),
    };
  }

  /** Primaries and replicas of both groups. */
  get servers() {
    return Object.values(this.groups).flatMap(({ servers }) => servers);
  }

  async stop() {
    for (const part of [...this.sentinels, ...this.servers]) await part.stop();
  }
}

/**
 * HAProxy as docs/operate/upgrade.md configures it: a process leaves when `/readyz` fails, which it does before it stops; only
 * connections that were never made are tried again elsewhere, because a decision counts.
 */
export function haproxy({ home, logs, consolePort, decisionPort, controlPlanes, nodes }) {
  const list = (parts) =>
    parts
      .map(({ name, port }) => `  server ${name} 127.0.0.1:${port} check inter 500ms fall 3 rise 1`)
      .join('\n');
  const config = path.join(folderFor(home, 'haproxy'), 'haproxy.cfg');
  writeFileSync(
    config,
    `global
  maxconn 2000
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout check 2s
  retries 2
  option redispatch
  option httpchk GET /readyz
  http-check expect status 200
frontend console
  bind 127.0.0.1:${consolePort}
  option forwardfor
  default_backend control_planes
frontend decisions
  bind 127.0.0.1:${decisionPort}
  default_backend nodes
backend control_planes
${list(controlPlanes)}
backend nodes
  balance leastconn
${list(nodes)}
`,
  );
  return new Part({
    name: 'haproxy',
    command: 'haproxy',
    args: ['-db', '-f', config],
    env: { PATH: process.env.PATH },
    logFile: path.join(logs, 'haproxy.log'),
    isReady: async () => (await listens(consolePort)) && (await listens(decisionPort)),
  });
}
