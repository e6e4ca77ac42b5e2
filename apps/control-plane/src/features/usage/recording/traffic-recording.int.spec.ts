import type { LimitPolicy } from '@tollgate/contracts';
import { createPrismaClient, type PrismaClient } from '@tollgate/database';
import { DecisionPlane } from '@tollgate/decision-plane';
import { TRAFFIC_STREAM } from '@tollgate/decision-plane/operate';
import { SHORTENER, TestRelay } from '@tollgate/decision-plane/testing';
import {
  BlockBuilder,
  encodeBlock,
  type ReplayPolicy,
  replayTraffic,
  type TrafficBlock,
  unpackBlock,
} from '@tollgate/replay';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestServices, type TestServices } from '../../../../test/support/test-services.js';
import { createTenants } from '../../../../test/support/usage-frames.js';
import { Clock } from '../../../platform/clock.js';
import { Database } from '../../../platform/prisma/database.js';
import { SubjectHash } from '../journal/journal.repository.js';
import { UsageWorkerModule } from '../usage.modules.js';
import {
  type RecordedBlock,
  type RecordingRange,
  TrafficBlocksRepository,
} from './traffic-blocks.repository.js';
import { SEALED } from './traffic-blocks.rules.js';
import { TrafficIngest } from './traffic-ingest.js';
import { TrafficMerge, TrafficRetention } from './traffic-upkeep.js';

const SECOND_US = 1_000_000;
const HOUR_MS = 3_600_000;
/** Start of the current hour. */
const START_US = Math.floor(Date.now() / HOUR_MS) * HOUR_MS * 1000;

let services: TestServices;
let owner: PrismaClient;
let redis: Redis;
let blocks: TrafficBlocksRepository;
let ids: Record<string, string>;

const get = <T>(type: new (...args: never[]) => T): T => services.context.get<T>(type, { strict: false });

beforeAll(async () => {
  services = await startTestServices([UsageWorkerModule], {
    ...{ TRAFFIC_TENANT_MEGABYTES: '1', TRAFFIC_TOTAL_MEGABYTES: '2' },
  });
  owner = createPrismaClient(services.ownerUrl, { max: 2 });
  redis = new Redis(services.redisUrl);
  blocks = get(TrafficBlocksRepository);
  ids = await createTenants(owner, { acme: 'UTC', globex: 'UTC', sirius: 'UTC' });
});
afterEach(async () => {
  await owner.$executeRaw`TRUNCATE traffic_block, traffic_source, traffic_gap, stream_reject`;
});
afterAll(async () => {
  redis?.disconnect();
  await owner?.$disconnect();
  await services?.stop();
});

interface Sent {
  at?: number;
  tenant?: string;
  api?: string;
  user?: string;
}

/** A block of a node; times are seconds after the start. */
function nodeBlock(
  sequence: number,
  rows: readonly Sent[],
  header: Partial<TrafficBlock> = {},
): TrafficBlock {
  const builder = new BlockBuilder();
  for (const { at = sequence, tenant = 'acme', api = 'site', user = 'u1' } of rows) {
    builder.add(
      START_US + at * SECOND_US,
      builder.subjectOf(tenant, { user }),
      builder.operationOf(api, 'read'),
      1,
      builder.verdictOf('allowed', 0, null, 1),
    );
  }
  const block = builder.build({ node: 'n1', epoch: 'e1', sequence, dropped: 0, resolutionUs: 1 });
  return { ...block, ...header };
}

/** Writes blocks to the stream, and stores them. */
async function ingest(...written: readonly TrafficBlock[]): Promise<void> {
  for (const block of written) await TRAFFIC_STREAM.write(redis, encodeBlock(block));
  await get(TrafficIngest).run();
}

async function recorded(range: Partial<RecordingRange> = {}): Promise<RecordedBlock[]> {
  const list: RecordedBlock[] = [];
  const all = { fromUs: START_US - 24 * HOUR_MS * 1000, toUs: START_US + 3 * HOUR_MS * 1000 };
  for await (const block of blocks.recordings({ ...all, ...range })) list.push(block);
  return list;
}

const unpacked = (list: readonly RecordedBlock[]) => list.map(({ packed }) => unpackBlock(packed));

/** Times of the decisions, seconds after the start. */
const secondsOf = (list: readonly RecordedBlock[]) =>
  unpacked(list).flatMap(({ atUs }) => Array.from(atUs, (time) => (time - START_US) / SECOND_US));

