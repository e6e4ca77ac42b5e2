import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LimitRequest } from '@tollgate/contracts';
import { createTestRedis, eventually } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { fixedWindowPolicy, gcraPolicy } from '../../limiter/test/policies.js';
import { readNodeReports } from '../src/policy-redis/node-reports.js';
import { readUsageFrames } from '../src/policy-redis/node-streams.js';
import { useRunningNode } from './running-node.js';

const HOUR = { windowMs: 3_600_000, alignment: 'first_request' as const };
const create: LimitRequest = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };

describe('policy feed of a node', () => {
  const node = useRunningNode();

  it('a poll makes up for a lost announcement', async () => {
    const redis = new Redis(node.server.url);
    await node.inForce(
      await node.relay.publish({
        limits: [fixedWindowPolicy({ limit: 1, ...HOUR })],
        tenants: [node.relay.tenant('acme')],
      }),
    );
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await node.inForce(await node.relay.publish({ limits: [fixedWindowPolicy({ limit: 7, ...HOUR })] }));
    expect(await node.plane.limit(create)).toMatchObject({ limit: 7 });
    redis.disconnect();
  });

  it('subscribes again after the policy store was unavailable', async () => {
    const port = Number(new URL(node.server.url).port);
    await node.server.stop();
    node.server = await createTestRedis({ port });
    const redis = new Redis(node.server.url);
    const listeners = async () => (await redis.pubsub('NUMSUB', 'tg:policy:announcements'))[1];
    await eventually(async () => Number(await listeners()) === 1);
    await node.inForce(await node.relay.publish({ tenants: [node.relay.tenant('acme')] }));
    redis.disconnect();
  });

  it('rejects an invalid catalogue with the reason, and keeps the last good one', async () => {
    await node.inForce(
      await node.relay.publish({
        limits: [fixedWindowPolicy({ limit: 5, ...HOUR })],
        tenants: [node.relay.tenant('acme')],
      }),
    );
    const unsayable = gcraPolicy({ name: 'too-fine', limit: 700_000, windowMs: 1000 });
    const revision = await node.relay.publish({ limits: [unsayable] });
    const redis = new Redis(node.server.url);
    const nack = () => readNodeReports(redis).then(([report]) => report?.nack);
    await eventually(async () => (await nack())?.revision === revision);
    expect((await nack())?.reason).toMatch(
      /^tier free@1, limit too-fine: limit: 700000 per 1000 ms requires an interval/,
    );
    expect(await node.plane.limit(create)).toMatchObject({ success: true, limit: 5, revision: revision - 1 });
    redis.disconnect();
  });

  it('rejects a head with the hash of another catalogue than the active one', async () => {
    const active = await node.relay.publish({
      limits: [fixedWindowPolicy({ limit: 5, ...HOUR })],
      tenants: [node.relay.tenant('acme')],
    });
    await node.inForce(active);
    const revision = await node.relay.publishCorruptHead();
    const redis = new Redis(node.server.url);
    const nack = () => readNodeReports(redis).then(([report]) => report?.nack);
    await eventually(async () => (await nack()) != null);
    expect(await nack()).toEqual({ revision, reason: 'the catalogue does not match its hash' });
    expect(node.plane.revision).toBe(active);
    redis.disconnect();
  });

  it('starts from disk only and decides by its share, marked degraded', async () => {
    await node.inForce(
      await node.relay.publish({
        limits: [fixedWindowPolicy({ limit: 2, ...HOUR })],
        tenants: [node.relay.tenant('acme')],
      }),
    );
    await node.plane.limit(create);
    await node.plane.close();
    await node.server.stop();
    const alone = await node.start('redis://127.0.0.1:1');
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
    node.server = await createTestRedis();
    node.plane = await node.start();
  });

  it('after a start from disk only, reconnects when Redis is back and loads the newest revision', async () => {
    const content = { limits: [fixedWindowPolicy({ limit: 2, ...HOUR })] };
    await node.inForce(await node.relay.publish({ ...content, tenants: [node.relay.tenant('acme')] }));
    await node.plane.limit(create);
    await node.plane.close();
    const port = Number(new URL(node.server.url).port);
    await node.server.stop();
    node.plane = await node.start();
    expect(node.plane).toMatchObject({ ready: true, revision: 1 });
    node.server = await createTestRedis({ port });
    const revision = await node.relay.publish({
      limits: [fixedWindowPolicy({ limit: 5, ...HOUR })],
      tenants: [node.relay.tenant('acme')],
    });
    await node.inForce(revision);
    await eventually(async () => !(await node.plane.limit(create)).degraded);
    expect(await node.plane.peek(create)).toMatchObject({ limit: 5, revision, degraded: false });
    const redis = new Redis(node.server.url);
    // Decisions until Redis was reached again were degraded; the node recovers with one that follows a second later.
    const reports = async () => {
      await node.plane.peek(create);
      return readNodeReports(redis);
    };
    await expect.poll(reports).toMatchObject([{ nodeId: 'node-1', revision, degraded: false }]);
    redis.disconnect();
  });

  it.each(['', '{"hash":"00","content":"{}"}', '{"hash":', '\0\0'])(
    'ignores a last-good file of %j',
    async (text) => {
      await node.plane.close();
      await writeFile(join(node.dataDir, 'last-good-policy.json'), text);
      node.plane = await node.start();
      expect(node.plane.ready).toBe(false);
      await expect(node.plane.limit(create)).rejects.toMatchObject({ code: 'tenant-unknown' });
    },
  );

  it('reports itself, and sends each usage frame once', async () => {
    await node.inForce(
      await node.relay.publish({
        limits: [fixedWindowPolicy({ limit: 1, ...HOUR })],
        tenants: [node.relay.tenant('acme')],
      }),
    );
    // In one turn, because a report or a minute could end between two of them.
    const list = { ...create, operation: 'listURLs' };
    await Promise.all([create, create, create, list].map((request) => node.plane.limit(request)));
    const redis = new Redis(node.server.url);
    const { frames } = await readUsageFrames(redis, '0', 5000);
    const rows = frames.flatMap((frame) =>
      frame.rows.map(({ operation, limit, outcome, count }) => [operation, limit, outcome, count]),
    );
    expect(rows).toEqual([
      ['createURL', 'create-minute', 'allowed', 1],
      ['createURL', 'create-minute', 'denied', 2],
      ['listURLs', 'create-minute', 'denied', 1],
    ]);
    expect(frames.map((frame) => frame.sequence)).toEqual([1]);
    expect(await readNodeReports(redis)).toMatchObject([
      { nodeId: 'node-1', revision: node.plane.revision, nack: null, degraded: false },
    ]);
    redis.disconnect();
  });
});
