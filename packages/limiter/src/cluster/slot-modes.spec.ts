import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ClusterCounts } from './cluster-counts.js';
import { SlotModes } from './slot-modes.js';

const RETRY_AFTER_MS = 250;

describe('slot modes', () => {
  let replies: (() => Promise<unknown>)[];
  let warnings: string[];
  let counts: ClusterCounts;
  let modes: SlotModes;

  beforeEach(() => {
    vi.useFakeTimers();
    replies = [];
    warnings = [];
    counts = new ClusterCounts();
    const redis = { callBuffer: () => replies.shift()?.() } as unknown as Redis;
    modes = new SlotModes({
      connectionOf: () => redis,
      ownerOf: (slot) => (slot < 8192 ? 'a:1' : 'b:1'),
      counts,
      onWarning: (message) => warnings.push(message),
    });
  });
  afterEach(() => void vi.useRealTimers());

  const passed = () => Promise.resolve(1);
  const foreignRead = () => Promise.resolve(0);
  const rejected = (message: string) => () => Promise.reject(new Error(message));

  /** Runs one probe with `reply`, if one is due; returns whether runs over several slots are allowed then. */
  async function afterProbe(reply: () => Promise<unknown>): Promise<boolean> {
    replies = [reply];
    modes.isAcross('a:1');
    await vi.advanceTimersByTimeAsync(RETRY_AFTER_MS);
    return counts.connections.across === 1;
  }

  it('uses several slots once a probe has passed', async () => {
    replies.push(passed);
    expect(modes.isAcross('a:1')).toBe(false);
    await vi.advanceTimersByTimeAsync(0);
    expect(modes.isAcross('a:1')).toBe(true);
    expect(counts.connections).toEqual({ across: 1, declared: 0 });
  });

  it.each([
    ['a refusal', rejected('ERR bad lua script for redis cluster')],
    ['a missing permission', rejected('NOPERM this user has no permissions to run the get command')],
    ['a server that reads a foreign slot', foreignRead],
  ])('gives up after three probes because of %s, until the next connection', async (_, reply) => {
    for (let i = 0; i < 3; i++) expect(await afterProbe(reply)).toBe(false);
    expect(warnings).toHaveLength(1);
    expect(counts.connections).toEqual({ across: 0, declared: 1 });
    expect(await afterProbe(passed)).toBe(false);
    modes.connected('a:1');
    expect(await afterProbe(passed)).toBe(true);
    expect(counts.connections).toEqual({ across: 1, declared: 0 });
  });

  it.each([
    'MOVED 1 b:1',
    'CLUSTERDOWN Hash slot not served',
    'ERR Script attempted to access a non local key',
  ])('probes again after %s', async (message) => {
    for (let i = 0; i < 5; i++) expect(await afterProbe(rejected(message))).toBe(false);
    expect(warnings).toEqual([]);
    expect(await afterProbe(passed)).toBe(true);
  });
});
