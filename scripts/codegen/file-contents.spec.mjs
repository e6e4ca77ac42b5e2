import { expect, test } from 'vitest';
import { changedPaths } from './file-contents.mjs';

test('reports changed, new and removed files', () => {
  const before = new Map([
    ['same', 'a'],
    ['changed', 'a'],
    ['removed', 'a'],
  ]);
  const after = new Map([
    ['same', 'a'],
    ['changed', 'b'],
    ['new', 'a'],
  ]);
  expect(changedPaths(before, after)).toEqual(['changed', 'new', 'removed']);
});
