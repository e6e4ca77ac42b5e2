import fc from 'fast-check';
import { expect, it } from 'vitest';
import { groupBy, withResolvers } from './older-node.js';

it('groups as Map.groupBy', () => {
  const keyOf = (value: number) => value % 3;
  fc.assert(
    fc.property(fc.array(fc.nat()), (values) => {
      expect([...groupBy(values.values(), keyOf)]).toEqual([...Map.groupBy(values, keyOf)]);
    }),
  );
});

it('settles a promise from outside', async () => {
  const [kept, broken] = [withResolvers<number>(), withResolvers<number>()];
  kept.resolve(7);
  broken.reject(new Error('lost'));
  await expect(kept.promise).resolves.toBe(7);
  await expect(broken.promise).rejects.toThrow('lost');
});
