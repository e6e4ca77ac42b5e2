import type { UsageFrame } from '@tollgate/contracts';
import { encodeBlock } from '@tollgate/replay';
import { createTestRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { blockOf } from '../../../replay/test/traffic-arbitraries.js';
import { jsonOf, NodeStream, readUsageFrames, TRAFFIC_STREAM, USAGE_STREAM } from './node-streams.js';

function frame(sequence: number): UsageFrame {
  const names = { tenant: 'acme', api: 'shop', limit: 'minute' };
  const counter = '{acme}:f1:shop:minute=u1';
  return {
    nodeId: 'n1',
    epoch: 'e1',
    sequence,
    atMs: 1_800_000_000_000,
    rows: [{ ...names, operation: 'buy', outcome: 'over_limit', minute: 30_000_000, count: 2, units: 20 }],
    crossings: [
      { ...names, id: `${sequence}`, counter, percent: 80, used: 8, capacity: 10, atMs: 1_800_000_000_000 },
    ],
    crossingsDropped: 4,
    offenders: [{ ...names, counter, units: 7, error: 1 }],
  };
}

describe('usage stream', () => {
  let server: Awaited<ReturnType<typeof createTestRedis>>;
  let redis: Redis;

  beforeAll(async () => {
    server = await createTestRedis();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis?.disconnect();
    await server?.stop();
  });

  it("returns complete frames in order, from the reader's last position, and skips invalid ones", async () => {
    await USAGE_STREAM.write(redis, frame(1));
    await redis.xadd('tg:usage', '*', 'frame', '{"nodeId":"n1"}');
    await USAGE_STREAM.write(redis, frame(2));
    const all = await readUsageFrames(redis, '0', 1);
    expect(all.frames).toEqual([frame(1), frame(2)]);
    await USAGE_STREAM.write(redis, frame(3));
    const rest = await readUsageFrames(redis, all.lastId, 1);
    expect(rest.frames).toEqual([frame(3)]);
    expect(await readUsageFrames(redis, rest.lastId, 1)).toEqual({ lastId: rest.lastId, frames: [] });
  });

  it('returns invalid entries with their id and text, and the newest id even after all were trimmed', async () => {
    const stream = streamOf('test:odd');
    expect(await stream.newestId(redis)).toBe('0-0');
    await stream.write(redis, { text: 'a' });
    await redis.xadd('test:odd', '*', 'frame', '{');
    await redis.xadd('test:odd', '*', 'something', 'else');
    const entries = await stream.read(redis, '0', { count: 10 });
    expect(entries.map((entry) => entry.value?.text ?? ('text' in entry && entry.text))).toEqual([
      'a',
      '{',
      'else',
    ]);
    const newest = entries.at(-1)?.id ?? '';
    expect(await stream.newestId(redis)).toBe(newest);
    await redis.xtrim('test:odd', 'MAXLEN', 0);
    expect(await stream.newestId(redis)).toBe(newest);
  });

  it.each([
    ['entries', { maxEntries: 500, maxBytes: 1_000_000 }, 'x'],
    ['bytes, for large entries', { maxEntries: 100_000, maxBytes: 500_000 }, 'x'.repeat(989)],
  ])('keeps about %s at most, with or without readers', async (name, bounds, text) => {
    const key = `test:${name}`;
    const stream = streamOf(key, bounds);
    for (let i = 0; i < 2000; i++) await stream.write(redis, { text });
    const length = await redis.xlen(key);
    expect(length).toBeGreaterThanOrEqual(490);
    // Redis trims whole stream nodes only: 100 entries, or 4 kB.
    expect(length).toBeLessThan(620);
  });

  it('returns blocks of traffic as they were encoded, and the reason why others are unusable', async () => {
    const block = { ...blockOf([]), node: 'n\u00e4', sequence: 255 };
    await TRAFFIC_STREAM.write(redis, encodeBlock(block));
    await redis.xadd('tg:traffic', '*', 'frame', Buffer.of(9, 255));
    const entries = await TRAFFIC_STREAM.read(redis, '0', { count: 10 });
    expect(entries[0]?.value).toEqual(block);
    expect(entries[1]).toMatchObject({ text: 'version 9 of the block is unknown; Cf8=' });
  });

  it('trims only entries before an id', async () => {
    const stream = streamOf('test:trim');
    for (let i = 0; i < 1000; i++) await stream.write(redis, { text: `${i}` });
    const before = await stream.read(redis, '0', { count: 1000 });
    await stream.trim(redis, before[500]?.id ?? '');
    const after = await stream.read(redis, '0', { count: 1000 });
    expect(after.length).toBeLessThan(700);
    expect(after.slice(-500)).toEqual(before.slice(500));
  });
});

function streamOf(key: string, bounds = { maxEntries: 1000, maxBytes: 1_000_000 }) {
  return new NodeStream({ key, codec: jsonOf(z.strictObject({ text: z.string() })), ...bounds });
}
