import { expect, it } from 'vitest';
import { RepeatedErrors } from './decision-node.js';

it('tells of a failure at once, of its repetitions once a minute, and of others beside it', () => {
  const told: string[] = [];
  let nowMs = 0;
  const errors = new RepeatedErrors(
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
