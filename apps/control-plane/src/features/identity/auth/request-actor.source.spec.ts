import { expect, it } from 'vitest';
import { SharedLookups } from './request-actor.source.js';

function setUp() {
  const lookups = new SharedLookups<number>();
  const started: PromiseWithResolvers<number>[] = [];
  const look = () => {
    const lookup = Promise.withResolvers<number>();
    started.push(lookup);
    return lookup.promise;
  };
  return {
    started,
    ask: (key = 'a') => lookups.get(key, look),
    settled: () => new Promise((resolve) => setTimeout(resolve)),
  };
}

it('shares one lookup among calls made while another lookup runs', async () => {
  const { ask, started, settled } = setUp();
  const first = ask();
  const later = [ask(), ask(), ask()];
  expect(started).toHaveLength(1);
  started[0]?.resolve(1);
  await settled();
  expect(started).toHaveLength(2);
  started[1]?.resolve(2);
  expect(await Promise.all([first, ...later])).toEqual([1, 2, 2, 2]);
});

it('starts a new lookup when none is running', async () => {
  const { ask, started, settled } = setUp();
  const first = ask();
  started[0]?.resolve(1);
  expect(await first).toBe(1);
  await settled();
  void ask();
  expect(started).toHaveLength(2);
});

it('does not pass a failure on to later calls or other keys', async () => {
  const { ask, started, settled } = setUp();
  const first = ask();
  const later = ask();
  void ask('b');
  expect(started).toHaveLength(2);
  started[0]?.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await settled();
  started[2]?.resolve(3);
  expect(await later).toBe(3);
});
