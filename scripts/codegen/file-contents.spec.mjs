import { expect, test } from 'vitest';
import { changedPaths } from './file-contents.mjs';

test('changed, new and removed files are all differences; equal ones are not', () => {
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
