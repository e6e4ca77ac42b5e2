import { expect, it } from 'vitest';
import { algorithms } from './index.js';

it.each([
  ['wire id', algorithms.map(({ wireId }) => String(wireId))],
  ['state version', algorithms.map(({ stateVersion }) => stateVersion)],
])('no two algorithms share a %s, so that none reads the state of another', (_, values) => {
  expect(values).toEqual([...new Set(values)]);
});
