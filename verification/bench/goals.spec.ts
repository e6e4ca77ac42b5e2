import { expect, it } from 'vitest';
import { goalResults } from './goals.ts';

it('a measurement equal to its goal passes, the next worse one fails, a time has no result, a missing one its reason', () => {
  const resultOf = (id: 'strict-1-gcra' | 'memory-alone' | 'http-batch', measured?: number) =>
    goalResults(measured === undefined ? [] : [{ id, measured }], () => 'did not run').find(
      (goal) => goal.id === id,
    )?.result;
  expect([resultOf('strict-1-gcra', 1), resultOf('strict-1-gcra', 0.99)]).toEqual(['pass', 'fail']);
  expect([resultOf('memory-alone', 150), resultOf('memory-alone', 151)]).toEqual(['pass', 'fail']);
  expect(resultOf('http-batch', 1000)).toBe('');
  expect(resultOf('memory-alone')).toBe('not measured: did not run');
});
