import { expect, it } from 'vitest';
import { MAX_COST } from './countable.js';
import { catalogueSchema } from './snapshot.js';

it('an operation costs no more than a request may', () => {
  const catalogueOf = (cost: number) => ({
    kind: 'catalogue',
    revision: 1,
    apis: [{ key: 'a', unknownOperations: 'allow', operations: [{ name: 'o', cost }] }],
    tiers: [],
    serviceTokens: [],
  });
  expect(catalogueSchema.safeParse(catalogueOf(MAX_COST)).success).toBe(true);
  expect(catalogueSchema.safeParse(catalogueOf(MAX_COST + 1)).success).toBe(false);
});
