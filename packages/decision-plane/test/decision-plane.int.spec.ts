import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LimitRequest, PROBLEMS, type ProblemCode } from '@tollgate/contracts';
import { DecisionPlane, readNodeReports, readUsageFrames } from '@tollgate/decision-plane';
import { SHORTENER, TestRelay } from '@tollgate/decision-plane/testing';
import { createTestRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fixedWindowPolicy, gcraPolicy } from './policies.js';

const HOUR = { windowMs: 3_600_000, alignment: 'first_request' as const };
const create: LimitRequest = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };

describe('decision plane', () => {
  let server: Awaited<ReturnType<typeof createTestRedis>>;
  let relay: TestRelay;
  let plane: DecisionPlane;
  let dataDir: string;

  const start = (over: { nodeId?: string; url?: string } = {}) =>
    DecisionPlane.start({
      countersUrl: over.url ?? server.url,
      configUrl: over.url ?? server.url,
      nodeId: over.nodeId ?? 'node-1',
      version: 'test',
      dataDir,
      deadlineMs: 5000,
    });
  const inForce = (revision: number) => vi.waitUntil(() => plane.revision === revision, { timeout: 10_000 });

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tollgate-plane-'));
    server = await createTestRedis();
    relay = new TestRelay(server.url);
    plane = await start();
  });
  afterEach(async () => {
    relay.close();
    await plane.close();
    await server.stop();
    await rm(dataDir, { recursive: true });
  });

  it('answers with every field true, names the limit, and refuses at exactly the limit', async () => {
    const limits = [
      fixedWindowPolicy({ name: 'create-hour', limit: 3, ...HOUR }),
      gcraPolicy({ name: 'create-rate', limit: 3600, windowMs: 3_600_000, burst: 9 }),
    ];
    const revision = await relay.publish({ limits, tenants: [relay.tenant('acme')] });
    await inForce(revision);
    const before = Date.now();
    const answer = await plane.limit({ ...create, requestId: 'r-1' });
    expect(answer).toEqual({
      success: true,
      policy: 'create-hour',
      limit: 3,
      remaining: 2,
      used: 1,
      reset: expect.any(Number),
      retryAfter: 0,
      cost: 1,
      reason: 'WITHIN_LIMIT',
      source: 'tier',
      policies: [
        {
          name: 'create-hour',
          limit: 3,
          remaining: 2,
          reset: answer.reset,
          window: 3600,
          mode: 'enforce',
          success: true,
        },
        {
          name: 'create-rate',
          limit: 3600,
          remaining: 9,
          reset: expect.any(Number),
          window: 3600,
          mode: 'enforce',
          success: true,
        },
      ],
      delayMs: 0,
      degraded: false,
      revision,
      requestId: 'r-1',
    });
    expect(answer.reset).toBeGreaterThanOrEqual(before + 3_600_000 - 1000);
    expect(await plane.limit(create)).toMatchObject({ success: true, remaining: 1, reason: 'BURST' });
    expect(await plane.limit(create)).toMatchObject({ success: true, remaining: 0, used: 3 });
    const refused = await plane.limit(create);
    expect(refused).toMatchObject({
      success: false,
      policy: 'create-hour',
      remaining: 0,
      used: 3,
      reason: 'RATE_EXCEEDED',
    });
    expect(refused.retryAfter).toBeGreaterThan(3590);
    expect(refused.retryAfter).toBeLessThanOrEqual(3600);
  });

  it('peek tells what limit would answer and charges nothing', async () => {
    await inForce(
      await relay.publish({
        limits: [fixedWindowPolicy({ limit: 1, ...HOUR })],
        tenants: [relay.tenant('acme')],
      }),
    );
    for (let i = 0; i < 3; i++)
      expect(await plane.peek(create)).toMatchObject({ success: true, remaining: 1 });
    await plane.limit(create);
    expect(await plane.peek(create)).toMatchObject({ success: false, remaining: 0 });
  });

  it('a changed limit acts on what is used, at once', async () => {
    await inForce(
      await relay.publish({
        limits: [fixedWindowPolicy({ limit: 2, ...HOUR })],
        tenants: [relay.tenant('acme')],
      }),
    );
    await plane.limit(create);
    await plane.limit(create);
    expect(await plane.limit(create)).toMatchObject({ success: false });
    const raised = await relay.publish({ limits: [fixedWindowPolicy({ limit: 4, ...HOUR })] });
    await inForce(raised);
    expect(await plane.limit(create)).toMatchObject({
      success: true,
      limit: 4,
      remaining: 1,
      revision: raised,
    });
  });

  it('an operation takes its own limits and its own cost; an explicit cost goes first', async () => {
    const limits = [
      fixedWindowPolicy({ name: 'create', operations: ['createURL'], limit: 10, ...HOUR }),
      fixedWindowPolicy({ name: 'delete', operations: ['deleteURL'], limit: 2, ...HOUR }),
    ];
    const apis = [
      {
        ...SHORTENER,
        operations: [
          { name: 'createURL', cost: 3 },
          { name: 'deleteURL', cost: 1 },
        ],
      },
    ];
    await inForce(await relay.publish({ apis, limits, tenants: [relay.tenant('acme')] }));
    expect(await plane.limit(create)).toMatchObject({ policy: 'create', cost: 3, remaining: 7 });
    expect(await plane.limit({ ...create, cost: 5 })).toMatchObject({ cost: 5, remaining: 2 });
    expect(await plane.limit({ ...create, operation: 'deleteURL' })).toMatchObject({
      policy: 'delete',
      remaining: 1,
    });
    expect(await plane.limit({ ...create, cost: 11 })).toMatchObject({ success: false, retryAfter: null });
  });

  it('counts each value of a dimension apart, and tenants apart', async () => {
    const limits = [fixedWindowPolicy({ per: ['user', 'ip'], limit: 1, ...HOUR })];
    await inForce(await relay.publish({ limits, tenants: [relay.tenant('acme'), relay.tenant('globex')] }));
    const ask = (tenant: string, user: string, ip: string) =>
      plane.limit({ ...create, tenant, subject: { user, ip } });
    expect(await ask('acme', 'u1', '203.0.113.9')).toMatchObject({ success: true });
    expect(await ask('acme', 'u1', '::ffff:203.0.113.9')).toMatchObject({ success: false });
    expect(await ask('acme', 'u2', '203.0.113.9')).toMatchObject({ success: true });
    expect(await ask('acme', 'u1', '203.0.113.10')).toMatchObject({ success: true });
    expect(await ask('globex', 'u1', '203.0.113.9')).toMatchObject({ success: true });
  });

  it('what nobody configured has no limit, unless its API refuses it; a suspended tenant is refused', async () => {
    const strict = { ...SHORTENER, key: 'strict', unknownOperations: 'refuse' as const };
    const tenants = [relay.tenant('acme'), relay.tenant('idle', { status: 'suspended' })];
    await inForce(await relay.publish({ apis: [SHORTENER, strict], tenants }));
    const noLimit = {
      success: true,
      policy: null,
      limit: null,
      remaining: null,
      reason: 'NO_LIMIT',
      retryAfter: 0,
    };
    expect(await plane.limit(create)).toMatchObject(noLimit);
    expect(await plane.limit({ ...create, operation: 'listURLs' })).toMatchObject(noLimit);
    expect(await plane.limit({ ...create, api: 'unheard-of' })).toMatchObject(noLimit);
    const blocked = { success: false, reason: 'BLOCKED', retryAfter: null, policies: [] };
    expect(await plane.limit({ ...create, api: 'strict', operation: 'listURLs' })).toMatchObject(blocked);
    expect(await plane.limit({ ...create, tenant: 'idle' })).toMatchObject(blocked);
  });

  it.each<[ProblemCode, Partial<LimitRequest>]>([
    ['tenant-unknown', { tenant: 'nobody' }],
    ['dimension-missing', {}],
    ['dimension-missing', { subject: { user: 'u1' } }],
    ['dimension-invalid', { subject: { user: 'u1', ip: 'not-an-address' } }],
  ])('throws %s for %j, and creates no counter', async (code, over) => {
    const limits = [fixedWindowPolicy({ per: ['user', 'ip'], limit: 1, ...HOUR })];
    await inForce(await relay.publish({ limits, tenants: [relay.tenant('acme')] }));
    await expect(plane.limit({ ...create, ...over })).rejects.toMatchObject({
      code,
      retryable: PROBLEMS[code].retryable,
    });
    const redis = new Redis(server.url);
    expect(await redis.keys('{*')).toEqual([]);
    redis.disconnect();
  });

  it('a tenant that changes tier is decided by the new one, with the same counter', async () => {
    const limit = (n: number) => [{ number: 1, limits: [fixedWindowPolicy({ limit: n, ...HOUR })] }];
    const tiers = [
      { key: 'free', currentVersion: 1, versions: limit(1) },
      { key: 'pro', currentVersion: 1, versions: limit(10) },
    ];
    await inForce(await relay.publish({ tiers, tenants: [relay.tenant('acme')] }));
    await plane.limit(create);
    expect(await plane.limit(create)).toMatchObject({ success: false, limit: 1 });
    await inForce(await relay.publishTenants([relay.tenant('acme', { tier: 'pro' })]));
    expect(await plane.limit(create)).toMatchObject({ success: true, limit: 10, remaining: 8 });
  });

  it('a lost announcement is made good by the poll', async () => {
    const redis = new Redis(server.url);
    await inForce(
      await relay.publish({
        limits: [fixedWindowPolicy({ limit: 1, ...HOUR })],
        tenants: [relay.tenant('acme')],
      }),
    );
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await inForce(await relay.publish({ limits: [fixedWindowPolicy({ limit: 7, ...HOUR })] }));
    expect(await plane.limit(create)).toMatchObject({ limit: 7 });
    redis.disconnect();
  });

  it('listens again by itself after the policy store was away', async () => {
    const port = Number(new URL(server.url).port);
    await server.stop();
    server = await createTestRedis({ port });
    const redis = new Redis(server.url);
    const listeners = async () => (await redis.pubsub('NUMSUB', 'tg:policy:announcements'))[1];
    await vi.waitUntil(async () => Number(await listeners()) === 1, { timeout: 10_000 });
    await inForce(await relay.publish({ tenants: [relay.tenant('acme')] }));
    redis.disconnect();
  });

  it('refuses a catalogue that cannot be used, says why, and goes on with the last good one', async () => {
    await inForce(
      await relay.publish({
        limits: [fixedWindowPolicy({ limit: 5, ...HOUR })],
        tenants: [relay.tenant('acme')],
      }),
    );
    const unsayable = gcraPolicy({ name: 'too-fine', limit: 700_000, windowMs: 1000 });
    const revision = await relay.publish({ limits: [unsayable] });
    const redis = new Redis(server.url);
    const nack = () => readNodeReports(redis).then(([report]) => report?.nack);
    await vi.waitUntil(async () => (await nack())?.revision === revision);
    expect((await nack())?.reason).toMatch(
      /^tier free@1, limit too-fine: limit: 700000 per 1000 ms needs a spacing/,
    );
    expect(await plane.limit(create)).toMatchObject({ success: true, limit: 5, revision: revision - 1 });
    const corrupt = await relay.publishCorrupt({});
    await vi.waitUntil(async () => (await nack())?.revision === corrupt, { timeout: 10_000 });
    expect((await nack())?.reason).toBe('the catalogue does not match its hash');
    redis.disconnect();
  });

  it('starts from disk alone and decides by its share, marked degraded', async () => {
    await inForce(
      await relay.publish({
        limits: [fixedWindowPolicy({ limit: 2, ...HOUR })],
        tenants: [relay.tenant('acme')],
      }),
    );
    await plane.limit(create);
    await plane.close();
    await server.stop();
    const alone = await start({ url: 'redis://127.0.0.1:1' });
    expect(alone.ready).toBe(true);
    expect(await alone.limit(create)).toMatchObject({
      success: true,
      degraded: true,
      reason: 'DEGRADED',
      limit: 2,
    });
    expect(await alone.limit(create)).toMatchObject({ success: true, degraded: true });
    expect(await alone.limit(create)).toMatchObject({ success: false, degraded: true, reason: 'DEGRADED' });
    await alone.close();
    server = await createTestRedis();
    plane = await start();
  });

  it.each(['', '{"hash":"00","content":"{}"}', '{"hash":', '\0\0'])(
    'a last-good file of %j is not used',
    async (text) => {
      await plane.close();
      await writeFile(join(dataDir, 'last-good-policy.json'), text);
      plane = await start();
      expect(plane.ready).toBe(false);
      await expect(plane.limit(create)).rejects.toMatchObject({ code: 'tenant-unknown' });
    },
  );

  it('reports itself and hands on usage, each frame once', async () => {
    await inForce(
      await relay.publish({
        limits: [fixedWindowPolicy({ limit: 1, ...HOUR })],
        tenants: [relay.tenant('acme')],
      }),
    );
    for (let i = 0; i < 3; i++) await plane.limit(create);
    await plane.limit({ ...create, operation: 'listURLs' });
    const redis = new Redis(server.url);
    const { frames } = await readUsageFrames(redis, '0', 5000);
    const rows = frames.flatMap((frame) =>
      frame.rows.map(({ operation, limit, outcome, count }) => [operation, limit, outcome, count]),
    );
    expect(rows).toEqual([
      ['createURL', 'create-minute', 'allowed', 1],
      ['createURL', 'create-minute', 'refused', 2],
      ['listURLs', null, 'no_limit', 1],
    ]);
    expect(frames.map((frame) => frame.sequence)).toEqual([1]);
    expect(await readNodeReports(redis)).toMatchObject([
      { nodeId: 'node-1', revision: plane.revision, nack: null, degraded: false },
    ]);
    redis.disconnect();
  });
});
