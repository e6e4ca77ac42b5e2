import { expect, it, vi } from 'vitest';
import { FULL_ROWS, remembering, runsOf } from './traffic-blocks.rules.js';

it('remembers recent pseudonyms, by tenant, dimension and value', () => {
  const hash = vi.fn((...of: string[]) => of.join('/'));
  const remembered = remembering(hash, 2);
  const ask = (...values: string[]) => values.map((value) => remembered('ten_1', 'user', value));
  expect(ask('a', 'b', 'a', 'c', 'a', 'b')).toEqual(
    ['a', 'b', 'a', 'c', 'a', 'b'].map((value) => `ten_1/user/${value}`),
  );
  expect(hash).toHaveBeenCalledTimes(3);
  expect(remembered('ten_2', 'user', 'a')).toBe('ten_2/user/a');
  expect(remembered('ten_1', 'key', 'a')).toBe('ten_1/key/a');
  ask('d', 'e', 'b');
  expect(hash.mock.calls.filter(([, , value]) => value === 'b')).toHaveLength(2);
});

it('merges blocks in runs that are as short as they can be with the rows of a full block', () => {
  const half = { rows: FULL_ROWS / 2 };
  const one = { rows: 1 };
  expect(runsOf([half, half, one, half, half, half]).map((run) => run.length)).toEqual([2, 3, 1]);
  expect(runsOf([])).toEqual([]);
});
