import { Admission, StartUpLag } from '@tollgate/logging';
import { expect, it } from 'vitest';
import { readinessProblem } from '../routes/health.js';

const MAX_MS = 100;
const plane = { ready: true, counters: 'available', awaitsQuotas: false } as const;

function startUp() {
  const state = { nowMs: 0, lagMs: 0, calms: 0 };
  const lag = new StartUpLag({
    lagMs: () => state.lagMs,
    maxMs: MAX_MS,
    onCalm: () => state.calms++,
    clockMs: () => state.nowMs,
  });
  /** Lets time pass, and checks every 50 ms. */
  const pass = (ms: number, lagMs: number) => {
    state.lagMs = lagMs;
    for (let left = ms; left > 0; left -= 50) {
      state.nowMs += 50;
      lag.check();
    }
  };
  const readiness = () => readinessProblem(plane, { isDraining: false }, false, lag);
  return { state, lag, pass, readiness, admission: new Admission(10, lag) };
}

it('is not ready before the loop was calm for half a second', () => {
  const { state, pass, readiness } = startUp();
  pass(400, 10);
  pass(1000, 80);
  pass(400, 10);
  expect([readiness(), state.calms]).toEqual(['overloaded', 0]);
  pass(200, 10);
  expect([readiness(), state.calms]).toEqual([undefined, 1]);
  pass(1000, 500);
  expect([readiness(), state.calms]).toEqual([undefined, 1]);
});

it('is ready after 10 s, however much the loop lags', () => {
  const { pass, readiness } = startUp();
  pass(9900, 400);
  expect(readiness()).toBe('overloaded');
  pass(100, 400);
  expect(readiness()).toBeUndefined();
});

it('admits the first requests although the loop lags, up to a second of lag', () => {
  const { pass, admission } = startUp();
  pass(600, 0);
  pass(9000, 900);
  expect(admission.enter()).toBeUndefined();
  pass(50, 1001);
  expect(admission.enter()).toBe('event_loop_lag');
});

it('sheds by the configured lag 10 s after the loop was calm', () => {
  const { pass, admission } = startUp();
  pass(600, 0);
  pass(10_000, 101);
  expect(admission.enter()).toBe('event_loop_lag');
});
