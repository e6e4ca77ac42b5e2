import { expect, test } from 'vitest';
import { findForbidden } from './vocabulary.mjs';

test('names the line, the word and its replacement', () => {
  expect(findForbidden('const a = outdoors;\n// Redis cannot be asked')).toEqual([
    '2: "cannot be asked" → unavailable',
  ]);
});
