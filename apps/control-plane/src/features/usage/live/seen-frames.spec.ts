import { describe, expect, it } from 'vitest';
import { SeenFrames } from './seen-frames.js';

const frame = (nodeId: string, epoch: string, sequence: number) => ({ nodeId, epoch, sequence });

describe('SeenFrames', () => {
  it('takes each frame once, of each node and each of its starts', () => {
    const seen = new SeenFrames();
    const taken = [
      frame('a', 'x', 1),
      frame('a', 'x', 1),
      frame('a', 'x', 2),
      frame('a', 'x', 1),
      frame('b', 'x', 1),
      frame('a', 'y', 1),
      frame('a', 'x', 4),
      frame('a', 'x', 2),
    ].map((one) => seen.take(one));
    expect(taken).toEqual([true, false, true, false, true, true, true, false]);
  });

  it('does not take a node for another whose names run together', () => {
    const seen = new SeenFrames();
    expect(seen.take(frame('a', 'b","c', 1))).toBe(true);
    expect(seen.take(frame('a","b', 'c', 1))).toBe(true);
  });

  it('remembers a bounded number of nodes, those that spoke last', () => {
    const seen = new SeenFrames();
    for (let i = 0; i < 1000; i++) seen.take(frame(`n${i}`, 'x', 1));
    seen.take(frame('n0', 'x', 2));
    seen.take(frame('new', 'x', 1));
    expect(seen.take(frame('n0', 'x', 2))).toBe(false);
    expect(seen.take(frame('n2', 'x', 1))).toBe(false);
    expect(seen.take(frame('n1', 'x', 1))).toBe(true);
  });
});
