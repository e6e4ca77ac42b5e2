import { describe, expect, it } from 'vitest';
import { Admission, turnEnd } from './admission.js';

it('a process takes in so many at once, and as many more as are done', () => {
  const admission = new Admission(2);
  expect([admission.enter(), admission.enter(), admission.enter()]).toEqual([
    undefined,
    undefined,
    'in_flight',
  ]);
  admission.leave();
  expect([admission.enter(), admission.enter()]).toEqual([undefined, 'in_flight']);
});

it('sheds while the event loop lags by more than the bound', () => {
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
  it('is one for those of a turn; the next has an end of its own', async () => {
    const [one, other] = [turnEnd(), turnEnd()];
    expect(one).toBe(other);
    await one;
    expect(turnEnd()).not.toBe(one);
    await turnEnd();
  });

  it('more than some go on in their order, and let others be heard in between', async () => {
    const begun: number[] = [];
    const all = Array.from({ length: 1000 }, async (_, i) => {
      await turnEnd();
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
