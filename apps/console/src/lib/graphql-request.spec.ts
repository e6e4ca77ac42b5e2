import fc from 'fast-check';
import { expect, it } from 'vitest';
import { everyPage } from './graphql-request.js';

it('reads each entry once and in order', () =>
  fc.assert(
    fc.asyncProperty(fc.nat(130), async (length) => {
      const all = Array.from({ length }, (_, index) => index);
      const read = async ({ first, after }: { first: number; after: string | null }) => {
        const start = after === null ? 0 : Number(after) + 1;
        const nodes = all.slice(start, start + first);
        const endCursor = nodes.length > 0 ? String(nodes.at(-1)) : null;
        return { totalCount: length, nodes, pageInfo: { hasNextPage: start + first < length, endCursor } };
      };
      expect(await everyPage(read)).toEqual(all);
    }),
  ));
