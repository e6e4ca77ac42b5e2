import { expect, it } from 'vitest';
import { ErrorThrottle } from './decision-node.js';

it('reports an error at once, its repetitions once a minute, and other errors independently', () => {
  const told: string[] = [];
  let nowMs = 0;
  const errors = new ErrorThrottle(
    (message) => told.push(message),
    () => nowMs,
  );
  for (const message of ['policy', 'policy', 'usage', 'policy']) errors.note(message, new Error('down'));
  expect(told).toEqual(['policy', 'usage']);
  nowMs = 59_999;
  errors.note('policy', new Error('down'));
  nowMs = 60_000;
  errors.note('policy', new Error('down'));
  expect(told).toEqual(['policy', 'usage', 'policy']);
});
