import { readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { EXAMPLES } from './examples.js';

const schema = buildSchema(
  readFileSync(new URL('../../../control-plane/schema.graphql', import.meta.url), 'utf8'),
);

it.each(EXAMPLES)('$title is valid against the schema', ({ query }) => {
  expect(validate(schema, parse(query))).toEqual([]);
});

it('makes every mutation a dry run', () => {
  const mutations = EXAMPLES.filter(({ query }) => query.includes('mutation '));
  expect(mutations.length).toBeGreaterThan(0);
  for (const { variables } of mutations) expect(variables).toMatchObject({ input: { dryRun: true } });
});
