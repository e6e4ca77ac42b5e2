import { expect, it } from 'vitest';
import { ProcessStates } from './processes.js';

function states(processes: number) {
  let nowMs = 0;
  const tracked = new ProcessStates(processes, () => nowMs);
  /** Checks twice a second; the processes in `ready` report themselves ready. */
  const pass = (ms: number, ready: number[]) => {
    let result = tracked.check();
    for (const endMs = nowMs + ms; nowMs < endMs; ) {
      nowMs += 500;
      for (const number of ready) tracked.heard(number, true);
      result = tracked.check();
    }
    return result;
  };
  const sleep = (ms: number) => {
    nowMs += ms;
    return tracked.check();
  };
  return { tracked, pass, sleep };
}

it('are ready once all processes are', () => {
  const { tracked, pass } = states(2);
  expect(pass(1_000, [1]).areReady).toBe(false);
  expect(pass(1_000, [1, 2]).areReady).toBe(true);
  tracked.heard(2, false);
  expect(tracked.check().areReady).toBe(false);
});

it('tolerate a quick restart, but not a missing process', () => {
  const { tracked, pass } = states(2);
  pass(1_000, [1, 2]);
  tracked.ended(2);
  expect(pass(2_500, [1]).areReady).toBe(true);
  expect(pass(1_000, [1])).toEqual({ areReady: false, hung: [] });
});

it('name a process that is silent for ten seconds as hung', () => {
  const { pass } = states(2);
  pass(1_000, [1, 2]);
  expect(pass(10_000, [1]).hung).toEqual([]);
  expect(pass(500, [1]).hung).toEqual([2]);
});

it('blame no process after the primary process itself was stopped', () => {
  const { pass, sleep } = states(2);
  pass(1_000, [1, 2]);
  expect(sleep(60_000)).toEqual({ areReady: true, hung: [] });
});
