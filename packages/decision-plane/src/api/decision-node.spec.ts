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

it('remembers a bounded number of messages', () => {
  const reported: string[] = [];
  const errors = new ErrorThrottle(
    (message) => reported.push(message),
    () => 0,
  );
  const messages = Array.from({ length: 1001 }, (_, i) => `record of tenant t${i} rejected`);
  for (const message of [...messages, messages[0] ?? '']) errors.note(message, new Error('invalid'));
  expect(reported).toHaveLength(1002);
});
