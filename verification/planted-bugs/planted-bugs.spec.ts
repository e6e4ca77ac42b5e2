import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { MUTATIONS } from './mutations.ts';

it.each(MUTATIONS)('the planted bug $name has one place in $file', ({ file, before }) => {
  const text = readFileSync(new URL(`../../packages/${file}`, import.meta.url), 'utf8');
  expect(text.split(before)).toHaveLength(2);
});
