import type { NodeReport } from '@tollgate/contracts';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { CALLER } from '../../../test/support/test-app.js';
import { startTestServices, type TestServices } from '../../../test/support/test-services.js';
import { Clock } from '../../platform/clock.js';
import { JobsModule } from '../../platform/jobs/jobs-runner.js';
import { Database } from '../../platform/prisma/database.js';
import { NodeRegistryJob } from './distribution.jobs.js';
import { DistributionModule, RelayWorkerModule } from './index.js';
import { NodesService } from './nodes.service.js';

const START_MS = Date.now();

let services: TestServices;
let redis: Redis;
let job: NodeRegistryJob;
let nodes: NodesService;
let nowMs = START_MS;

beforeAll(async () => {
  services = await startTestServices([JobsModule, RelayWorkerModule, DistributionModule]);
  redis = new Redis(services.redisUrl);
  job = services.context.get(NodeRegistryJob, { strict: false });
  nodes = services.context.get(NodesService, { strict: false });
});
beforeEach(() => {
  vi.spyOn(services.context.get(Clock), 'now').mockImplementation(() => new Date(nowMs));
});
afterAll(async () => {
  redis.disconnect();
  await services.stop();
});

function reportOf(nodeId: string, over: Partial<NodeReport> = {}): NodeReport {
  const report = { nodeId, epoch: 'e1', version: '1.0', startedAtMs: START_MS, seenAtMs: nowMs, revision: 7 };
  return { ...report, applyLatencyMs: 3, nack: null, degraded: false, ...over };
}

const say = (report: NodeReport) => redis.hset('tg:nodes', report.nodeId, JSON.stringify(report));
const notices = () =>
  services.context
    .get(Database)
    .client.notice.findMany({ where: { kind: 'node.stale' }, orderBy: { id: 'asc' } });
const listed = async () =>
  (await nodes.list(true)).map(({ nodeId, stale, retiredAt }) => [nodeId, stale, retiredAt !== null]);

it('marks a node that stops reporting as stale with one notice, until it reports again', async () => {
  await say(reportOf('a', { policyAgeMs: 12 }));
  await say(reportOf('b'));
  await job.run();
  expect(await nodes.list(false)).toMatchObject([
    { nodeId: 'a', stale: false, revision: 7, policyAgeMs: 12, firstSeenAt: new Date(nowMs) },
    { nodeId: 'b', stale: false, policyAgeMs: null },
  ]);
  nowMs += 16_000;
  await say(reportOf('a'));
  for (let i = 0; i < 3; i++) await job.run();
  expect(await listed()).toEqual([
    ['a', false, false],
    ['b', true, false],
  ]);
  expect(await notices()).toMatchObject([{ data: { nodeId: 'b', revision: 7, version: '1.0' } }]);
  nowMs += 1000;
  await say(reportOf('b', { epoch: 'e2', version: '1.1' }));
  await job.run();
  expect(await nodes.list(false)).toMatchObject([
    { nodeId: 'a' },
    { nodeId: 'b', stale: false, version: '1.1' },
  ]);
  expect(await notices()).toHaveLength(1);
  nowMs += 16_000;
  await say(reportOf('a'));
  await job.run();
  expect(await notices()).toHaveLength(2);
});

it('lists a node after its reports have expired', async () => {
  nowMs += 120_000;
  await say(reportOf('a'));
  await redis.hdel('tg:nodes', 'b');
  await job.run();
  expect(await listed()).toEqual([
    ['a', false, false],
    ['b', true, false],
  ]);
});

it('does not mark retired and cleanly stopped nodes as stale; a node that reports again is active', async () => {
  expect(await nodes.retire(CALLER, { nodeId: 'b', reason: 'scaled down' })).toMatchObject({ ok: true });
  await redis.hdel('tg:nodes', 'a');
  await redis.hset('tg:nodes:left', 'a', nowMs);
  const told = (await notices()).length;
  nowMs += 60_000;
  await job.run();
  expect(await listed()).toEqual([
    ['a', false, true],
    ['b', false, true],
  ]);
  expect(await nodes.list(false)).toEqual([]);
  expect(await notices()).toHaveLength(told);
  await say(reportOf('b'));
  await job.run();
  expect(await nodes.list(false)).toMatchObject([{ nodeId: 'b', stale: false, retiredAt: null }]);
});

it.each([
  ['an unknown node', 'nobody', 'NOT_FOUND'],
  ['an invalid node id', 'a node', 'INVALID'],
])('rejects retiring %s', async (_name, nodeId, code) => {
  expect(await nodes.retire(CALLER, { nodeId })).toMatchObject({
    ok: false,
    errors: [{ code, field: ['nodeId'] }],
  });
});
