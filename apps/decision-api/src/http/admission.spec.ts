import { describe, expect, it } from 'vitest';
import { Admission, yieldToEventLoop } from './admission.js';

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

const immediate = () => new Promise((resolve) => setImmediate(resolve));

describe('the end of a turn', () => {
  it('returns the same promise within one event-loop iteration and a new one in the next', async () => {
    const [one, other] = [yieldToEventLoop(), yieldToEventLoop()];
    expect(one).toBe(other);
    await one;
    expect(yieldToEventLoop()).not.toBe(one);
    await yieldToEventLoop();
  });

  it('resumes large groups in order and lets I/O run between batches', async () => {
    const begun: number[] = [];
    const all = Array.from({ length: 1000 }, async (_, i) => {
      await yieldToEventLoop();
      begun.push(i);
    });
    const seen: number[] = [];
    while (begun.length < all.length) {
      await immediate();
      seen.push(begun.length);
    }
    await Promise.all(all);
    expect(begun).toEqual([...begun.keys()]);
    expect(seen.length).toBeGreaterThan(5);
  });
});
