import { randomFrom } from '@tollgate/test-kit/random';
import { describe, expect, it } from 'vitest';
import { type CounterMark, nextGeneration } from './subscription-generation.js';

const MARKS = 48;

const modulo = (value: number) => ((value % MARKS) + MARKS) % MARKS;
const markOf = ({ generation, version }: CounterMark) => modulo(generation + version);
const aheadOf = (old: CounterMark, now: CounterMark) => modulo(markOf(now) - markOf(old));

describe('nextGeneration', () => {
  it('returns a generation above every kept one', () => {
    expect(nextGeneration([{ generation: 0, version: 1 }], 1)).toBe(4);
    expect(nextGeneration([{ generation: 90, version: 2 }], 2)).toBeGreaterThan(90);
  });

  it.each([
    // 0 + 9 is mark 9; under generation 4 version 5 would be mark 9 too.
    ['an older version of the same tier', { generation: 0, version: 9 }, 5],
    // Unused counters of version 3 carry mark 3.
    ['the first version of another tier', { generation: 0, version: 5 }, 1],
    ['a version number that is a multiple further', { generation: 0, version: 1 }, 48],
  ])('gives %s a unique mark', (_name, old, version) => {
    const generation = nextGeneration([old], version);
    for (let back = 0; back <= 3; back++) {
      expect(markOf({ generation, version })).not.toBe(markOf({ ...old, version: old.version - back }));
    }
  });

  it('returns, for any four changes, a newer mark than the previous one, with free marks for the next eight versions', () => {
    const below = randomFrom(20_261_120).below;
    let held: [CounterMark, ...CounterMark[]] = [{ generation: 0, version: 1 }];
    for (let move = 0; move < 5000; move++) {
      const version = 1 + below(200);
      const next = { generation: nextGeneration(held, version), version };
      const ahead = aheadOf(held[0], next);
      expect(ahead, `move ${move}`).toBeGreaterThan(3);
      // With eight later versions, below half of all marks.
      expect(ahead + 8, `move ${move}`).toBeLessThan(MARKS / 2);
      const marks = new Set(
        held.flatMap((old) => [0, 1, 2, 3].map((back) => markOf({ ...old, version: old.version - back }))),
      );
      for (let later = 0; later < 8; later++) {
        expect(marks.has(markOf({ ...next, version: version + later })), `move ${move}`).toBe(false);
      }
      held = [next, ...held.slice(0, 3)];
    }
  });

  it('returns a newer, unused mark even if tiers get new versions in between', () => {
    const below = randomFrom(48).below;
    let held: [CounterMark, ...CounterMark[]] = [{ generation: 0, version: 1 }];
    for (let move = 0; move < 5000; move++) {
      const [current, ...others] = held;
      const left = { ...current, version: current.version + below(9) };
      const version = 1 + below(200);
      const generation = nextGeneration([left, ...others], version);
      expect(generation).toBeGreaterThan(left.generation);
      const ahead = aheadOf(left, { generation, version });
      expect(ahead, `move ${move}`).toBeGreaterThan(3);
      expect(ahead, `move ${move}`).toBeLessThan(16);
      for (const old of [left, ...others.slice(0, 1)])
        expect(aheadOf(old, { generation, version }), `move ${move}`).not.toBe(0);
      held = [{ generation, version }, left, ...others.slice(0, 2)];
    }
  });
});
