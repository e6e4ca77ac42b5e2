import { expect, it } from 'vitest';
import { Admission } from './admission.js';

it('admits requests up to the limit, and again after others finish', () => {
  const admission = new Admission(2);
  expect([admission.enter(), admission.enter(), admission.enter()]).toEqual([
    undefined,
    undefined,
    'in_flight',
  ]);
  admission.leave();
  expect([admission.enter(), admission.enter()]).toEqual([undefined, 'in_flight']);
});

it('sheds requests while the event loop lag exceeds the limit', () => {
  let lagMs = 100;
  const admission = new Admission(2, { lagMs: () => lagMs, maxMs: 100 });
  expect(admission.enter()).toBeUndefined();
  lagMs = 101;
  expect([admission.shedReason(), admission.enter()]).toEqual(['event_loop_lag', 'event_loop_lag']);
  lagMs = 0;
  expect([admission.shedReason(), admission.enter(), admission.enter()]).toEqual([
    undefined,
    undefined,
    'in_flight',
  ]);
});
