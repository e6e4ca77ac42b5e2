import type { UsageFrame } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { LiveWindow, SeenFrames, WINDOW_SECONDS } from './live-window.js';

const frameId = (nodeId: string, epoch: string, sequence: number) => ({ nodeId, epoch, sequence });

describe('SeenFrames', () => {
  it('accepts each frame once per node and epoch', () => {
    const seen = new SeenFrames();
    const taken = [
      frameId('a', 'x', 1),
      frameId('a', 'x', 1),
      frameId('a', 'x', 2),
      frameId('a', 'x', 1),
      frameId('b', 'x', 1),
      frameId('a', 'y', 1),
      frameId('a', 'x', 4),
      frameId('a', 'x', 2),
    ].map((one) => seen.take(one));
    expect(taken).toEqual([true, false, true, false, true, true, true, false]);
  });

  it('distinguishes nodes whose concatenated names are equal', () => {
    const seen = new SeenFrames();
    expect(seen.take(frameId('a', 'b","c', 1))).toBe(true);
    expect(seen.take(frameId('a","b', 'c', 1))).toBe(true);
  });

  it('remembers a limited number of nodes, the most recent ones', () => {
    const seen = new SeenFrames();
    for (let i = 0; i < 1000; i++) seen.take(frameId(`n${i}`, 'x', 1));
    seen.take(frameId('n0', 'x', 2));
    seen.take(frameId('new', 'x', 1));
    expect(seen.take(frameId('n0', 'x', 2))).toBe(false);
    expect(seen.take(frameId('n2', 'x', 1))).toBe(false);
    expect(seen.take(frameId('n1', 'x', 1))).toBe(true);
  });
});

const START = 1_000_000;
/** Later than everything these tests add, unless stated otherwise. */
const NOW_MS = (START + 1000) * 1000;

function frame(second: number, rows: Partial<UsageFrame['rows'][number]>[]): UsageFrame {
  const row = {
    tenant: 'acme',
    api: 'shop',
    operation: 'buy',
    limit: null,
    outcome: 'allowed' as const,
    minute: Math.floor(second / 60),
    count: 1,
    units: 1,
  };
  return {
    nodeId: 'n',
    epoch: 'e',
    sequence: 1,
    atMs: second * 1000 + 500,
    rows: rows.map((more) => ({ ...row, ...more })),
  };
}

describe('LiveWindow', () => {
  it('sums all nodes by API and second, with denials separate', () => {
    const window = new LiveWindow(START);
    window.add(
      frame(START, [{ count: 3 }, { outcome: 'denied', count: 2 }, { api: 'bank', outcome: 'no_limit' }]),
      NOW_MS,
    );
    window.add(
      frame(START, [
        { outcome: 'degraded_denied', count: 4 },
        { outcome: 'degraded_allowed' },
        { outcome: 'pool_denied' },
        { outcome: 'over_limit' },
        { outcome: 'shadow_denied' },
      ]),
      NOW_MS,
    );
    expect(window.take((START + 1) * 1000, 2)).toEqual([
      {
        atMs: (START + 1) * 1000,
        apis: [
          { api: 'bank', allowed: 1, denied: 0 },
          { api: 'shop', allowed: 6, denied: 7 },
        ],
        mostDenied: [{ tenant: 'acme', denied: 7 }],
        nodes: 2,
      },
    ]);
  });

  it('returns each completed second once, including idle ones', () => {
    const window = new LiveWindow(START);
    expect(window.take(START * 1000 + 999, 0)).toEqual([]);
    const frames = window.take((START + 3) * 1000, 0);
    expect(frames.map((one) => one.atMs / 1000)).toEqual([START + 1, START + 2, START + 3]);
    expect(window.take((START + 3) * 1000, 0)).toEqual([]);
  });

  it('counts late rows in the next second', () => {
    const window = new LiveWindow(START);
    window.take((START + 5) * 1000, 0);
    window.add(frame(START + 1, [{ count: 9 }]), NOW_MS);
    expect(window.take((START + 6) * 1000, 0)[0]?.apis).toEqual([{ api: 'shop', allowed: 9, denied: 0 }]);
  });

  it('counts rows with a future time in the current second', () => {
    const window = new LiveWindow(START);
    window.add(frame(START + 3600, [{ count: 2 }]), START * 1000 + 200);
    expect(window.take((START + 1) * 1000, 1)[0]?.apis).toEqual([{ api: 'shop', allowed: 2, denied: 0 }]);
  });

  it('drops denials after a minute', () => {
    const window = new LiveWindow(START);
    window.add(frame(START, [{ outcome: 'denied', count: 5 }]), NOW_MS);
    const frames = window.take((START + WINDOW_SECONDS + 1) * 1000, 0);
    expect(frames.at(0)?.atMs).toBe((START + 2) * 1000);
    const all = new LiveWindow(START);
    all.add(frame(START, [{ outcome: 'denied', count: 5 }]), NOW_MS);
    for (let s = 1; s <= WINDOW_SECONDS; s++)
      expect(all.take((START + s) * 1000, 0)[0]?.mostDenied).toHaveLength(1);
    expect(all.take((START + WINDOW_SECONDS + 1) * 1000, 0)[0]?.mostDenied).toEqual([]);
    expect(all.history()).toHaveLength(WINDOW_SECONDS);
  });

  it('returns the ten tenants with the most denials, in descending order', () => {
    const window = new LiveWindow(START);
    const rows = Array.from({ length: 15 }, (_, i) => ({
      tenant: `t${i}`,
      outcome: 'denied' as const,
      count: i + 1,
    }));
    window.add(frame(START, rows), NOW_MS);
    const [taken] = window.take((START + 1) * 1000, 0);
    expect(taken?.mostDenied.map(({ tenant }) => tenant)).toEqual(
      Array.from({ length: 10 }, (_, i) => `t${14 - i}`),
    );
  });
});
