import { expect, test } from 'vitest';
import { findForbidden } from './vocabulary.mjs';

test('names the line, the word and its replacement', () => {
  expect(findForbidden('const a = 1;\n// Redis cannot be asked')).toEqual([
    '2: "cannot be asked" → unavailable',
  ]);
});

test.each(['guardHttpDoor()', 'DoorProps', 'behind the door', 'queuedErrand'])('finds %s', (text) => {
  expect(findForbidden(text)).toHaveLength(1);
});

test.each(['outdoors', 'request', 'indoor: true', 'finished'])('accepts %s', (text) => {
  expect(findForbidden(text)).toEqual([]);
});
