// @module-tag redis-server
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DecisionPlane } from '@tollgate/decision-plane';
import { startOnPort, startOwnedService } from '@tollgate/embedded';
import { documentedUsers, eventually, selfSignedCertificate, startRealRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPolicy } from './support/policy-factory.js';
import { startTestApp, type TestApp } from './support/test-app.js';

/** Stalls of a busy machine are shorter. */
const DOWN_AFTER_MS = 2000;

const home = mkdtempSync(path.join(tmpdir(), 'tollgate-sentinel-'));
const closers: (() => unknown)[] = [() => rmSync(home, { recursive: true, force: true })];
let app: TestApp;
let node: DecisionPlane;
let master: Server;
let replica: Server;

type Server = Awaited<ReturnType<typeof startServer>>;

const fileOf = (name: string, text: string) => {
  const file = path.join(home, name);
  writeFileSync(file, text);
  return file;
};
const { cert, key } = selfSignedCertificate();
const files = { cert: fileOf('cert.pem', cert), key: fileOf('key.pem', key) };
const users = fileOf('users.acl', `user default on nopass ~* &* +@all\n${documentedUsers().join('\n')}\n`);

/** Servers, Sentinel and replication accept only TLS with a client certificate. */
const tlsSettings = (port: number): [string, string | number][] => [
  ['port', 0],
  ['tls-port', port],
  ['tls-cert-file', files.cert],
  ['tls-key-file', files.key],
  ['tls-ca-cert-file', files.cert],
  ['tls-replication', 'yes'],
];

async function startServer(...more: string[]) {
  const { server, port } = await startOnPort(undefined, async (tlsPort) => {
    const settings = tlsSettings(tlsPort).flatMap(([name, value]) => [`--${name}`, String(value)]);
    return { server: await startRealRedis({ extraArgs: [...settings, '--aclfile', users, ...more] }) };
  });
  closers.unshift(server.stop);
  const admin = new Redis({ port, tls: { ca: cert, cert, key } });
  admin.on('error', () => undefined);
  closers.unshift(() => admin.disconnect());
  return { port, admin, kill: () => server.kill('SIGKILL') };
}

/** One Sentinel is a majority of one. */
async function startSentinel(masterPort: number): Promise<number> {
  const { port, stop } = await startOnPort(undefined, (tlsPort) => {
    const settings: [string, string | number][] = [
      ...tlsSettings(tlsPort),
      ['bind', '127.0.0.1'],
      ['dir', home],
      ['sentinel monitor main 127.0.0.1', `${masterPort} 1`],
      ['sentinel down-after-milliseconds main', DOWN_AFTER_MS],
      ['sentinel failover-timeout main', 2 * DOWN_AFTER_MS],
    ];
    const file = fileOf('sentinel.conf', settings.map((setting) => setting.join(' ')).join('\n'));
    return startOwnedService(path.join(home, 'sentinel'), {
      name: 'Redis Sentinel',
      command: 'redis-server',
      args: [file, '--sentinel'],
      logFile: path.join(home, 'sentinel.log'),
      isReady: (log) => log.includes('+monitor master main'),
      stopSignal: 'SIGKILL',
    });
  });
  closers.unshift(stop);
  const client = new Redis({ port, tls: { ca: cert, cert, key } });
  client.on('error', () => undefined);
  closers.unshift(() => client.disconnect());
  await eventually(async () => {
    const replicas = (await client.call('SENTINEL', 'replicas', 'main')) as unknown[];
    return replicas.length === 1;
  });
  return port;
}

/** Nest and ioredis print what nobody handles. */
const printed: unknown[][] = [];
const { error: print } = console;

beforeAll(async () => {
  console.error = (...values) => printed.push(values);
  master = await startServer();
  replica = await startServer(
    '--replicaof',
    '127.0.0.1',
    String(master.port),
    '--repl-diskless-sync-delay',
    '0',
  );
  await eventually(async () => (await replica.admin.info()).includes('master_link_status:up'));
  const port = await startSentinel(master.port);
  // The first Sentinel is down.
  const urlAs = (user: string) =>
    `rediss-sentinel://${user}:change-me@127.0.0.1:1,127.0.0.1:${port}/main?ca=${files.cert}&cert=${files.cert}&key=${files.key}`;
  app = await startTestApp({
    REDIS_CONFIG_URL: urlAs('control-plane'),
    REDIS_COUNTERS_URL: urlAs('node-counters'),
  });
  closers.unshift(() => app.stop());
  await createPolicy(app);
  node = await DecisionPlane.start({
    countersUrl: urlAs('node-counters'),
    configUrl: urlAs('node-policy'),
    nodeId: 'node-1',
    version: 'test',
    deadlineMs: 1000,
    policyKeys: 'unsigned',
  });
  closers.unshift(() => node.close());
});

afterAll(async () => {
  console.error = print;
  for (const close of closers) await close();
});

/** The next decision for a tenant that was not degraded. */
const decided = (tenant: string) =>
  eventually(async () => {
    const answer = await node.limit({ tenant, api: 'shop', operation: 'buy' }).catch(() => undefined);
    return answer?.degraded === false && answer;
  });
const denials = ({ admin }: Server) => admin.call('ACL', 'LOG');

it('decides and publishes over TLS with the documented users', async () => {
  expect(await decided('acme')).toMatchObject({ success: true, policy: 'per-minute' });
  const { errors } = await app.graphql('{ jobQueues { name paused } jobs(first: 5) { id } }');
  expect(errors).toEqual([]);
  expect(await denials(master)).toEqual([]);
});

it('answers during a failover, then decides and publishes with the new master', async () => {
  master.kill();
  await eventually(async () => {
    const { degraded } = await node.limit({ tenant: 'acme', api: 'shop', operation: 'buy' });
    return degraded;
  });
  expect(await decided('acme')).toMatchObject({ policy: 'per-minute' });
  expect(await replica.admin.role()).toContain('master');
  const { data } = await app.graphql(
    'mutation { tenantCreate(input: { key: "late", name: "Late", tierKey: "basic" }) { userErrors { code } } }',
  );
  expect(data.tenantCreate.userErrors).toEqual([]);
  expect(await decided('late')).toMatchObject({ success: true });
  expect(await denials(replica)).toEqual([]);
  expect(printed).toEqual([]);
});
