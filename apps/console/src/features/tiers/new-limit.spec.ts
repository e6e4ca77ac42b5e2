import { expect, it } from 'vitest';
import { newLimitFor } from './new-limit.js';

const api = {
  id: 'api_1',
  key: 'url-shortener',
  name: 'URL shortener',
  pools: [],
  operations: [
    { id: 'opr_1', name: 'createURL' },
    { id: 'opr_2', name: 'v2.delete_URL' },
  ],
};

it('takes the first operation that has no limit, and all of them when each has one', () => {
  const first = newLimitFor(api, []);
  const second = newLimitFor(api, [first]);
  const third = newLimitFor(api, [first, second]);
  expect([first, second, third].map(({ name, operations }) => [name, operations])).toEqual([
    ['create-url', ['createURL']],
    ['v2-delete-url', ['v2.delete_URL']],
    ['all', []],
  ]);
});

it('never proposes a name that is taken in the same API', () => {
  const first = newLimitFor(api, []);
  expect(newLimitFor(api, [{ ...first, operations: [] }]).name).toBe('create-url-2');
  expect(newLimitFor(api, [{ ...first, operations: [], api: 'other' }]).name).toBe('create-url');
});