const gaps = async () =>
  (await owner.trafficGap.findMany({ orderBy: { id: 'asc' } })).map(({ reason, decisions }) => [
    reason,
    decisions === null ? null : Number(decisions),
  ]);

describe('a recording', () => {
  it('contains the blocks of a range, of tenants and of an API, in order of time', async () => {
    await ingest(nodeBlock(1, [{ at: 50, tenant: 'globex', api: 'shop' }]));
    for (let at = 40; at > 0; at--) await ingest(nodeBlock(42 - at, [{ at }]));
    const acme = [ids.acme as string];
    expect(secondsOf(await recorded({ tenantIds: acme }))).toEqual(
      Array.from({ length: 40 }, (_, i) => 1 + i),
    );
    expect(secondsOf(await recorded({ api: 'shop' }))).toEqual([50]);
    const range = { fromUs: START_US + 7 * SECOND_US, toUs: START_US + 9 * SECOND_US };
    expect(secondsOf(await recorded(range))).toEqual([7, 8]);
    expect(await blocks.extent({ ...range, tenantIds: acme })).toMatchObject({
      tenants: 1,
      decisions: 2,
      fromUs: range.fromUs,
      toUs: range.toUs - SECOND_US,
    });
  });

  it('has keyed hashes instead of values, different in each tenant, and equal ones for equal values', async () => {
    await ingest(
      nodeBlock(1, [{}, { user: 'u2' }, { tenant: 'globex' }]),
      nodeBlock(2, [{ at: 2 }, { at: 2, user: 'u2' }]),
    );
    const [acme, globex] = unpacked(await recorded());
    const hash = (tenant: string, user: string) =>
      get(SubjectHash)
        .of(ids[tenant] as string, 'user', `=${user}`)
        .slice(0, 8);
    expect(acme?.subjects.map(({ values }) => values)).toEqual([
      [['user', hash('acme', 'u1')]],
      [['user', hash('acme', 'u2')]],
    ]);
    expect(globex?.subjects).toEqual([{ tenant: 'globex', values: [['user', hash('globex', 'u1')]] }]);
    expect(await redis.xlen('tg:traffic')).toBe(0);
  });

  it('splits decisions at hours, and discards unknown tenants and times beyond the retention', async () => {
    const rows = [-1, 0, 2 * 3600, -25 * 3600].map((at) => ({ at }));
    await ingest(nodeBlock(1, [...rows, { at: 1, tenant: 'nobody' }]));
    expect((await recorded()).map(({ rows }) => rows)).toEqual([1, 1]);
  });
});

describe('ingestion', () => {
  it('stores each block once, however often it is delivered', async () => {
    const twice = nodeBlock(1, [{ at: 1 }]);
    await ingest(twice, twice, nodeBlock(2, [{ at: 2 }]));
    await ingest(twice, nodeBlock(3, [{ at: 3 }]));
    expect(secondsOf(await recorded())).toEqual([1, 2, 3]);
    expect(await gaps()).toEqual([]);
  });

  it('leaves nothing of a failed run, and the next run stores it completely', async () => {
    const { add } = blocks;
    blocks.add = () => Promise.reject(new Error('the worker dies here'));
    await expect(ingest(nodeBlock(1, [{}], { dropped: 3 }))).rejects.toThrow('the worker dies here');
    blocks.add = add;
    expect([await recorded(), await gaps()]).toEqual([[], []]);
    await ingest();
    expect((await recorded()).length).toBe(1);
    expect(await gaps()).toEqual([['DROPPED', 3]]);
  });

  it('lists gaps: dropped by a node, missing in the stream, and after a restart', async () => {
    await ingest(nodeBlock(1, [{}]), nodeBlock(4, [{}]), nodeBlock(6, [{}], { dropped: 7 }));
    await ingest(nodeBlock(1, [{ at: 9 }], { epoch: 'e2' }), nodeBlock(2, [{ at: 10 }], { epoch: 'e2' }));
    expect(await gaps()).toEqual([
      ['MISSING', null],
      ['DROPPED', 7],
      ['RESTARTED', null],
    ]);
    const range = { fromUs: START_US + 8 * SECOND_US, toUs: START_US + 12 * SECOND_US };
    expect(await blocks.listGaps(range)).toMatchObject([
      { nodeId: 'n1', epoch: 'e2', fromUs: BigInt(START_US + 6 * SECOND_US), reason: 'RESTARTED' },
    ]);
  });

  it('stores unreadable entries separately with the reason, and continues', async () => {
    await redis.xadd('tg:traffic', '*', 'frame', Buffer.of(9, 255));
    await redis.xadd('tg:traffic', '*', 'frame', encodeBlock(nodeBlock(1, [{}])).subarray(0, 40));
    await ingest(nodeBlock(1, [{ at: 5 }]));
    expect(secondsOf(await recorded())).toEqual([5]);
    const rejects = await owner.streamReject.findMany({
      where: { stream: 'traffic' },
      orderBy: { entryId: 'asc' },
    });
    expect(rejects[0]?.text).toBe('version 9 of the block is unknown; Cf8=');
    expect(rejects).toHaveLength(2);
  });
});

