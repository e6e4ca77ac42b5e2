import { describe, expect, it } from 'vitest';
import { type GraphqlContext, requestLoader } from './context.js';

const NAME = Symbol('lengths');

describe('requestLoader', () => {
  it('batches the keys of a list and reads each once', async () => {
    const context = { loaders: new Map() } as unknown as GraphqlContext;
    const reads: string[][] = [];
    const load = (key: string) =>
      requestLoader(context, NAME, -1, async (keys) => {
        reads.push(keys);
        return new Map(keys.filter((one) => one !== 'none').map((one) => [one, one.length]));
      }).load(key);
    expect(await Promise.all(['a', 'bb', 'a', 'none'].map(load))).toEqual([1, 2, 1, -1]);
    expect(reads).toEqual([['a', 'bb', 'none']]);
  });
});
