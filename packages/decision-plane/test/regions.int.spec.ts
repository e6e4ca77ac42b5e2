import type { LimitRequest } from '@tollgate/contracts';
import { startFaultProxy } from '@tollgate/limiter/testing';
import { createTestRedis, eventually } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixedWindowPolicy, policyBy } from '../../limiter/test/policies.js';
import { DecisionPlane } from '../src/api/decision-plane.js';
import { TestRelay } from '../src/testing/test-relay.js';

const create: LimitRequest = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };
const remove: LimitRequest = { ...create, operation: 'deleteURL' };

type Server = Awaited<ReturnType<typeof createTestRedis>>;

const ROUND_TRIP_MS = 60;

// The promises of docs/operate/multi-region.md.
describe('two regions with one policy Redis', () => {
  let servers: Server[];
  let remoteCounters: Server;
  let policy: Redis;
  let link: Awaited<ReturnType<typeof startFaultProxy>>;
  let relay: TestRelay;
  let home: DecisionPlane;
  let remote: DecisionPlane;

  const node = (nodeId: string, countersUrl: string, configUrl: string) =>
    DecisionPlane.start({
      nodeId,
      countersUrl,
      configUrl,
      policyKeys: 'unsigned',
      version: 'test',
      // The counters make every decision: a local one counts as well, by its share.
      deadlineMs: 5000,
    });
  const startRemote = () => node('remote', remoteCounters.url, `redis://127.0.0.1:${link.port}`);

  beforeAll(async () => {
    servers = await Promise.all([createTestRedis(), createTestRedis(), createTestRedis()]);
    const [shared, homeCounters] = servers as [Server, Server];
    remoteCounters = servers[2] as Server;
    policy = new Redis(shared.url);
    link = await startFaultProxy(Number(new URL(shared.url).port));
    relay = new TestRelay(shared.url);
    await relay.publish({
      limits: [
        fixedWindowPolicy({ operations: ['createURL'], windowMs: 3_600_000, alignment: 'first_request' }),
        policyBy(
          { algorithm: 'quota', limit: 1000, period: 'month' },
          { name: 'quota', operations: ['deleteURL'] },
        ),
      ],
      tenants: [relay.tenant('acme')],
    });
    home = await node('home', homeCounters.url, shared.url);
    remote = await startRemote();
  });
  afterAll(async () => {
    await Promise.all([home?.close(), remote?.close()]);
    relay?.close();
    policy?.disconnect();
    await link?.close();
    await Promise.all(servers.map((server) => server.stop()));
  });

  const checkpoint = async () => {
    const [hash = ''] = await policy.keys('tg:quota:acme:*');
    return Number.parseInt((await policy.hvals(hash))[0] ?? '0', 10);
  };
  const remaining = async (plane: DecisionPlane) => (await plane.peek(remove)).remaining ?? 1000;

  it('admit up to the limit each', async () => {
    for (const plane of [home, remote]) {
      const answers = [];
      for (let i = 0; i < 4; i++) answers.push((await plane.limit(create)).success);
      expect(answers).toEqual([true, true, true, false]);
    }
  });

  it('start a quota at the usage of the other region, then count their own', async () => {
    await home.limit({ ...remove, cost: 600 });
    await eventually(async () => (await checkpoint()) === 600);
    await remote.limit({ ...remove, cost: 10 });
    await eventually(async () => (await remaining(remote)) < 400);
    const before = await remaining(remote);
    await home.limit({ ...remove, cost: 200 });
    await eventually(async () => (await checkpoint()) === 800);
    await remote.limit({ ...remove, cost: 1 });
    expect(await remaining(remote)).toBe(before - 1);
  });

  it('restore a lost quota over a slow link', async () => {
    await remote.close();
    link.setLatencyMs(ROUND_TRIP_MS / 2);
    const counters = new Redis(remoteCounters.url);
    await counters.flushall();
    counters.disconnect();
    remote = await startRemote();
    await eventually(async () => (await remote.limit(remove)) && (await remaining(remote)) < 200);
  });

  it('decide without the link, and read missed changes over a slow one', async () => {
    link.freeze();
    link.reset();
    await relay.publishTenants([relay.tenant('acme', { status: 'suspended' })]);
    const revision = await relay.publishTenants([relay.tenant('globex')]);
    await eventually(() => home.revision === revision);
    expect(await home.limit(remove)).toMatchObject({ success: false, reason: 'BLOCKED' });
    expect(await remote.limit(remove)).toMatchObject({ success: true });
    link.thaw();
    await eventually(async () => (await remote.limit(remove)).reason === 'BLOCKED');
    expect(remote.revision).toBe(revision);
  });
});
