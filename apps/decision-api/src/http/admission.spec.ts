import { expect, it } from 'vitest';
import { Admission } from './admission.js';

it('a process takes in so many at once, and as many more as are done', () => {
  const admission = new Admission(2);
  expect([admission.enter(), admission.enter(), admission.enter()]).toEqual([true, true, false]);
  admission.leave();
  expect([admission.enter(), admission.enter()]).toEqual([true, false]);
});