describe('merged blocks', () => {
  it('contain the decisions in order, also for readers that began before the merge', async () => {
    for (let n = 1; n <= 33; n++) await ingest(nodeBlock(n, [{ at: 34 - n }, { at: n, user: `u${n % 3}` }]));
    const before = await recorded();
    const reading = blocks.recordings({ fromUs: START_US, toUs: START_US + HOUR_MS * 1000 });
    const first = await reading.next();
    await get(TrafficMerge).run();
    const rest: RecordedBlock[] = [];
    for await (const block of reading) rest.push(block);
    expect([first.value as RecordedBlock, ...rest].map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    const merged = await recorded();
    expect(merged).toHaveLength(1);
    const seconds = secondsOf(before).sort((a, b) => a - b);
    expect(secondsOf(merged)).toEqual(seconds);
    expect(unpacked(merged)[0]?.subjects).toHaveLength(3);
    expect(
      (await owner.trafficBlock.findMany({ where: { replacedBy: null } })).map(({ level }) => level),
    ).toEqual([1]);
  });

  it('are sealed when their hour is complete', async () => {
    for (let n = 1; n <= 3; n++) await ingest(nodeBlock(n, [{ at: -7200 + n }]));
    await ingest(nodeBlock(4, [{ at: -10_000 }]));
    await get(TrafficMerge).run();
    const open = await owner.trafficBlock.findMany({
      where: { replacedBy: null },
      orderBy: { fromUs: 'asc' },
    });
    expect(open.map(({ rows, level }) => [rows, level])).toEqual([
      [1, SEALED],
      [3, SEALED],
    ]);
  });
});

describe('retention', () => {
  const kept = async () =>
    (await owner.trafficBlock.findMany({ orderBy: [{ tenantId: 'asc' }, { fromUs: 'asc' }] })).map(
      ({ rows }) => rows,
    );

  /** Stores blocks of so many kilobytes, oldest first; `rows` identify them. */
  async function fill(tenant: string, hoursAgo: readonly number[], kilobytes: number): Promise<void> {
    const packed = Buffer.alloc(kilobytes * 1000);
    const list = hoursAgo.map((hours) => {
      const fromUs = START_US - hours * HOUR_MS * 1000;
      return { ...{ apis: ['site'], fromUs, toUs: fromUs + 1, rows: 1 + hours, level: SEALED }, packed };
    });
    await get(Database).transaction((tx) =>
      blocks.add(
        tx,
        list.map((block) => ({ ...block, tenantId: ids[tenant] as string })),
      ),
    );
  }

  it('deletes blocks after a day, and replaced ones after an hour', async () => {
    await fill('acme', [30, 25, 20, 3, 2], 1);
    const [old, young] = await owner.trafficBlock.findMany({
      where: { rows: { in: [3, 4] } },
      orderBy: { rows: 'desc' },
    });
    const replace = (id: bigint | undefined, agoMs: number) =>
      owner.trafficBlock.update({
        where: { id: id ?? 0n },
        data: { replacedBy: 1n, replacedAt: new Date(Date.now() - agoMs) },
      });
    await replace(old?.id, 2 * HOUR_MS);
    await replace(young?.id, HOUR_MS / 2);
    await get(TrafficRetention).run();
    expect(await kept()).toEqual([21, 3]);
  });

  it('deletes the oldest blocks beyond the size per tenant and in total', async () => {
    await fill('acme', [4, 3, 2, 1], 400);
    await get(TrafficRetention).run();
    expect(await kept()).toEqual([3, 2]);
    await fill('globex', [6, 5], 400);
    await fill('sirius', [8, 7], 400);
    await get(TrafficRetention).run();
    expect(await kept()).toEqual([3, 2, 7, 6, 8]);
  });

  it('deletes the traffic of archived and deleted tenants, and stores no more of it', async () => {
    const gone = await createTenants(owner, { archived: 'UTC', deleted: 'UTC' });
    await ingest(nodeBlock(1, [{ tenant: 'archived' }, { tenant: 'deleted' }, {}]));
    await owner.tenant.delete({ where: { id: gone.deleted as string } });
    await owner.tenant.update({ where: { id: gone.archived as string }, data: { status: 'ARCHIVED' } });
    await get(TrafficRetention).run();
    await ingest(nodeBlock(2, [{ tenant: 'archived' }, { tenant: 'deleted' }]));
    expect((await recorded()).map(({ tenantId }) => tenantId)).toEqual([ids.acme]);
  });
});

describe('nodes', () => {
  const TENANTS = ['acme', 'globex'];
  const common = { api: SHORTENER.key, operations: [], onUnavailable: 'deny' as const };
  const LIMITS: LimitPolicy[] = [
    { ...common, name: 'rate', per: ['user'], algorithm: 'gcra', limit: 20, windowMs: 200, burst: 3 },
    {
      ...common,
      name: 'window',
      per: [],
      algorithm: 'fixed_window',
      limit: 90,
      windowMs: 100,
      alignment: 'clock',
    },
    { ...common, name: 'daily', per: [], algorithm: 'quota', limit: 400, period: 'day' },
  ];

  const start = (nodeId: string, recordTraffic = true) =>
    DecisionPlane.start({
      ...{ countersUrl: services.redisUrl, configUrl: services.redisUrl, policyKeys: 'unsigned' },
      ...{ nodeId, version: 'test', deadlineMs: 5000, recordTraffic },
    });

  async function decide(plane: DecisionPlane, requests: number): Promise<void> {
    let sent = 0;
    const caller = async () => {
      for (let n = sent++; n < requests; n = sent++) {
        await plane.limit({
          tenant: TENANTS[n % 3 === 0 ? 1 : 0] as string,
          api: SHORTENER.key,
          operation: n % 5 === 0 ? 'deleteURL' : 'createURL',
          subject: { user: `u${(n * n) % 11}` },
        });
      }
    };
    await Promise.all(Array.from({ length: 10 }, caller));
  }

  it('record their decisions, whose replay reproduces all outcomes, also after merges', async () => {
    const relay = new TestRelay(services.redisUrl);
    const records = TENANTS.map((key) => relay.tenant(key));
    const revision = await relay.publish({ limits: LIMITS, tenants: records });
    const planes = await Promise.all([start('n1'), start('n2'), start('silent', false)]);
    await Promise.all(planes.slice(0, 2).map((plane) => decide(plane, 500)));
    await Promise.all(planes.map((plane) => plane.close()));
    await get(TrafficIngest).run();
    const restarted = await start('n1');
    await decide(restarted, 200);
    await restarted.close();
    await get(TrafficIngest).run();
    relay.close();

    const tiers = [{ key: 'free', currentVersion: 1, versions: [{ number: 1, limits: LIMITS }] }];
    const policy: ReplayPolicy = {
      revision,
      catalogueText: JSON.stringify({
        kind: 'catalogue',
        revision,
        apis: [SHORTENER],
        tiers,
        serviceTokens: [],
      }),
      tenants: records,
    };
    const replay = async () => replayTraffic(unpacked(await recorded()), { live: [policy], draft: policy });
    const result = await replay();
    expect(result).toMatchObject({ missingBlocks: 0, calibration: { compared: 1200, mismatches: 0 } });
    expect(result.draftDenied).toBeGreaterThan(100);
    expect(await gaps()).toEqual([['RESTARTED', null]]);
    const nextHour = vi.spyOn(get(Clock), 'now').mockReturnValue(new Date(Date.now() + 2 * HOUR_MS));
    await get(TrafficMerge).run();
    nextHour.mockRestore();
    expect((await recorded()).length).toBeLessThanOrEqual(2 * TENANTS.length);
    expect((await replay()).calibration).toMatchObject({ compared: 1200, mismatches: 0 });
  });
});
