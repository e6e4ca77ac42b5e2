import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type EmbeddedRedis, startOnPort, startRedis } from '@tollgate/embedded';
import { eventually } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { freeze } from './freeze.ts';

export interface RedisClusterOptions {
  /** Default 3; slots are divided evenly. */
  masters?: number;
  /** Default 3, over the masters. */
  replicas?: number;
  /** Silence after which a node counts as failed, ms; default: a minute, so that none fails by a lack of CPU. */
  nodeTimeoutMs?: number;
}

export interface ClusterNode {
  readonly port: number;
  readonly pid: number;
  readonly id: string;
  /** At the start. */
  readonly role: 'master' | 'replica';
  /** Master of a replica at the start. */
  readonly masterId: string | null;
  kill(): void;
  /** Resolves when it has stopped. */
  freeze(): Promise<void>;
  thaw(): void;
}

export interface TestRedisCluster {
  readonly nodes: readonly ClusterNode[];
  readonly masters: readonly ClusterNode[];
  readonly url: string;
  /** As `asked` reports it; default: the first node. */
  ownerOf(slot: number, asked?: ClusterNode): Promise<ClusterNode>;
  /** Swaps a replica with its master without loss; resolves when it serves. */
  failover(replica: ClusterNode): Promise<void>;
  /** Resolves when the replica serves as a master, after the node timeout. */
  promoted(replica: ClusterNode): Promise<void>;
  /** Makes a replica the master without asking its master, which is frozen or dead; resolves when it serves. */
  takeOver(replica: ClusterNode): Promise<void>;
  /** Moves a slot key by key while it is used. @param whileOpen called when half of its keys are moved (ASK replies) */
  moveSlot(slot: number, to: ClusterNode, whileOpen?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

const SLOTS = 16_384;
const FAILOVER_RETRY_MS = 6000;
/** Node timeout until the cluster has formed. Every node is sent a ping in half of it, so a short one is faster. */
const FORMING_TIMEOUT_MS = 2000;

interface Member extends ClusterNode {
  readonly server: EmbeddedRedis;
  readonly busPort: number;
}

/** Programs of the nodes: `TOLLGATE_CLUSTER_SERVER=valkey-server` tests Valkey. */
const KIND = process.env.TOLLGATE_CLUSTER_SERVER === 'valkey-server' ? 'valkey-server' : 'redis-server';

/** Takes about two seconds. Needs the server on PATH. @throws Error if it does not form */
export async function startRedisCluster(options: RedisClusterOptions = {}): Promise<TestRedisCluster> {
  const { masters = 3, replicas = 3, nodeTimeoutMs = 60_000 } = options;
  const home = mkdtempSync(path.join(tmpdir(), 'tollgate-test-cluster-'));
  const members: Member[] = [];
  const stop = async () => {
    await Promise.all(members.map((member) => member.server.stop()));
    rmSync(home, { recursive: true, force: true });
  };
  try {
    for (let i = 0; i < masters + replicas; i++) {
      const masterId = i < masters ? null : (members[(i - masters) % masters]?.id ?? null);
      members.push(await startMember(path.join(home, String(i)), masterId));
    }
    await form(members, masters, nodeTimeoutMs);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    nodes: members,
    masters: members.slice(0, masters),
    url: `redis-cluster://${members.map((member) => `127.0.0.1:${member.port}`).join(',')}`,
    ownerOf: (slot, asked = members[0]) => ownerOf(members, slot, asked),
    failover: async ({ port }) => {
      // A replica gives up after 5 s, such as without the votes of other masters.
      await command(port, 'CLUSTER', 'FAILOVER');
      const retry = setInterval(() => {
        void command(port, 'CLUSTER', 'FAILOVER').catch(() => undefined); // rejected by a master
      }, FAILOVER_RETRY_MS);
      await servesAsMaster(port).finally(() => clearInterval(retry));
    },
    promoted: ({ port }) => servesAsMaster(port),
    takeOver: async ({ port }) => {
      await command(port, 'CLUSTER', 'FAILOVER', 'TAKEOVER');
      await servesAsMaster(port);
    },
    moveSlot: async (slot, to, whileOpen) =>
      moveSlot(members, slot, await ownerOf(members, slot, to), to, whileOpen),
    stop,
  };
}

async function startMember(dir: string, masterId: string | null): Promise<Member> {
  const cluster = ['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf'];
  // Otherwise one failed shard makes all others unavailable.
  const coverage = ['--cluster-require-full-coverage', 'no'];
  const times = ['--cluster-node-timeout', String(FORMING_TIMEOUT_MS), '--repl-diskless-sync-delay', '0'];
  const { server, port: busPort } = await startOnPort(undefined, async (bus) => {
    const extraArgs = [...cluster, ...coverage, ...times, '--cluster-port', String(bus)];
    return { server: await startRedis({ dir, durable: false, kind: KIND, extraArgs }) };
  });
  return {
    server,
    port: server.port,
    busPort,
    pid: server.pid,
    id: String(await command(server.port, 'CLUSTER', 'MYID')),
    role: masterId === null ? 'master' : 'replica',
    masterId,
    kill: () => server.kill('SIGKILL'),
    freeze: () => freeze(server),
    thaw: () => server.kill('SIGCONT'),
  };
}

async function form(members: readonly Member[], masters: number, nodeTimeoutMs: number): Promise<void> {
  for (const [i, { port }] of members.slice(0, masters).entries()) {
    const [first, end] = [i, i + 1].map((part) => Math.floor((part * SLOTS) / masters));
    await command(port, 'CLUSTER', 'ADDSLOTSRANGE', first ?? 0, (end ?? 0) - 1);
    await command(port, 'CLUSTER', 'SET-CONFIG-EPOCH', i + 1);
  }
  const [seed, ...others] = members;
  for (const { port, busPort } of others) {
    await command(seed?.port ?? 0, 'CLUSTER', 'MEET', '127.0.0.1', port, busPort);
  }
  const knowsAll = async ({ port }: Member) =>
    String(await command(port, 'CLUSTER', 'NODES'))
      .trim()
      .split('\n')
      .filter((line) => !line.includes('handshake')).length === members.length;
  await eventually(async () => (await Promise.all(members.map(knowsAll))).every(Boolean));
  for (const { port, masterId } of members) {
    if (masterId !== null) await command(port, 'CLUSTER', 'REPLICATE', masterId);
  }
  const isReady = async ({ port, masterId }: Member) => {
    const info = String(await command(port, 'CLUSTER', 'INFO'));
    if (!info.includes('cluster_state:ok')) return false;
    return masterId === null || String(await command(port, 'INFO', 'replication')).includes('link_status:up');
  };
  await eventually(async () => (await Promise.all(members.map(isReady))).every(Boolean));
  await eventually(async () =>
    (await Promise.all(members.map(({ port }) => slotTable(port)))).every(
      (table) => table.length === masters,
    ),
  );
  // A master votes only for a replica that it knows.
  const replicas = members.filter(({ masterId }) => masterId !== null);
  const knowsReplicas = async ({ port }: Member) => {
    const lines = String(await command(port, 'CLUSTER', 'NODES')).split('\n');
    return replicas.every(({ id, masterId }) =>
      lines.some((line) => line.startsWith(id) && line.includes(` ${masterId} `)),
    );
  };
  await eventually(async () => (await Promise.all(members.map(knowsReplicas))).every(Boolean));
  for (const { port } of members) await command(port, 'CONFIG', 'SET', 'cluster-node-timeout', nodeTimeoutMs);
}

async function moveSlot(
  members: readonly Member[],
  slot: number,
  from: ClusterNode,
  to: ClusterNode,
  whileOpen: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await command(to.port, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id);
  await command(from.port, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
  const keysLeft = async () =>
    (await command(from.port, 'CLUSTER', 'GETKEYSINSLOT', slot, 1_000_000)) as string[];
  const move = async (keys: readonly string[]) => {
    for (const key of keys) await command(from.port, 'MIGRATE', '127.0.0.1', to.port, key, 0, 5000);
  };
  const keys = await keysLeft();
  await move(keys.slice(0, Math.ceil(keys.length / 2)));
  await whileOpen();
  for (let rest = await keysLeft(); rest.length > 0; rest = await keysLeft()) await move(rest);
  // New owner first: otherwise the slot has no owner for a moment.
  await command(to.port, 'CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
  await command(from.port, 'CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
  for (const { port, role } of members) {
    if (role === 'master') await command(port, 'CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
  }
}

type SlotRange = [first: number, last: number, master: [host: string, port: number, id: string]];

async function slotTable(port: number): Promise<SlotRange[]> {
  return (await command(port, 'CLUSTER', 'SLOTS')) as SlotRange[];
}

async function ownerOf(
  members: readonly Member[],
  slot: number,
  asked: ClusterNode | undefined,
): Promise<ClusterNode> {
  const range = (await slotTable(asked?.port ?? 0)).find(([first, last]) => first <= slot && slot <= last);
  const owner = members.find((member) => member.id === range?.[2][2]);
  if (owner === undefined) throw new Error(`nobody serves slot ${slot}`);
  return owner;
}

async function servesAsMaster(port: number): Promise<void> {
  await eventually(async () => {
    const role = (await command(port, 'ROLE')) as [string];
    return role[0] === 'master' && String(await command(port, 'CLUSTER', 'INFO')).includes('state:ok');
  });
}

async function command(port: number, name: string, ...args: (string | number)[]): Promise<unknown> {
  const redis = new Redis({ port, host: '127.0.0.1', lazyConnect: true, retryStrategy: null });
  redis.on('error', () => undefined);
  try {
    return await redis.call(name, ...args);
  } finally {
    redis.disconnect();
  }
}
